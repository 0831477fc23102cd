"""Every surface offers the options of a run that apply to it, with their defaults and ranges."""

import ast
import inspect
import math
import pkgutil
import re
import tomllib
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest
from option_ranges import RANGES

import hyperna
from hyperna.cli import build_parser
from hyperna.experiments.algorithms import Algorithm, algorithms
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import SETTING_KEYS, Setting, setting
from hyperna.interop.store import describe_algorithm
from hyperna.network.grid import MAX_RESOLUTION
from hyperna.network.neurons import NEURONS
from hyperna.network.outputs import OUTPUTS
from hyperna.play.facts import page_facts
from hyperna.play.settings import PlaySetting
from hyperna.problems import problem
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.description import (
    ALGORITHM_OPTIONS,
    COUNTED,
    EVERY,
    MAX_NEURONS,
    NA_AND_RELATIVES,
    OPTIONS,
    RUN_OPTIONS,
    Option,
    RunArguments,
    RunOptions,
    check_options,
    check_run_options,
    default_budget,
)
from hyperna.run.relatives import RELATIVES
from hyperna.theory import expected_runtime
from hyperna.theory.task import exact_task

# A value of each option that is neither its default nor what it would be without it.
GIVEN = {
    "algorithm": "rls",
    "problem": "half",
    "dim": 3,
    "k": 2,
    "arcs": "0-80",
    "label": "y",
    "positive": "1",
    "weight": "w",
    "scale": True,
    "points": 50,
    "sampling": "random",
    "online": 20,
    "judge_once": True,
    "neurons": 2,
    "output": "xor",
    "resolution": 24,
    "mutation": "local",
    "bias": False,
    "redraw_void": True,
    "mutation_probability": 0.125,
    "init": "sphere",
    "neuron": "bent",
    "replace_neuron": 0.25,
    "move": "rotation",
    "max_neurons": 3,
    "term_cost": 2,
    "budget": 99,
    "stagnation": 50,
    "target": 0.75,
    "restarts": 4,
    "seed": 5,
}
# What else must be given with it, so that it means something.
NEEDED = {
    "k": {"problem": "arcs"},
    "arcs": {"problem": "arcs"},
    "sampling": {"dim": 3, "points": 50},
    "judge_once": {"online": 20},
    "max_neurons": {"neurons": "evolved"},
    "term_cost": {"problem": "cube", "dim": 3, "move": "rotation"},
}
OF_FILES = {"label", "positive", "weight", "scale"}
PLAIN = [name for name in OPTIONS if name not in OF_FILES]


def option_line(name):
    """The option with its value, as on the command line."""
    if name == "problem":
        return []
    if OPTIONS[name].off_help:
        return [f"--no-{name.replace('_', '-')}"]
    option = f"--{name.replace('_', '-')}"
    return [option] if OPTIONS[name].flag else [option, str(GIVEN[name])]


def options_with(name):
    return {"problem": "quarter", **NEEDED.get(name, {}), name: GIVEN[name]}


def test_every_option_is_tried():
    assert GIVEN.keys() == OPTIONS.keys(), "a new option needs a value in GIVEN"
    for name, value in GIVEN.items():
        assert OPTIONS[name].check(name, value) == value
        assert value != OPTIONS[name].default


@pytest.mark.parametrize("name", OPTIONS)
def test_a_default_is_in_range_and_the_help_tells_it(name):
    option = OPTIONS[name]
    if option.default is not None:
        assert option.check(name, option.default) == option.default
        if not option.flag:
            shown = f"{option.default:g}" if isinstance(option.default, float) else option.default
            wanted = "the problem's" if name == "neurons" else shown
            assert f"(default: {wanted}" in option.help_line
    assert option.group in ("problem", "network", "algorithm", "runs")


def test_every_number_has_its_range():
    numbers = {n for n, o in OPTIONS.items() if o.kind in ("integer", "number", "fitness")}
    assert numbers == RANGES.keys()


@pytest.mark.parametrize("name", RANGES)
def test_a_range_ends_where_it_should(name):
    allowed, refused = RANGES[name]
    for value in allowed:
        assert OPTIONS[name].check(name, value) == value
    for value in refused:
        with pytest.raises(ValueError, match=rf"^{name} must be"):
            OPTIONS[name].check(name, value)


@pytest.mark.parametrize("name", ALGORITHM_OPTIONS)
def test_python_s_constructor_has_the_option(name):
    parameter = inspect.signature(OnePlusOneNA).parameters[name]
    assert parameter.default == OPTIONS[name].default
    for entry in RELATIVES.values():
        assert inspect.signature(entry).parameters[name].default == OPTIONS[name].default
    assert f"\n    {name} : " in OnePlusOneNA.__doc__
    with pytest.raises((TypeError, ValueError), match=name):
        OnePlusOneNA(**{name: object()})


@pytest.mark.parametrize("name", RUN_OPTIONS)
def test_python_s_run_has_the_limit(name):
    assert f"\n        {name} : " in OnePlusOneNA.run.__doc__
    assert name in OnePlusOneNA.run_many.__doc__
    needed = {**NEEDED.get(name, {})}
    subject = problem(needed.pop("problem", "quarter"), needed.pop("dim", None))
    task = OnePlusOneNA(**needed).task(subject, **{name: GIVEN[name]})
    assert getattr(task, name) == GIVEN[name]
    for run in (OnePlusOneNA().run, lambda *a, **k: OnePlusOneNA().run_many(*a, 2, **k)):
        with pytest.raises((TypeError, ValueError), match=name):
            run("quarter", **{name: object()})
        with pytest.raises(TypeError, match=f"unknown argument '{name}s'; did you mean '{name}'"):
            run("quarter", **{f"{name}s": 1})


def test_type_checkers_are_told_the_limits():
    assert get_type_hints(RunArguments) == get_type_hints(RunOptions)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_command_line_has_the_option(name):
    subject = GIVEN[name] if name == "problem" else "quarter"
    args = build_parser().parse_args(["run", subject, *option_line(name)])
    assert getattr(args, name) == GIVEN[name]
    assert [getattr(args, other) for other in OPTIONS if other not in (name, "problem")] == [
        None for other in OPTIONS if other not in (name, "problem")
    ]


@pytest.mark.parametrize("name", PLAIN)
def test_a_setting_its_digest_and_a_campaign_file_have_the_option(name):
    options = options_with(name)
    made = setting(**options)
    plain = {"problem": "quarter"} if name in ("problem", "k", "arcs") else options
    without = setting(**{**plain, name: None} if plain is options else plain)
    assert made.digest != without.digest
    assert Setting.of(made.canonical) == made
    if name in SETTING_KEYS:
        assert made.options[name] == GIVEN[name]
        assert f"{name}" in made.canonical
    lines = [
        f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
        for key, value in options.items()
    ]
    assert list(Campaign.from_dict(tomllib.loads("\n".join(lines))).wanted) == [made]


def test_settings_have_all_options_but_what_is_part_of_a_problem_s_name():
    assert set(SETTING_KEYS) == OPTIONS.keys() - {"k", "arcs"} | {"data"}
    assert {entry.name for entry in fields(Setting)} >= OPTIONS.keys()


def test_defaults_that_settings_do_not_hold_are_not_in_their_digest():
    made = setting(problem="quarter")
    for name, option in OPTIONS.items():
        if option.written and option.default is not None:
            assert name in made.canonical
        elif not option.written:
            assert name not in made.canonical


def test_a_frame_has_a_column_for_every_option(tmp_path):
    pytest.importorskip("pandas")
    wanted = [options_with(name) for name in PLAIN if name != "problem"]
    settings = {setting(**{"resolution": 24, "budget": 40, **options}): 1 for options in wanted}
    frame = Campaign(settings).run(tmp_path / "store").to_frame()
    assert set(SETTING_KEYS) - OF_FILES - {"data"} <= set(frame.columns)
    for name in set(PLAIN) - {"k", "arcs", "problem"}:
        shown = "0.75" if name == "target" else GIVEN[name]
        assert (frame[name] == shown).any(), name
        if OPTIONS[name].column and name != "neurons":
            assert str(frame[name].dtype) == OPTIONS[name].column


@pytest.mark.parametrize("name", sorted(set(PLAIN) - {"algorithm", "problem", "k", "arcs"}))
def test_iohprofiler_is_told_the_option_in_the_function_or_the_algorithm(name):
    made = setting(**options_with(name))
    if not OPTIONS[name].function and name not in ("max_neurons", "mutation"):
        assert f"{name}={GIVEN[name]}" in describe_algorithm(made)


@pytest.mark.parametrize("name", OPTIONS)
def test_algorithms_take_the_options_that_apply_to_them(name):
    for algorithm in algorithms().values():
        known = OPTIONS[name].used_by
        relative = algorithm.name in RELATIVES
        applies = relative or known in (EVERY, COUNTED)
        assert known in (EVERY, COUNTED, NA_AND_RELATIVES)
        if not applies:
            with pytest.raises(ValueError, match=f"{name} does not apply to algorithm"):
                setting(problem="quarter", algorithm=algorithm.name, **{name: GIVEN[name]})
        elif known != EVERY:
            assert name in algorithm.keys


@pytest.mark.parametrize("name", ["stagnation", "restarts", "mutation", "bias", "online"])
def test_an_algorithm_that_names_no_optional_keys_is_given_none(name, monkeypatch):
    """One of the user's own need not know when to restart; what it must know is the rest."""
    own = Algorithm("own", "one that is registered elsewhere", lambda made: made)
    monkeypatch.setitem(algorithms(), "own", own)
    with pytest.raises(ValueError, match=f"{name} does not apply to algorithm 'own'"):
        setting(problem="quarter", algorithm="own", **{name: GIVEN[name]})
    known = {key: GIVEN[key] for key in ("dim", "neurons", "resolution", "budget", "target")}
    made = setting(problem="quarter", algorithm="own", **known)
    assert {key: getattr(made, key) for key in known} == known


EXACT = [name for name in OPTIONS if OPTIONS[name].theory]


@pytest.mark.parametrize("name", EXACT)
def test_the_command_for_exact_runtimes_has_the_option(name):
    subject = GIVEN[name] if name == "problem" else "quarter"
    args = build_parser().parse_args(["theory", subject, *option_line(name)])
    assert getattr(args, name) == GIVEN[name]


@pytest.mark.parametrize("name", sorted(set(ALGORITHM_OPTIONS) & set(EXACT)))
def test_exact_runtimes_in_python_take_the_option(name):
    assert name in inspect.signature(expected_runtime).parameters
    given = {"resolution": 24, "neurons": 1, "bias": False, name: GIVEN[name]}
    assert exact_task("quarter", **given).grid.resolution == 24


@pytest.mark.parametrize("name", sorted(set(ALGORITHM_OPTIONS) - set(EXACT)))
def test_exact_runtimes_refuse_options_that_no_chain_knows(name):
    given = {"neurons": "evolved"} if name == "max_neurons" else {}
    dim = 3 if name == "move" else 2
    with pytest.raises((TypeError, ValueError), match=f"{name}|neurons"):
        exact_task("quarter", 24, dim=dim, **given, **{name: GIVEN[name]})


@pytest.mark.parametrize("name", [name for name in OPTIONS if OPTIONS[name].page])
def test_the_page_has_the_option(name):
    facts = page_facts()
    assert name in {entry.name for entry in fields(PlaySetting)}
    assert name in facts["defaults"]
    option = OPTIONS[name]
    if isinstance(option.page, tuple):
        assert tuple(facts["ranges"][name]) == option.page
        with pytest.raises(ValueError, match=f"{name} must be an integer from"):
            PlaySetting.from_json({name: option.page[1] + 1})
    elif option.choices:
        with pytest.raises(ValueError, match=f"{name} must be one of"):
            PlaySetting.from_json({name: "nothing"})


def test_limits_have_their_defaults_and_refuse_nonsense():
    assert check_run_options(120, {})["budget"] == 57449
    assert check_run_options(120, {"restarts": "auto"})["restarts"] == "auto"
    with pytest.raises(ValueError, match="restarts must be an integer >= 0 or 'auto', got 'many'"):
        check_run_options(120, {"restarts": "many"})
    with pytest.raises(TypeError, match="restarts must be an integer"):
        check_run_options(120, {"restarts": None})
    assert check_options(["target"], {"target": False}) == {"target": False}
    with pytest.raises(TypeError, match="target must be a fitness from 0 to 1 or False, got True"):
        check_options(["target"], {"target": True})


def test_an_option_s_text_is_read_as_its_value():
    count = Option(1, "network", "", kind="integer", low=1, word="evolved")
    assert [count.read("evolved"), count.read("12")] == ["evolved", 12]
    fitness = Option(None, "runs", "", kind="fitness")
    assert [fitness.read("none"), fitness.read("0.5")] == [False, 0.5]


# Parts of the package whose functions have options of a run as arguments.
PARTS = ["network", "problems", "fitness", "run", "baselines", "theory", "interop", "plots", "play"]
# Defaults that are others on purpose.
OTHERS = {
    # the problem's, which is at hand here
    ("baseline_task", "neurons"): None,
    ("neat_task", "neurons"): None,
    ("Objective", "neurons"): None,
    ("fitness_of", "neurons"): None,
    # the page begins with TWOQUARTERS and two neurons, and has a 0 for "never"
    ("PlaySetting", "neurons"): 2,
    ("PlaySetting", "stagnation"): 0,
    # what this function is about
    ("best_offspring", "algorithm"): "one_plus_lambda",
    # a field behind others that have defaults; it is always given
    ("TermTask", "term_cost"): 0,
}


def functions_and_methods():
    """All public functions of these parts; constructors have the names of their classes."""
    for part in PARTS:
        package = import_module(f"hyperna.{part}")
        within = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        for module in (package, *(import_module(entry.name) for entry in within)):
            for name, thing in vars(module).items():
                if name.startswith("_") or getattr(thing, "__module__", "") != module.__name__:
                    continue
                if inspect.isfunction(thing):
                    yield name, thing
                elif inspect.isclass(thing):
                    if is_dataclass(thing) or "__init__" in vars(thing):
                        yield name, thing
                    for method, code in vars(thing).items():
                        if inspect.isfunction(code) and not method.startswith("_"):
                            yield method, code


def test_signatures_repeat_the_defaults():
    options = {"algorithm", *ALGORITHM_OPTIONS, *RUN_OPTIONS}
    found = {}
    seen = set()
    for name, thing in functions_and_methods():
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.name not in options or parameter.default is parameter.empty:
                continue
            seen.add((name, parameter.name))
            # compared as texts, because 0 is equal to False
            if repr(parameter.default) != repr(OPTIONS[parameter.name].default):
                found[name, parameter.name] = parameter.default
    assert found == OTHERS
    assert {("expected_runtime", "bias"), ("plot_landscape", "resolution")} <= seen


def test_docstrings_repeat_the_numbers():
    told = {name: " ".join(entry.split()) for name, entry in documented(OnePlusOneNA).items()}
    assert told["resolution"].endswith(f"2 to 2**{math.log2(MAX_RESOLUTION):.0f}.")
    assert OPTIONS["resolution"].low == 2
    assert OPTIONS["resolution"].high == MAX_RESOLUTION
    assert told["max_neurons"].endswith(f"by default {MAX_NEURONS}.")
    told = {name: " ".join(entry.split()) for name, entry in documented(expected_runtime).items()}
    offspring = inspect.signature(RELATIVES["one_plus_lambda"]).parameters["offspring"].default
    assert f"(default: {offspring}, as in a run)" in told["offspring"]
    told = {name: " ".join(entry.split()) for name, entry in documented(OnePlusOneNA.run).items()}
    assert default_budget(50) == math.floor(100 * 50 * math.log(50))
    assert told["budget"].endswith("by default floor(100 r ln r).")


def documented(thing):
    """What the docstring says about each parameter."""
    text = inspect.getdoc(thing).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^(\w+) : .*\n((?: +.*\n?)+)", text, re.M))


def test_the_page_offers_the_dimensions_and_takes_the_defaults():
    page = (Path(hyperna.__file__).parent / "play" / "page" / "index.html").read_text("utf-8")
    offered = re.search(r'<select id="dim">(.*?)</select>', page)[1]
    low, high = OPTIONS["dim"].page
    assert re.findall(r'value="(\d+)"', offered) == [str(dim) for dim in range(low, high + 1)]
    facts = page_facts()
    for name, value in facts["defaults"].items():
        if OPTIONS[name].default is not None and ("PlaySetting", name) not in OTHERS:
            assert value == OPTIONS[name].default, name
    assert facts["rows"].keys() == {"arcs", "points"}


def test_docstrings_list_all_kinds_of_outputs_and_neurons():
    names = {"output": set(OUTPUTS), "neuron": set(NEURONS)}
    listed, wrong = set(), []
    for source in Path(hyperna.__file__).parent.rglob("*.py"):
        if source.parent.name == "classifier":
            continue
        for name, kinds in re.findall(r"^ +(output|neuron) : \{(.*)\}", source.read_text(), re.M):
            listed.add(name)
            if set(re.findall(r'"(\w+)"', kinds)) != names[name]:
                wrong.append(f"{source}: {name} : {{{kinds}}}")
    assert not wrong, "\n".join(wrong)
    assert listed == set(names)


# They say what is known of some outputs, and the classifier has outputs of its own.
ABOUT_SOME_OUTPUTS = {"_kernels", "problems", "classifier"}


def texts():
    """Paragraphs of all docstrings of the package and of the pages, with the file's name."""
    package = Path(hyperna.__file__).parent
    for source in package.rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        if source.parent.name not in ABOUT_SOME_OUTPUTS and re.search("xor", text, re.I):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                    for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                        if ">>>" not in paragraph:
                            yield source.relative_to(package.parent).as_posix(), paragraph
    docs = package.parent / "docs"
    for page in docs.rglob("*.md"):
        if page.relative_to(docs).parts[0].startswith("_"):
            continue  # made by docs/build.py
        for paragraph in page.read_text(encoding="utf-8").split("\n\n"):
            if page.parent.name != "whats_new" and not paragraph.startswith("!["):
                yield page.relative_to(package.parent).as_posix(), paragraph


def outputs_named(text):
    """Outputs of networks that a text names; "or" and "and" are words otherwise."""
    marked = {name for name in OUTPUTS if re.search(rf'["`*]{name}["`*]|\b{name.upper()}\b', text)}
    words = {name for name in OUTPUTS if re.search(rf"\b{name}\b", text, re.I)}
    return marked | words - {"or", "and"}


def test_sentences_that_list_outputs_list_all():
    """What names AND and XOR lists them, but for the outputs of a classifier."""
    listed, incomplete = set(), []
    for name, text in texts():
        found = outputs_named(text)
        if {"and", "xor"} <= found and ("evolved" in found or "at_least" not in text):
            listed.add(name)
            if found != set(OUTPUTS):
                incomplete.append(f"{name}: {text}")
    assert not incomplete, "\n\n".join(incomplete)
    wanted = "hyperna/network/networks.py", "docs/start/glossary.md", "docs/start/index.md"
    assert listed.issuperset(wanted)


# What the description says of options, written down once more: whoever has an option by mistake, or
# lacks one, is told here.
HEADINGS = {
    "problem": "problem dim k arcs label positive weight scale points sampling online judge_once "
    "term_cost",
    "network": "neurons output resolution neuron max_neurons",
    "algorithm": "algorithm mutation bias redraw_void mutation_probability init replace_neuron "
    "move",
    "runs": "budget stagnation target restarts seed",
}
KNOWN_BY = {
    EVERY: "algorithm problem dim k arcs label positive weight scale points sampling neurons "
    "output resolution budget target seed",
    COUNTED: "stagnation restarts",
    NA_AND_RELATIVES: "online judge_once mutation bias redraw_void mutation_probability init "
    "neuron replace_neuron move max_neurons term_cost",
}
THEORY = (
    "algorithm problem dim k arcs label positive weight scale points sampling neurons output "
    "resolution mutation bias redraw_void mutation_probability neuron target"
)
# of the function that is maximised, not of the algorithm
OF_THE_FUNCTION = (
    "problem dim label positive weight scale points sampling neurons output resolution neuron"
)
# added later: settings hold them only where they are not the default
NOT_WRITTEN = (
    "k arcs label positive weight scale online judge_once neuron replace_neuron move max_neurons "
    "term_cost"
)
PAGE = {
    **dict.fromkeys(("problem", "arcs", "output", "mutation", "bias", "neuron"), True),
    "dim": (2, 3),
    "k": (1, 12),
    "neurons": (1, 8),
    "resolution": (4, 2**14),
    "stagnation": (0, 10**9),
    "restarts": (0, 10**6),
    "seed": (0, 2**32 - 1),
}
COLUMNS = {
    "int64": "dim neurons resolution seed",
    "Int64": "k points online max_neurons term_cost budget stagnation restarts",
    "float64": "mutation_probability replace_neuron",
    "boolean": "scale judge_once bias redraw_void",
}


def those_with(quality):
    return {name for name, option in OPTIONS.items() if quality(option)}


def test_options_are_where_they_belong():
    for heading, names in HEADINGS.items():
        assert those_with(lambda option, group=heading: option.group == group) == {*names.split()}
    for who, names in KNOWN_BY.items():
        assert those_with(lambda option, them=who: option.used_by == them) == {*names.split()}
    for column, names in COLUMNS.items():
        assert those_with(lambda option, kind=column: option.column == kind) == {*names.split()}
    assert those_with(lambda option: option.theory) == {*THEORY.split()}
    assert those_with(lambda option: option.function) == {*OF_THE_FUNCTION.split()}
    assert those_with(lambda option: not option.written) == {*NOT_WRITTEN.split()}
    assert {name: option.page for name, option in OPTIONS.items() if option.page} == PAGE
