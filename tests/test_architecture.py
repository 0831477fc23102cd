"""The shape of the package: what may import what, what is public."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hyperna

ROOT = Path(hyperna.__file__).parent
# The street, from the ground up; a module imports only from lower numbers or its own package.
STREET = {
    "_csv": 1,
    "_tables": 0,
    "_files": 0,
    "_validation": 0,
    "_words": -1,
    "_kernels": 1,
    "parallel": 1,
    "network": 2,
    "problems": 4,
    "tables": 4,
    "datasets": 5,
    "fitness": 5,
    "mutation": 6,
    "run": 7,
    "analysis": 8,
    "baselines": 10,
    "classifier": 10,
    "theory": 10,
    "comparison": 11,
    "models": 11,
    "experiments": 12,
    "plots": 12,
    "interop": 13,
    "play": 13,
    "paper": 14,
    "report": 14,
    "cli": 15,
    "__main__": 16,
}
MODULES = sorted(ROOT.rglob("*.py"))


def name_of(path):
    parts = list(path.relative_to(ROOT.parent).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path):
    """Absolute dotted names of everything a file imports, at the top or inside a function."""
    package = name_of(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module == "hyperna":
                yield from (f"hyperna.{alias.name}" for alias in node.names)
            else:
                yield module


def part_of(dotted):
    """The first level below the package: 'hyperna._kernels.loop' is in '_kernels'."""
    pieces = dotted.split(".")
    return pieces[1] if pieces[0] == "hyperna" and len(pieces) > 1 else None


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_one_way_down_the_street(path):
    here = part_of(name_of(path))
    if here is None:
        return
    assert here in STREET, f"give {here} a place on the street"
    for target in map(part_of, imported_modules(path)):
        if target in (None, here) or target not in STREET:
            continue
        assert STREET[target] < STREET[here], f"{name_of(path)} imports {target}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_the_kernels_import_numba(path):
    if part_of(name_of(path)) != "_kernels":
        assert not [name for name in imported_modules(path) if name.split(".")[0] == "numba"]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_private_name_of_a_library_is_imported(path):
    """Names with an underscore, which the next version may change without saying so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not (node.level or node.module == "__future__"):
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [name for alias in node.names for name in alias.name.split(".")]
        else:
            continue
        private = [name for name in names if name.startswith("_") and names[0] != "hyperna"]
        assert not private, private


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", [n for n in hyperna.__all__ if n != "__version__"])
def test_public_names_exist_with_a_docstring_and_an_example(name):
    thing = getattr(hyperna, name)
    if callable(thing):
        assert ">>>" in (thing.__doc__ or ""), f"hyperna.{name} has no example"


def test_type_checkers_are_told_the_public_names():
    """Only names that are imported as themselves are exported by a stub."""
    stub = ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    told = [alias.asname for node in imports for alias in node.names]
    assert ["__version__", *told] == hyperna.__all__


def test_the_map_of_the_package_names_every_part():
    text = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    named = [name for line in lines for name in re.findall(r"`(\w+)`", line.split("|")[1])]
    assert sorted(named) == sorted(set(STREET) - {"__main__"})


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        hyperna.nothing  # noqa: B018


def test_import_is_light():
    code = "import hyperna, sys; print([m for m in ('numba', 'scipy', 'rich') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_version_is_the_distribution_s():
    metadata = pytest.importorskip("importlib.metadata")
    try:
        installed = metadata.version("hyperna")
    except metadata.PackageNotFoundError:
        pytest.skip("hyperna is not installed, only importable")
    assert installed == hyperna.__version__


def test_all_public_names_are_listed():
    """Where a module lists its public names, they are all that it defines or takes from within."""
    listing = [path for path in MODULES if "\n__all__ = [\n" in path.read_text(encoding="utf-8")]
    assert len(listing) > 5
    for path in listing:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        package = ".".join(("hyperna", *path.parent.relative_to(ROOT).parts))
        found = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and path.name == "__init__.py":
                own = (node.module or "").startswith(package + ".")
                found |= {alias.name for alias in node.names if own}
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names = set(ast.literal_eval(node.value))
        assert names >= {name for name in found if not name.startswith("_")}, path
