"""The solver of smooth problems, which is SciPy's."""

from rapidbleu.loading.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def find_solver(method: str) -> "Callable[..., Any]":
    """Return what minimizes functions, for a method that is named where there is none.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    """
    try:
        minimize = load("scipy.optimize", "minimize")
    except ImportError:
        raise ImportError(f'{method} needs SciPy: pip install "rapidbleu[tuning]"') from None
    solver: Callable[..., Any] = minimize
    return solver
