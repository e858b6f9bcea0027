"""Folders in the layout of mt-metrics-eval."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rapidbleu.meta import SystemScores, read_folder

nan = np.nan
FILES = {
    "sources/en-de.txt": "One.\nTwo. \nThree.\n",
    "sources/de-en.txt": "Eins.\n",
    "documents/en-de.docs": "news\tdoc-1\nnews doc-1\nspeech doc-2\n",
    "references/en-de.refA.txt": "Eins.\nZwei.\nDrei.\n",
    "references/en-de.refB.txt": "Eins!\n\n[No translation supplied]\n",
    "references/de-en.refC.txt": "One.\n",
    "system-outputs/en-de/A.1.txt": "a\nb\nc\n",
    "system-outputs/en-de/B.txt": "d\n[No translation supplied]\nf\n",
    "system-outputs/en-de/refA.txt": "Eins.\nZwei.\nDrei.\n",
    "system-outputs/en-de/refB.txt": "Eins!\n\n[No translation supplied]\n",
    "human-scores/en-de.mqm.seg.score": (
        "refA -1\nrefA 0.0\nrefA None\nA.1\t-5\nA.1\tNone\nA.1\t-2.5\n"
        "B None\nB None\nB None\nrefB 0\nrefB 0\nrefB -1\n"
    ),
    "human-scores/en-de.mqm.sys.score": "refA -0.5\nA.1 -3.75\nB None\nrefB -0.25\n",
    "human-scores/en-de.wmt-z.v2.sys.score": "A.1 0.5\n",
    "human-scores/en-de.mqm.domain.score": "news A.1 -5\n",
    "human-scores/en-de.mqm.merged.seg.rating": "A.1\tNone\n",
    "human-scores/de-en.mqm.seg.score": "A 1\n",
    "metric-scores/en-de/BLEU-refA.seg.score": (
        "A.1 1\nA.1 2\nA.1 3\nB 4\nB 5\nB 6\nrefB 7\nrefB 8\nrefB 9\n"
    ),
    "metric-scores/en-de/BLEU-refA.sys.score": "A.1 10\nB 20\nrefB 30\n",
    "metric-scores/en-de/QE-src.sys.score": "A.1 1\nB 2\nrefA 3\nrefB 4\n",
    "metric-scores/en-de/README": "",
    "system-outputs/en-de/.B.txt.swp": "",
}

Writer = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    def writer(**changes: str | None) -> Path:
        for name, text in {**FILES, **changes}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text, encoding="utf-8")
        return tmp_path

    return writer


def test_a_folder(write: Writer) -> None:
    found = read_folder(write(), "en-de")
    assert found.systems == ("A.1", "B", "refA", "refB")
    assert found.n_segments == 3
    assert found.sources == ["One.", "Two.", "Three."]
    assert found.documents == ["doc-1", "doc-1", "doc-2"]
    assert found.domains == ["news", "news", "speech"]
    assert found.references == {
        "refA": ["Eins.", "Zwei.", "Drei."],
        "refB": ["Eins!", "", None],
    }
    assert found.outputs["B"] == ["d", None, "f"]
    assert list(found.human) == ["mqm"] and list(found.metrics) == ["BLEU-refA"]
    names = ["refA", "A.1", "B", "refB"]
    assert found.human["mqm"] == SystemScores(
        [[-1, 0, nan], [-5, nan, -2.5], [nan] * 3, [0, 0, -1]], names
    )
    assert found.metrics["BLEU-refA"] == SystemScores(
        [[1, 2, 3], [4, 5, 6], [7, 8, 9]], ["A.1", "B", "refB"]
    )
    assert np.isnan(found.human_systems["mqm"].pop("B"))
    assert found.human_systems == {
        "mqm": {"refA": -0.5, "A.1": -3.75, "refB": -0.25},
        "wmt-z.v2": {"A.1": 0.5},
    }
    assert found.metric_systems == {
        "BLEU-refA": {"A.1": 10, "B": 20, "refB": 30},
        "QE-src": {"A.1": 1, "B": 2, "refA": 3, "refB": 4},
    }
    human, metric = found.pair("mqm", "BLEU-refA")
    assert human == SystemScores([[-5, nan, -2.5], [0, 0, -1]], ["A.1", "refB"])
    assert metric == SystemScores([[1, 2, 3], [7, 8, 9]], ["A.1", "refB"])
    assert repr(found) == ("EvaluationSet('en-de', 4 systems, 3 segments, 1 human score, 1 metric)")


def test_some_metrics(write: Writer) -> None:
    found = read_folder(str(write()), "en-de", metrics=["QE-src"])
    assert found.metrics == {} and list(found.metric_systems) == ["QE-src"]
    assert read_folder(write(), "en-de", metrics=[]).metric_systems == {}
    with pytest.raises(ValueError, match=r"metrics: expected names of metrics in .* got 'chrF'"):
        read_folder(write(), "en-de", metrics=["chrF"])


def test_json_lines(write: Writer) -> None:
    def lines(field: str, *texts: str | None) -> str:
        return "".join(json.dumps({field: text, "id": 1}) + "\n" for text in texts)

    folder = write(
        **{
            "sources/en-de.txt": None,
            "sources/en-de.jsonl": lines("source", "One.\nMore.", "Two.", "Three."),
            "references/en-de.refA.txt": None,
            "references/en-de.refA.jsonl": lines("target", "x", "y", "z"),
            "system-outputs/en-de/B.txt": None,
            "system-outputs/en-de/B.jsonl": lines("hypothesis", "d", None, "f"),
        }
    )
    found = read_folder(folder, "en-de")
    assert found.sources == ["One.\nMore.", "Two.", "Three."]
    assert found.references["refA"] == ["x", "y", "z"]
    assert found.outputs["B"] == ["d", None, "f"]
    for wrong in ("{}\n", "[1]\n", "{", '{"hypothesis": 3}\n'):
        with pytest.raises(ValueError, match="line 1: expected JSON with a text 'hypothesis'"):
            read_folder(write(**{"system-outputs/en-de/B.jsonl": wrong}), "en-de")


def test_outputs_are_enough(tmp_path: Path) -> None:
    (tmp_path / "system-outputs" / "en-de").mkdir(parents=True)
    (tmp_path / "system-outputs" / "en-de" / "A.txt").write_text("a\n")
    found = read_folder(tmp_path, "en-de")
    assert found.sources is None and found.documents is None and found.references == {}
    with pytest.raises(ValueError, match="human: expected one of none; got 'mqm'"):
        found.pair("mqm", "BLEU-refA")
    with pytest.raises(ValueError, match=r"de-en: expected outputs of systems; got none"):
        read_folder(tmp_path, "de-en")
    with pytest.raises(TypeError, match="language_pair: expected str; got int"):
        read_folder(tmp_path, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("sources/en-de.txt", "One.\n", "en-de.txt: expected 3 segments; got 1"),
        ("references/en-de.refB.txt", "One.\n", "en-de.refB.txt: expected 3 segments; got 1"),
        ("system-outputs/en-de/B.txt", "One.\n", "B.txt: expected 3 segments; got 1"),
        ("documents/en-de.docs", "news d\n", "en-de.docs: expected 3 segments; got 1"),
        ("documents/en-de.docs", "news\n", "en-de.docs, line 1: expected a domain and a document"),
        ("human-scores/en-de.x.seg.score", "A.1 1\n", "expected 3 scores of system 'A.1'; got 1"),
        ("human-scores/en-de.x.sys.score", "A.1 1\nA.1 2\n", "expected 1 score of system 'A.1'"),
        ("human-scores/en-de.x.sys.score", "C 1\n", "line 1: expected a system that has outputs"),
        ("human-scores/en-de.x.sys.score", "A.1\n", "line 1: expected a system and a score"),
        ("human-scores/en-de.x.sys.score", "B x\n", "line 1: expected a number; got 'x'"),
        ("metric-scores/en-de/M-src.seg.score", "", "score: expected at least one score; got none"),
    ],
)
def test_bad_folders(write: Writer, name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_folder(write(**{name: text}), "en-de")


def test_nothing_in_common(write: Writer) -> None:
    lines = "".join(f"refA {i}\n" for i in range(3))
    found = read_folder(write(**{"human-scores/en-de.x.seg.score": lines}), "en-de")
    with pytest.raises(ValueError, match="metric: expected scores of systems that 'x' has; got no"):
        found.pair("x", "BLEU-refA")
    with pytest.raises(ValueError, match="metric: expected one of 'BLEU-refA'; got 'chrF'"):
        found.pair("mqm", "chrF")
