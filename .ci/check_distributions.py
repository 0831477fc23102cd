"""Check that the wheel and the source distribution hold all that they should, and nothing else."""

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS = {"hyperna", "tests", "datasets", "notebooks", "benchmarks", "docs"}


def package_files() -> set[str]:
    """Return all files of the package, data included."""
    files = (path for path in (ROOT / "hyperna").rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}


def main(wheel: str, source: str) -> None:
    """Compare both with the folder that they were made from."""
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = {name for name in archive.namelist() if ".dist-info/" not in name}
    with tarfile.open(source) as archive:
        in_source = {name.partition("/")[2] for name in archive.getnames()}
    wanted = package_files()
    problems = {
        "missing in the wheel": wanted - in_wheel,
        "too much in the wheel": in_wheel - wanted,
        "missing in the source distribution": wanted - in_source,
        "folders missing in the source distribution": {
            name for name in OURS if not any(path.startswith(f"{name}/") for path in in_source)
        },
        "machinery in the source distribution": {
            path for path in in_source if path.startswith((".ci", ".github", ".pre-commit"))
        },
    }
    for what, names in problems.items():
        if names:
            sys.exit(f"{what}: {', '.join(sorted(names))}")
    print(f"{len(in_wheel)} files in the wheel, {len(in_source)} in the source distribution")


if __name__ == "__main__":
    main(*sys.argv[1:])
