"""Entry point of ``python -m rapidbleu``."""
# PYTHON_ARGCOMPLETE_OK

import sys

from rapidbleu.cli import main

if __name__ == "__main__":
    sys.exit(main())
