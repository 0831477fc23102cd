"""Campaign files of any content are read or refused, before anything is run."""

from hostile import TEXTS, works_or_refuses
from hypothesis import given
from hypothesis import strategies as st

from hyperna import Campaign

KEYS = [
    "problem", "dim", "k", "arcs", "neurons", "output", "resolution", "mutation", "bias", "no-bias",
    "no_bias", "redraw_void", "redraw-void", "mutation_probability", "init", "points", "sampling",
    "label", "weight", "scale", "runs", "seed", "budget", "stagnation", "target", "restarts",
    "algorithm", "settings", "nonsense", "", "a.b", '"quoted"',
]  # fmt: skip
GOOD = [
    '"half"', '"quarter"', '"local"', '"harmonic"', '"or"', '"evolved"', '"default"', "2", "3",
    "12", "60", "true", "false",
    "0.5", '"grid"', '"sphere"', '"arcs"', '"0-90,180-270"', '["half"]',
    "[12, 60]", '["local", "harmonic"]', '"random"', '"cma_es"', '"one_plus_one_na"',
]  # fmt: skip
BAD = [
    "-1", "0", "1e400", "nan", "inf", "-inf", "9" * 5000, "0x10", "1_000", "[]", "[[]]", "{}",
    "{a = 1}", '""', '"x"', "'''\n'''", "2020-01-01", "07:32:00", '"\\ud800"', '"\\u0000"',
    "[1, 'a']", "[true, 2]", "[" * 3000, "{a=" * 2000, '"' + "x" * 20_000 + '"', "[[1, 2], [3]]",
]  # fmt: skip
VALUES = st.one_of(
    st.sampled_from(GOOD),
    st.sampled_from(GOOD),
    st.sampled_from(BAD),
    st.integers(-(2**70), 2**70).map(str),
    st.floats().map(str),
    st.sampled_from(TEXTS).map(lambda text: '"' + text.replace("\\", "").replace('"', "") + '"'),
)
LINES = st.one_of(
    st.builds("{} = {}".format, st.sampled_from(KEYS), VALUES),
    st.builds("{} = {}".format, st.sampled_from(KEYS), VALUES),
    st.sampled_from(["[settings]", "[[settings]]", "[[settings.a]]", "[a]", "# note", "", "= 1"]),
    st.text(max_size=15),
)


@st.composite
def likely(draw):
    """Return a file that is nearly right."""
    lines = ['problem = "half"', "resolution = [12, 60]", "runs = 2", *draw(st.lists(LINES))]
    lines.remove(draw(st.sampled_from(lines)))
    return "\n".join(lines).encode(errors="surrogatepass")


CONTENT = st.one_of(
    likely(),
    likely().map(lambda data: b"\xef\xbb\xbf" + data),
    st.lists(LINES, max_size=6).map(lambda lines: "\n".join(lines).encode(errors="surrogatepass")),
    st.binary(max_size=40),
)


@given(CONTENT)
def test_campaign_files(tmp_path_factory, content):
    file = tmp_path_factory.getbasetemp() / "fuzz.toml"
    file.write_bytes(content)
    campaign = works_or_refuses(content, lambda: Campaign.from_toml(file))
    if campaign is not None:
        assert campaign.total >= len(campaign.wanted) >= 1
