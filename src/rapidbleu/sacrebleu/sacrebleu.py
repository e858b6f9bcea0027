"""The command line under sacrebleu's module name; it is rapidbleu's."""

import sys

from rapidbleu.signature import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: "Sequence[str] | None" = None) -> None:
    """Run the scoring command; leave the program with its status unless that is 0.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.
    """
    from rapidbleu.cli import score_command

    status = score_command(sys.argv[1:] if argv is None else argv, "sacrebleu", VERSION)
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
