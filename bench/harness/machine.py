"""The environment of a result: processor, interpreter, versions."""

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import rapidbleu
from rapidbleu._core.text.tokenize import simd_level

_PEERS = (
    "sacrebleu",
    "nltk",
    "bleuscore",
    "fast-bleu",
    "fastchrf",
    "jiwer",
    "werx",
    "universal-edit-distance",
    "rapidfuzz",
    "rouge-score",
    "rouge-rs",
    "pycocoevalcap",
    "cer",
    "torchmetrics",
    "torch",
    "numpy",
    "scipy",
)


def describe() -> dict[str, object]:
    """Return processor, level, cores, versions of Python, ours and peers, date; no host names."""
    versions = {"rapidbleu": rapidbleu.__version__}
    for name in _PEERS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "cpu": _cpu(),
        "simd": simd_level(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": versions,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def line(machine: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    level = f" ({machine['simd']})" if "simd" in machine else ""
    return (
        f"{machine['cpu']}{level}, {machine['cores']} cores, {machine['system']}, "
        f"{machine['python']}; {versions}; {machine['date']}"
    )


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for text in info.read_text().splitlines():
            if text.startswith("model name"):
                return " ".join(text.partition(":")[2].split())
    return platform.processor() or "unknown processor"
