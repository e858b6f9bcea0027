"""The solver of smooth problems, which is SciPy's."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def find_solver(method: str) -> "Callable[..., Any]":
    """Return what minimizes functions, for a method that is named where there is none.

    SciPy's L-BFGS multiplies matrices of ten columns. BLAS wakes a thread for each core to help
    with them, which takes as much time again, and a hundred times as much where other programs have
    these cores: so it gets one thread meanwhile, if threadpoolctl is there to tell it.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    """
    try:
        from scipy.optimize import minimize
    except ImportError:
        raise ImportError(f'{method} needs SciPy: pip install "rapidbleu[tuning]"') from None
    solver: Callable[..., Any] = minimize
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return solver
    libraries = ThreadpoolController()

    def solve(*args: "Any", **options: "Any") -> "Any":
        with libraries.limit(limits=1, user_api="blas"):
            return solver(*args, **options)

    return solve
