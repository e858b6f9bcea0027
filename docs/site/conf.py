"""The documentation site: `python -m sphinx -W --keep-going -c docs/site docs build/site`.

Its sources are the pages of docs/ and the docstrings of the installed package. Nothing is fetched.
"""

import re
import tomllib
from pathlib import Path, PurePosixPath
from posixpath import normpath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from rapidbleu import __version__, metrics

REPO = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCE = PROJECT.get("urls", {}).get("Source")  # the repository's address, once it has one

project = "rapidbleu"
author = "The rapidbleu developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
default_role = "code"
highlight_language = "none"
pygments_dark_style = "github-dark"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # as code hosts make them

autodoc_typehints = "none"  # docstrings have the types, with shapes and units
autodoc_member_order = "bysource"
autodoc_mock_imports = ["mbrs", "torch", "torchmetrics"]  # whose classes adapters subclass
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]  # properties have entries of their own

html_theme = "furo"
html_title = f"rapidbleu {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)]*)\)")


def fit_to_the_site(app: Sphinx, page: str, text: list[str]) -> None:
    """Lead links to files outside docs/ to the repository; without its address, leave their names.

    Blocks of code lose the empty lines at their ends, which doctests need.
    """

    def link(found: re.Match[str]) -> str:
        path = normpath(str(PurePosixPath("docs", page).parent / found[2]))
        if path.startswith("docs/"):
            return found[0]
        return f"[{found[1]}]({SOURCE}/blob/main/{path})" if SOURCE else found[1]

    if app.env.doc2path(page).suffix == ".md":
        text[0] = LINK.sub(link, text[0]).replace("\n\n```\n", "\n```\n")


def list_metrics(_app: Sphinx, page: str, text: list[str]) -> None:
    """Replace a line such as METRICS OF edits by entries of that folder's metrics and scores.

    METRICS OF metrics stands for the metrics that lie in no folder.
    """

    def entries(found: re.Match[str]) -> str:
        names: dict[str, None] = {}
        for metric, (module, score) in metrics.METRICS.items():
            if found[1] == (module.partition(".")[0] if "." in module else "metrics"):
                place = score if score in metrics.OF_SACREBLEU else f"rapidbleu.scores.{score}"
                names |= {metric: None, place: None}
        return "\n".join(f".. autoclass:: {name}\n   :members:\n" for name in names)

    if page.startswith("reference/api/"):
        text[0] = re.sub(r"^METRICS OF (\w+)$", entries, text[0], flags=re.MULTILINE)


def link_whole_names_only(_app: Sphinx, tree: nodes.document) -> None:
    """Types in docstrings are English: `n` is a number, not each attribute called so."""
    for reference in tree.findall(addnodes.pending_xref):
        reference.attributes.pop("refspecific", None)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", fit_to_the_site)
    app.connect("source-read", list_metrics)
    app.connect("doctree-read", link_whole_names_only)
