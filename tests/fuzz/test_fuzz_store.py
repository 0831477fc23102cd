"""Damaged stores: what can still be read is right, what cannot is named, a new run repairs all."""

import os
import shutil

import pytest
from hostile import works_or_refuses
from hypothesis import given
from hypothesis import strategies as st

from hyperna import Campaign, Store

pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")
CAMPAIGN = Campaign.product(problem=["half", "quarter"], resolution=[12, 60], runs=12)


WHOLE = []


@pytest.fixture(scope="module", autouse=True)
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "store"
    for made, runs in CAMPAIGN.wanted.items():
        Campaign({made: runs}).run(path)
    CAMPAIGN.run(path)
    frame = Store(path).to_frame()
    WHOLE[:] = path, frame, {tuple(row) for row in frame.astype(str).to_numpy().tolist()}


KINDS = ["flip", "cut", "grow", "empty", "zero", "remove", "text", "swap", "double"]
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.sampled_from(
            ["flip", "cut", "grow", "empty", "zero", "remove", "text", "swap", "double"]
        ),
        st.integers(0, 10**6),
        st.binary(min_size=1, max_size=12),
    ),
    min_size=1,
    max_size=3,
)
EXTRAS = st.lists(st.sampled_from(["file", "folder", "dangling link", "fifo", "loop"]), max_size=2)


def damage(path, changes, extras):
    for number, kind, place, data in changes:
        files = sorted(file for file in path.rglob("*") if file.is_file() and not file.is_symlink())
        if not files:
            break
        file = files[number % len(files)]
        content = bytearray(file.read_bytes())
        at = place % max(len(content), 1)
        if kind == "remove":
            file.unlink()
            continue
        if kind == "flip" and content:
            content[at] ^= data[0] or 1
        elif kind == "cut":
            del content[at:]
        elif kind == "grow":
            content += data
        elif kind == "empty":
            content.clear()
        elif kind == "zero":
            content[at:] = bytes(len(content) - at)
        elif kind == "text":
            content[at : at + len(data)] = data
        elif kind == "swap":
            content = bytearray(files[place % len(files)].read_bytes())
        elif kind == "double":
            content *= 2
        file.write_bytes(content)
    for place, kind in enumerate(extras):
        folders = [path, *(folder for folder in path.rglob("*") if folder.is_dir())]
        extra = folders[place % len(folders)] / f"000{5 + place}-15.jsonl"
        if kind == "file":
            extra.write_bytes(b"nothing of ours")
        elif kind == "folder":
            extra.mkdir(exist_ok=True)
        elif os.name != "nt":
            if kind == "dangling link":
                extra.symlink_to("nowhere")
            elif kind == "loop":
                extra.symlink_to(extra.name)
            else:
                os.mkfifo(extra)


@given(CHANGES, EXTRAS)
def test_damaged_stores(tmp_path_factory, changes, extras):
    original, frame, made = WHOLE
    path = tmp_path_factory.getbasetemp() / "damaged.store"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(original, path)
    damage(path, changes, extras)
    what = (changes, extras)
    works_or_refuses(what, lambda: Store(path).status())
    works_or_refuses(what, lambda: Store(path).damages())
    found = works_or_refuses(what, lambda: Store(path).to_frame())
    if found is not None:
        rows = [tuple(row) for row in found.astype(str).to_numpy().tolist()]
        assert set(rows) <= made, "runs that nobody made"
        assert len(set(rows)) == len(rows), "runs that are there twice"
    repaired = works_or_refuses(what, lambda: CAMPAIGN.run(path))
    # Only what stands in the way of the store's own files may keep it from being repaired.
    assert repaired is not None or extras
    if repaired is not None:
        pandas.testing.assert_frame_equal(repaired.to_frame(), frame, check_exact=True)
