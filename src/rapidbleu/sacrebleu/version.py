"""The version of sacrebleu that this package stands in for, which programs compare and print."""

from rapidbleu._version import __version__ as __rapidbleu_version__

__all__ = ["__rapidbleu_version__", "__version__", "version", "version_tuple"]

__version__ = version = "2.6.0"
__version_tuple__ = version_tuple = (2, 6, 0)
