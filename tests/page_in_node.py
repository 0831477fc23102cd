"""The modules of the play page in Node, without a browser: for what needs no document."""

import json
import shutil
import subprocess
from pathlib import Path

from exported import NODE

import hyperna.play
from hyperna.play.facts import page_facts

PAGE = Path(hyperna.play.__file__).parent / "page"

PROGRAM = """
import { readFileSync } from "node:fs";
const read = (name) => JSON.parse(readFileSync(name, "utf8"));
const { names, values } = read("asked.json");
const facts = read("facts.json");
const modules = {};
for (const name of names) modules[name] = await import(`./${name}`);
const script = new Function("modules", "facts", "given", readFileSync("script.js", "utf8"));
process.stdout.write(JSON.stringify(await script(modules, facts, values)));
"""


def page_runner(folder):
    """Return a function that runs JavaScript with some `modules`, the page's `facts` and values.

    The script reads the values as `given` and returns its answer.
    """
    shutil.copytree(PAGE, folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (folder / "program.js").write_text(PROGRAM, encoding="utf-8")
    (folder / "facts.json").write_text(json.dumps(page_facts()), encoding="utf-8")

    def run(names, script, *values):
        asked = json.dumps({"names": names, "values": values})
        (folder / "asked.json").write_text(asked, encoding="utf-8")
        (folder / "script.js").write_text(script, encoding="utf-8")
        done = subprocess.run(
            [NODE, "program.js"], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
