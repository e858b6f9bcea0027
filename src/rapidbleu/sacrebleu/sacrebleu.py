"""rapidbleu's command line under sacrebleu's module name."""

import sys
from collections.abc import Sequence

from rapidbleu.sacrebleu import __version__


def main(argv: Sequence[str] | None = None) -> None:
    """Run the scoring command, and exit with its status unless that is 0."""
    from rapidbleu.cli import score_command

    status = score_command(sys.argv[1:] if argv is None else argv, "sacrebleu", __version__)
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
