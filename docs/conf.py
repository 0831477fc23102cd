"""Configuration of the documentation site: ``python docs/build.py`` builds it."""

import re
import sys
from functools import partial
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
sys.path.insert(0, str(DOCS.parent))

import generate  # noqa: E402

import hyperna  # noqa: E402

generate.write_all(DOCS)

project = "hyperna"
author = "the hyperna authors"
version = release = hyperna.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
]
# The first one is what autosummary writes.
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
templates_path = ["_templates"]
exclude_patterns = ["_build", "_extra", "_templates", "**.ipynb_checkpoints"]

# Notebooks are committed with their outputs; the tests run them.
nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "gfm"  # with tables
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_validation_checks = set()
suppress_warnings = ["myst.header"]
nitpicky = False

html_theme = "pydata_sphinx_theme"
html_title = f"hyperna {hyperna.__version__}"
html_favicon = "_static/icon.svg"
html_static_path = ["_static"]
html_extra_path = ["_extra"]
html_css_files = ["site.css"]
html_js_files = [("wide.js", {"defer": "defer"}), ("play.js", {"defer": "defer"})]
html_context = {"default_mode": "auto"}
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {
        "text": "hyperna",
        "image_light": "_static/icon.svg",
        "image_dark": "_static/icon.svg",
    },
    "navbar_align": "left",
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "header_links_before_dropdown": 8,
}
copyright = "the hyperna authors, MIT licence"


def setup(app):
    """Leave out scikit-learn's methods for metadata routing, and private parameters."""

    def skip(app, what, name, thing, skipped, options):
        return True if name.startswith("set_") and name.endswith("_request") else None

    def shorten(app, what, name, thing, options, signature, annotation):
        return (re.sub(r", _\w+", "", signature) if signature else signature), annotation

    def two_pictures(app, docname, source):
        picture = re.compile(r"^!\[([^\]]*)\]\(([^)]+)\)$", re.MULTILINE)
        source[0] = picture.sub(partial(twice, (DOCS / docname).parent), source[0])

    def twice(folder, found):
        """Return a picture that has a dark one beside it as both, of which the site shows one."""
        words, light = found.groups()
        dark = re.sub(r"(\.\w+)$", r"_dark\1", light)
        if not (folder / dark).exists():
            return found[0]
        blocks = [
            f"```{{image}} {file}\n:class: {kind}\n:alt: {words}\n```"
            for file, kind in ((light, "only-light"), (dark, "only-dark"))
        ]
        return "\n\n".join(blocks)

    app.connect("source-read", two_pictures)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-signature", shorten)
