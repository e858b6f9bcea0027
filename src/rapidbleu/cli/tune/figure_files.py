"""Files of pictures: matplotlib's figures, and the formats that it writes."""

from importlib import import_module
from typing import Any

from rapidbleu.cli.messages import CommandError
from rapidbleu.outputs import replacing

DOTS_PER_INCH = 150


def load_figure() -> Any:
    """Return matplotlib's class of figures, which needs no display."""
    try:
        return import_module("matplotlib.figure").Figure
    except ImportError:
        raise CommandError('--plot needs pip install "rapidbleu[plot]"') from None


def check_format(path: str) -> None:
    """Refuse a file that matplotlib does not know how to write."""
    known = load_figure()().canvas.get_supported_filetypes()
    if format_of(path) not in known:
        raise CommandError(f"--plot: expected a file name that ends in .png or .pdf, got {path}")


def format_of(path: str) -> str:
    """Return the format that the name of a picture says.

    Examples
    --------
    >>> format_of("weights.PNG")
    'png'
    """
    return path.rpartition(".")[2].lower()


def write_figure(figure: Any, path: str) -> None:
    """Write a picture to a file, whose ending says in which format."""
    with replacing(path) as (file,):
        figure.savefig(file, format=format_of(path), dpi=DOTS_PER_INCH)
