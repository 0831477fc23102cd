"""CSV files of any content are read or refused, by both readers alike."""

import numpy as np
from hostile import works_or_refuses
from hypothesis import given
from hypothesis import strategies as st

from hyperna import read_csv
from hyperna.datasets import read_dataset

CELLS = st.one_of(
    st.sampled_from(
        ["a", "b", "x1", "class", "", " ", "1", "0", "-2.5", "1e5", "nan", "inf", "1e999", "1_0",
         '"', '"a,b"', '"a""b"', '"open', "ü", "٣", "0x1", "\ufeff", "\0", "'", "=1+1", "yes", "no",
         "9" * 400, "y" * 3000]
    ),
    st.integers(-9, 9).map(str),
    st.floats().map(repr),
    st.text(max_size=4),
)  # fmt: skip
LINES = st.lists(CELLS, min_size=0, max_size=5)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])


@st.composite
def likely(draw):
    """Return a table that is nearly right: same width, numbers, two labels."""
    width = draw(st.integers(1, 3))
    names = draw(st.lists(CELLS, min_size=width + 1, max_size=width + 1))
    numbers = st.one_of(st.floats(-5, 5).map(repr), st.integers(-9, 9).map(str), CELLS)
    labels = st.one_of(st.sampled_from(["0", "1"]), st.sampled_from(["no", "yes"]), CELLS)
    rows = [
        [*draw(st.lists(numbers, min_size=width, max_size=width)), draw(labels)]
        for _ in range(draw(st.integers(0, 5)))
    ]
    return draw(ENDS).join(",".join(row) for row in [names, *rows]).encode(errors="surrogatepass")


CONTENT = st.one_of(
    likely(),
    st.builds(
        lambda lines, end: end.join(map(",".join, lines)).encode(errors="surrogatepass"),
        st.lists(LINES, max_size=6),
        ENDS,
    ),
    st.binary(max_size=60),
)


@given(CONTENT, st.sampled_from([None, None, "class", "a", "nowhere"]))
def test_csv_files(tmp_path_factory, content, label):
    file = tmp_path_factory.getbasetemp() / "fuzz.csv"
    file.write_bytes(content)
    data = works_or_refuses(content, lambda: read_dataset(file, label))
    problem = works_or_refuses(content, lambda: read_csv(file, label))
    if data is not None:
        assert np.isfinite(data.X).all()
        assert len(data.X) == len(data.y) >= 2
        assert len(set(data.features)) == data.X.shape[1]
    if problem is not None:
        assert np.isfinite(problem.X).all()
        assert 0 < problem.y.sum() < len(problem.y)
    if data is not None and problem is not None:
        assert np.array_equal(data.X, problem.X)
        values = data.y.tolist()
        pairs = set(zip(values, problem.y.tolist(), strict=True))
        assert len({positive for _, positive in pairs}) == 2
