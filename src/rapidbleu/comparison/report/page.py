"""The page: sections of tables and charts, and the texts of all segments, in one file."""

try:
    from jinja2 import Environment, PackageLoader, StrictUndefined
except ImportError as error:
    raise ImportError(
        'rapidbleu.comparison.report needs jinja2: pip install "rapidbleu[report]"'
    ) from error

from rapidbleu._version import __version__
from rapidbleu.comparison.report.charts import COLORS
from rapidbleu.comparison.report.sections import (
    bucket_section,
    ngram_section,
    precision_section,
    score_section,
    test_section,
    word_section,
)
from rapidbleu.comparison.report.texts import embedded_blocks, embedded_numbers
from rapidbleu.outputs import replacing_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jinja2 import Template

    from rapidbleu.comparison.result import Comparison
    from rapidbleu.typing import Path

TITLE = "Comparison of systems"


def html_report(found: "Comparison", title: str = TITLE) -> str:
    """Write a comparison as one HTML page.

    Parameters
    ----------
    found : Comparison
    title : str

    Returns
    -------
    str
        A page that loads nothing: styles, pictures, scripts and compressed texts are within.

    Notes
    -----
    All text of users is escaped. Tables are complete without scripts, which sort them, and show
    the texts of segments.

    Examples
    --------
    >>> from rapidbleu import compare
    >>> found = compare({"A": ["<b> and <i>"], "B": ["so"]}, [["<b> and <i>"]])
    >>> page = html_report(found, "A & B")
    >>> "<title>A &amp; B</title>" in page, "<b>" in page
    (True, False)
    """
    return _template().render(
        title=title,
        version=__version__,
        found=found,
        n_colors=COLORS,
        scores=score_section(found),
        precisions=precision_section(found),
        tests=test_section(found),
        buckets=bucket_section(found),
        words=word_section(found),
        ngrams=ngram_section(found),
        numbers=embedded_numbers(found),
        blocks=embedded_blocks(found),
    )


def write_report(found: "Comparison", path: "Path", title: str = TITLE) -> None:
    """Write the page of `html_report` to a file, which is replaced as a whole.

    Parameters
    ----------
    found : Comparison
    path : path
    title : str

    Raises
    ------
    OSError
        If it cannot be written.
    """
    page = html_report(found, title)
    with replacing_text(path) as file:
        file.write(page)


def _template() -> "Template":
    """Return the template of the page, with its styles and scripts."""
    environment = Environment(
        loader=PackageLoader("rapidbleu.comparison.report", "assets"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("page.html")
