"""The documentation site: `python -m sphinx -W --keep-going -c docs/site docs build/site`.

Its sources are the pages of docs/ and the docstrings of the installed package. Nothing is fetched.
"""

import importlib
import re
import tomllib
from inspect import cleandoc
from pathlib import Path, PurePosixPath
from posixpath import normpath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

from rapidbleu import __version__, metrics

REPO = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCE = PROJECT.get("urls", {}).get("Source")  # the repository's address, once it has one

project = "rapidbleu"
author = "The rapidbleu developers"
version = release = __version__

extensions = [
    "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon",
    "sphinx_copybutton",
]  # fmt: skip
default_role = "py:obj"
highlight_language = "none"
pygments_dark_style = "github-dark"

myst_enable_extensions = ["colon_fence"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "  # the button copies commands, not prompts and output
copybutton_prompt_is_regexp = True

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

WITH_BASES = ("Metric", "StatsTable", "RunningScore")  # show inherited members, too
ARRAY = re.compile(r"(\w+ )?arrays?")  # as a type
NDARRAY = "https://numpy.org/doc/stable/reference/generated/numpy.ndarray.html"
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


def list_names(_app: Sphinx, page: str, text: list[str]) -> None:
    """Replace METRICS OF a folder by entries of its metrics and scores, and NAMES OF a module.

    METRICS OF metrics stands for the metrics that lie in no folder.
    """

    def entries(found: re.Match[str]) -> str:
        names: dict[str, None] = {}
        for metric, (module, score) in metrics.METRICS.items():
            if found[1] == (module.partition(".")[0] if "." in module else "metrics"):
                place = score if score in metrics.OF_SACREBLEU else f"rapidbleu.scores.{score}"
                names |= {metric: None, place: None}
        return describe("rapidbleu", list(names))

    if page.startswith("reference/api/"):
        text[0] = re.sub(r"^METRICS OF (\w+)$", entries, text[0], flags=re.MULTILINE)
        text[0] = re.sub(
            r"^NAMES OF ([\w.]+): (.+)$",
            lambda found: describe(found[1], found[2].split()),
            text[0], flags=re.MULTILINE,
        )  # fmt: skip


def describe(module: str, names: list[str]) -> str:
    """Return a table of names and their entries, as reStructuredText."""
    table = [f".. currentmodule:: {module}", "", ".. autosummary::", ""]
    table += [f"   {name.removeprefix(f'{module}.')}" for name in names] + [""]
    for name in names:
        place = name if "." in name else f"{module}.{name}"
        owner, _, last = place.rpartition(".")
        thing = getattr(importlib.import_module(owner), last)
        if isinstance(thing, type) and issubclass(thing, Warning):
            table += [f".. autoexception:: {name}", ""]
        elif isinstance(thing, type):
            table += [f".. autoclass:: {name}", "   :members:"]
            table += ["   :inherited-members:", ""] if name in WITH_BASES else [""]
        else:
            table += [f".. autofunction:: {name}", ""]
    return "\n".join(table)


def hide_constructors(
    _app: Sphinx, kind: str, _name: str, thing: object, _options: object, *_signature: object
) -> tuple[str, None] | None:
    """Leave out the arguments of classes that only the library constructs."""
    if kind == "class" and "\nParameters\n---" not in cleandoc(thing.__doc__ or ""):
        return "", None
    return None


def resolve_short_names(
    app: Sphinx, environment: BuildEnvironment, node: addnodes.pending_xref, text: nodes.Element
) -> nodes.reference | None:
    """Link names of docstrings without their module, such as `StatsTable.save` and `mert`.

    The shortest name that ends so is meant. A name in small letters without a dot is linked only
    to a function or a method of `Metric`, because it may be a parameter. Array types lead to NumPy.
    """
    target = node["reftarget"].removesuffix("()")
    if node.get("refdomain") != "py":
        return None
    if node["reftype"] == "class" and ARRAY.fullmatch(target):
        return nodes.reference("", "", text, refuri=NDARRAY, internal=False)
    objects = environment.get_domain("py").objects
    owner, _, member = target.rpartition(".")
    inherited = f"rapidbleu.Metric.{member}"
    found = [
        name
        for name, own in objects.items()
        if name.endswith(f".{target}")
        and (owner or not target.islower() or own.objtype == "function" or name == inherited)
    ]
    if owner in (*metrics.METRICS, "metric") and inherited in objects:
        found.append(inherited)
    if not found:
        return None
    name = min(found, key=lambda name: (name.count("."), len(name)))
    own = objects[name]
    return make_refnode(app.builder, node["refdoc"], own.docname, own.node_id, text, name)


def link_whole_names_only(_app: Sphinx, tree: nodes.document) -> None:
    """Types in docstrings are English: `n` is a number, not each attribute called so."""
    for reference in tree.findall(addnodes.pending_xref):
        reference.attributes.pop("refspecific", None)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", fit_to_the_site)
    app.connect("source-read", list_names)
    app.connect("doctree-read", link_whole_names_only)
    app.connect("missing-reference", resolve_short_names)
    app.connect("autodoc-process-signature", hide_constructors)
