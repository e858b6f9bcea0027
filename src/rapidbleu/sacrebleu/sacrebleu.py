"""The command line under sacrebleu's module name; it is rapidbleu's."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def main(argv: "Sequence[str] | None" = None) -> "NoReturn":
    """Run the command line and leave the program with its status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.
    """
    from rapidbleu.cli import main as run

    sys.exit(run(argv))


if __name__ == "__main__":
    main()
