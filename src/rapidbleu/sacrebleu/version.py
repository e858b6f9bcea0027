"""The version of sacrebleu that this package stands in for, which programs compare and print."""

from rapidbleu._version import __version__ as __rapidbleu_version__

__all__ = [
    "__commit_id__",
    "__rapidbleu_version__",
    "__version__",
    "__version_tuple__",
    "commit_id",
    "version",
    "version_tuple",
]

__version__ = version = "2.6.0"
__version_tuple__ = version_tuple = (2, 6, 0)
__commit_id__ = commit_id = None
