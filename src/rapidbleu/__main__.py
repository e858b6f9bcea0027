"""``python -m rapidbleu`` is the command line."""

import sys

from rapidbleu.cli import main

if __name__ == "__main__":
    sys.exit(main())
