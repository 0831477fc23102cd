"""Commands and pictures give the answers that are stored: words equal, numbers up to rounding."""

import json

import pytest
from stored_answers import FILE, answers, arithmetic, same

pytestmark = pytest.mark.slow
pytest.importorskip("matplotlib", reason="needs hyperna[plot]")
pytest.importorskip("pandas", reason="needs hyperna[data]")
STORED = json.loads(FILE.read_text(encoding="utf-8"))
# Where a processor rounds otherwise a search may take another way.
SAME_ARITHMETIC = STORED.pop("arithmetic") == [arithmetic()]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("answers")
        patch.chdir(folder)
        patch.setenv("COLUMNS", "100")
        yield dict(answers(folder))


def test_all_cases_are_stored(found):
    assert list(found) == list(STORED)


@pytest.mark.parametrize("name", STORED)
def test_answers_are_those_stored(found, name):
    stored, now = STORED[name], list(found[name]())
    for old, new in zip(stored, now, strict=False):
        if not (SAME_ARITHMETIC or same(old, new)):
            pytest.skip("this processor rounds otherwise than the one that stored the answers")
        assert same(old, new), f"{name}: {old!r} has become {new!r}"
    assert len(stored) == len(now)
