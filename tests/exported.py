"""Runs exported code: Python in this process, SQL in SQLite, JavaScript in Node."""

import datetime as dt
import json
import math
import shutil
import sqlite3
import subprocess
from contextlib import closing

import numpy as np

NODE = shutil.which("node") or shutil.which("nodejs")

RUNNER = """
const { predict } = require(process.argv[2]);
const rows = JSON.parse(require("fs").readFileSync(process.argv[3], "utf8"));
process.stdout.write(JSON.stringify(rows.map(predict)));
"""


def run_python(code, rows):
    names = {}
    exec(compile(code, "rule.py", "exec"), names)
    return [names["predict"](row) for row in rows]


def run_sql(code, rows, columns, typed=""):
    """Columns without a declared type hold what they are given; `typed` is one for all columns."""
    quoted = ", ".join('"' + name.replace('"', '""') + '"' + typed for name in columns)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE data ({quoted})")
        marks = ", ".join("?" * len(columns))
        values = [[row[name] for name in columns] for row in rows]
        connection.executemany(f"INSERT INTO data VALUES ({marks})", values)
        return [record[-1] for record in connection.execute(code)]


def run_javascript(code, rows, folder):
    """Doubles survive JSON: both sides write the shortest text that is read as the same number."""
    (folder / "rule.cjs").write_text(code, encoding="utf-8")
    (folder / "runner.cjs").write_text(RUNNER, encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    files = [str(folder / name) for name in ("runner.cjs", "rule.cjs", "rows.json")]
    done = subprocess.run([NODE, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_javascript_programs(programs, folder):
    """Answers of programs to their rows; an error is a text that begins with "error: "."""
    parts = []
    for code, rows in programs:
        cells = [
            ", ".join(f"{json.dumps(name)}: {javascript_cell(cell)}" for name, cell in row.items())
            for row in rows
        ]
        listed = ",\n".join(f"{{ {each} }}" for each in cells)
        parts.append(
            f"(() => {{\nconst module = {{}};\n{code}\nreturn [\n{listed}\n].map((row) => {{\n"
            "try { return module.exports.predict(row); }\n"
            "catch (error) { return `error: ${error.message}`; }\n}); })()"
        )
    program = folder / "programs.cjs"
    answers = ",\n".join(parts)
    program.write_text(f"process.stdout.write(JSON.stringify([{answers}]));", encoding="utf-8")
    done = subprocess.run([NODE, str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def javascript_cell(cell):
    """The cell as JavaScript writes it; dates as Date, to the millisecond."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(cell, "NaN")
    if isinstance(cell, dt.date):
        if cell != cell:  # pandas' NaT
            return "new Date(NaN)"
        if not isinstance(cell, dt.datetime):
            return f'new Date("{cell}T00:00:00Z")'
        utc = cell if cell.tzinfo else cell.replace(tzinfo=dt.UTC)
        since = utc - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
        return f"new Date({since // dt.timedelta(milliseconds=1)})"
    return json.dumps(cell)


def table_rows(frame):
    """Rows as plain values: floats, texts, ISO dates, None for gaps."""
    rows = []
    for record in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        rows.append({name: _plain(value) for name, value in record.items()})
    return rows


def _plain(value):
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value.item() if isinstance(value, np.generic) else value


def border_values(condition, X, feature):
    """Values of a feature at which a condition changes, and their neighbours on either side.

    The border of the real sum is rounded; the true border of the computed one is within a few
    doubles of it.
    """
    place = condition.features.index(feature)
    rest = condition.sum(X) - condition.weights[place] * X[:, feature]
    with np.errstate(all="ignore"):
        border = (condition.threshold - rest) / condition.weights[place]
    border = np.where(np.isfinite(border), border, 0.0)
    values = [border]
    for direction in (-np.inf, np.inf):
        near = border
        for _ in range(2):
            near = np.nextafter(near, direction)
            values.append(near)
    return values
