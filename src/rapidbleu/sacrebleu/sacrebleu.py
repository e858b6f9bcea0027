"""The command line under sacrebleu's module name; it is rapidbleu's."""

import sys

from rapidbleu.sacrebleu.dataset import DATASETS
from rapidbleu.sacrebleu.metrics import METRICS
from rapidbleu.sacrebleu.utils import (
    Color,
    args_to_dict,
    download_test_set,
    filter_subset,
    get_available_testsets,
    get_available_testsets_for_langpair,
    get_langpairs_for_testset,
    get_reference_files,
    print_results_table,
    print_single_results,
    print_subset_results,
    print_test_set,
    sacrelogger,
    sanity_check_lengths,
    smart_open,
)
from rapidbleu.sacrebleu.version import __version__ as VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

__all__ = [
    "DATASETS",
    "METRICS",
    "VERSION",
    "Color",
    "args_to_dict",
    "download_test_set",
    "filter_subset",
    "get_available_testsets",
    "get_available_testsets_for_langpair",
    "get_langpairs_for_testset",
    "get_reference_files",
    "main",
    "parse_args",
    "print_results_table",
    "print_single_results",
    "print_subset_results",
    "print_test_set",
    "sacrelogger",
    "sanity_check_lengths",
    "smart_open",
]

# What sacrebleu calls the values of options that we call something else.
_NAMES = {
    "language_pair": "langpair",
    "smooth_method": "bleu_smooth_method",
    "smooth_value": "bleu_smooth_value",
    "tokenize": "bleu_tokenize",
    "lowercase": "bleu_lowercase",
    "force": "bleu_force",
}
# Options that it does not have.
_OWN = {
    "all_pairs", "by", "given", "max_ngram_order", "mean", "names", "scores", "shard", "stats",
    "threads",
}  # fmt: skip


# Options whose defaults depend on other options in rapidbleu.
_DEFAULTS = {"paired_ar_n": 10000, "paired_bs_n": 1000, "paired_jobs": 1, "width": 1}


def parse_args() -> "Namespace":
    """Parse the arguments of the process.

    Returns
    -------
    Namespace
        The values of sacrebleu's options, by sacrebleu's names.
    """
    from argparse import Namespace

    from rapidbleu.cli.metrics import FAMILY
    from rapidbleu.cli.score.options import format_of_environment, make_parser

    found = vars(make_parser("sacrebleu", VERSION).parse_args())
    names = {name for name in found.keys() - _OWN if name.split("_")[0] not in FAMILY}
    args = Namespace(**{_NAMES.get(name, name): found[name] for name in names})
    args.format = format_of_environment() or args.format or "json"
    for name, value in _DEFAULTS.items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    return args


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
