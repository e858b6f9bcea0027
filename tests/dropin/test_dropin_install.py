"""install(), its commands, and patch(), each in processes of their own."""

import importlib
import importlib.util
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rapidbleu
from rapidbleu import switch
from rapidbleu.sacrebleu import install, uninstall
from support.dropin import METRICS, OPTIONS, corpus, make, ours, peer, plain
from support.places import PYTHONPATH, TESTS

PROGRAM = TESTS / "support" / "programs" / "sacrebleu_program.py"


def run(*command: str | Path, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, *map(str, command)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([PYTHONPATH, *sys.path[1:]]),
            "PYTHONIOENCODING": "utf-8",
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def expected() -> str:
    return run(PROGRAM)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("-m", "rapidbleu.sacrebleu", PROGRAM),
        ("-m", "rapidbleu.sacrebleu", "-m", "support.programs.sacrebleu_program"),
        (
            "-c",
            "import rapidbleu.sacrebleu as s; s.install();"
            "import support.programs.sacrebleu_program as p; p.main()",
        ),
        (
            "-c",
            "import support.programs.sacrebleu_program as p, rapidbleu;"
            "rapidbleu.patch('sacrebleu'); p.main()",
        ),
    ],
    ids=["script", "module", "install", "patch"],
)
def test_program(command: Any, expected: str) -> None:
    assert run(*command).replace("sacrebleu_program.", "__main__.") == expected


def test_program_runs_ours() -> None:
    seen = run("-m", "rapidbleu.sacrebleu", "-m", "inspect", "sacrebleu.metrics.bleu")
    assert "rapidbleu" in seen


def test_script_sees_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, helper, sacrebleu\nprint(sys.argv[1:], __name__, sacrebleu.__name__)\n"
    )
    (tmp_path / "helper.py").write_text("")
    out = run("-m", "rapidbleu.sacrebleu", script, "-m", "bleu", "x")
    assert out.split("\n")[0] == "['-m', 'bleu', 'x'] __main__ rapidbleu.sacrebleu"


@pytest.mark.slow
def test_scoring_command(tmp_path: Path) -> None:
    ref, hyp = tmp_path / "ref", tmp_path / "tune"
    ref.write_text("The cat sat on the mat.\n")
    hyp.write_text("The cat sat on a mat.\n")
    for words in (("rapidbleu.sacrebleu", ref), ("rapidbleu.sacrebleu.sacrebleu", ref)):
        assert run("-m", *words, "-i", hyp, "-b").strip() == "48.9"
    expected = run("-m", "sacrebleu", "-m", "chrf", "ter", "-i", hyp, "-f", "text", "--", ref)
    own = run("-m", "rapidbleu.sacrebleu", "-m", "chrf", "ter", "-i", hyp, "-f", "text", "--", ref)
    assert plain(own) == expected


def test_main(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main = importlib.import_module("rapidbleu.sacrebleu.sacrebleu").main
    monkeypatch.chdir(tmp_path)
    Path("tune").write_text("The cat sat on the mat.\n")
    monkeypatch.setattr(sys, "argv", ["sacrebleu", "tune", "-i", "tune", "-b"])
    main()
    assert capsys.readouterr().out == "100.0\n"
    for words, status in ((["tune", "-i", "nothing"], 1), (["tune", "-x"], 2)):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == status
        message = capsys.readouterr().err
        assert message.startswith("rapidbleu: ") and message.count("\n") == 1
    with pytest.raises(SystemExit):
        main(["-V"])
    assert capsys.readouterr().out == "sacrebleu 2.6.0\n"


def test_install() -> None:
    saved = {name: module for name, module in sys.modules.items() if name.startswith("sacrebleu")}
    try:
        with pytest.raises(RuntimeError, match="install\\(replace=True\\)"):
            install()
        install(replace=True)
        install()  # already installed
        alias = importlib.import_module("sacrebleu")
        assert alias is ours
        for name in (
            "compat",
            "dataset",
            "dataset.base",
            "metrics",
            "metrics.base",
            "metrics.bleu",
            "metrics.lib_ter",
            "significance",
            "tokenizers.tokenizer_zh",
            "utils",
            "version",
        ):
            module = importlib.import_module(f"sacrebleu.{name}")
            assert module is importlib.import_module(f"rapidbleu.sacrebleu.{name}")
            assert module.__name__ == module.__spec__.name == f"rapidbleu.sacrebleu.{name}"
        assert importlib.util.find_spec("sacrebleu.nothing") is None
        with pytest.raises(ImportError):
            importlib.import_module("sacrebleu.nothing")
        from sacrebleu.metrics import BLEU

        assert BLEU is ours.BLEU
        theirs = pickle.dumps(ours.BLEU())
        assert b"rapidbleu.sacrebleu.metrics.bleu" in theirs
    finally:
        uninstall()
    uninstall()
    assert {n: m for n, m in sys.modules.items() if n.startswith("sacrebleu")} == saved
    assert importlib.import_module("sacrebleu") is peer


def test_pickles_of_sacrebleu_are_read() -> None:
    hyps, refs = corpus("mixed", n=10)
    metrics = [make(peer, name, **options) for name, options in OPTIONS]
    scores = [metric.corpus_score(hyps, refs) for metric in metrics]
    stored = pickle.dumps([metrics, scores])
    install(replace=True)
    try:
        own_metrics, own_scores = pickle.loads(stored)
    finally:
        uninstall()
    for metric, score, expected in zip(own_metrics, own_scores, scores, strict=True):
        assert isinstance(metric, ours.metrics.base.Metric)
        assert plain(score) == plain(expected) == plain(metric.corpus_score(hyps, refs))


def test_test_sets_are_the_peers() -> None:
    """Also after install(), and without loading any before the first use."""
    out = run(
        "-c",
        """if True:
        import sys
        import rapidbleu.sacrebleu as s
        from rapidbleu.sacrebleu import *
        assert not any(name.endswith("_installed") for name in sys.modules)
        print(len(s.get_available_testsets()), s.get_langpairs_for_testset("wmt17")[0])
        DATASETS["own"] = s.DATASETS["wmt17"]
        assert "own" in s.get_available_testsets()
        del DATASETS["own"]
        print(len(s.DATASETS), "wmt17" in DATASETS, DATASETS["wmt17"].name, len(s.dataset.SUBSETS))
        s.install()
        import sacrebleu
        from sacrebleu.dataset.base import Dataset
        assert isinstance(DATASETS["wmt17"], Dataset)
        assert sacrebleu.utils.get_available_testsets_for_langpair("en-de")
        print(sacrebleu.dataset.base.Dataset.__module__, s.dataset.wmt_xml.WMTXMLDataset.__name__)
        print(sacrebleu.__name__)
    """,
    )
    _, table, classes, name, _ = out.split("\n")
    assert table == f"{len(peer.DATASETS)} True wmt17 {len(peer.dataset.SUBSETS)}"
    assert classes.endswith("dataset.base WMTXMLDataset") and name == "rapidbleu.sacrebleu"


def test_without_sacrebleu() -> None:
    """Scores, statistics and tests need no sacrebleu; other calls explain how to install it."""
    out = run(
        "-c",
        """if True:
        import sys
        from importlib.machinery import PathFinder
        find = PathFinder.find_spec
        PathFinder.find_spec = staticmethod(
            lambda name, *rest: None if name == "sacrebleu" else find(name, *rest))
        import rapidbleu.sacrebleu as s
        from rapidbleu.sacrebleu import *
        from rapidbleu.sacrebleu.significance import PairedTest
        hyps, refs = ["a b c d", "x"], [["a b c d", "y"], ["a b", "x z"], ["a", "x"]]
        print(corpus_bleu(hyps[:1], [refs[0][:1]]).score)
        for kind in (s.BLEU, s.CHRF, s.TER):
            metric = kind(references=refs)
            rows = metric._extract_corpus_statistics(hyps, None)
            metric._compute_score_from_stats([sum(column) for column in zip(*rows)])
            assert str(metric.corpus_score(hyps, refs)) == str(metric._aggregate_and_compute(rows))
            PairedTest([("a", hyps), ("b", hyps[::-1])], {"x": metric}, refs, "ar", 50)()
            kind(references=[[], []])
        class Own(s.BLEU):
            def _preprocess_segment(self, sent):
                return sent.upper()
        for call in (lambda: s.get_source_file("wmt17", "en-de"), lambda: DATASETS["wmt17"],
                     lambda: Own().corpus_score(hyps, refs),
                     lambda: list(s.BLEU()._cache_references(refs)),
                     lambda: s.metrics.lib_ter.BeamEditDistance):
            try:
                call()
            except ImportError as error:
                print(error)
        s.install()
        import sacrebleu
        print(sacrebleu.__name__)
    """,
    )
    number, source, table, subclass, cache, beam, name, _ = out.split("\n")
    assert number == "100.00000000000004" and name == "rapidbleu.sacrebleu"
    for line in (source, table, beam):
        assert line.endswith("pip install sacrebleu")
    for line in (subclass, cache):
        assert line.endswith("rapidbleu.patch(), which makes its classes fast")
    assert "only sacrebleu has this method" in subclass


def test_patch_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    hyps, refs = corpus("mixed")
    from_before = peer.corpus_bleu
    classes = [getattr(peer, name) for name in METRICS]
    before = [dict(vars(cls)) for cls in classes]
    undo = rapidbleu.patch("sacrebleu")
    again = rapidbleu.patch("sacrebleu")
    again()
    for cls in classes:
        monkeypatch.setattr(cls, "_compute_segment_statistics", None)
    with pytest.raises(TypeError):  # a replaced method is called
        from_before(hyps, refs)
    monkeypatch.undo()
    extract = switch._groups["sacrebleu.metrics.base"].functions[
        "Metric._extract_corpus_statistics"
    ]
    n_served = extract.n_served
    assert from_before(hyps, refs).score == ours.corpus_bleu(hyps, refs).score
    assert extract.n_served == n_served + 1
    undo()
    assert [dict(vars(cls)) for cls in classes] == before
    assert from_before(hyps, refs).score == ours.corpus_bleu(hyps, refs).score
    assert extract.n_served == n_served + 1


def test_patch_refuses_other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in switch.modules_of(["sacrebleu"]):
        monkeypatch.setattr(switch.MODULES[name], "known", ())
    with pytest.raises(RuntimeError, match=r"^sacrebleu: expected a version whose code is known; "):
        rapidbleu.patch("sacrebleu")
    code = peer.BLEU._extract_corpus_statistics.__code__
    monkeypatch.setattr(switch, "_groups", {})
    with rapidbleu.patch():
        assert peer.sentence_bleu("a b c d", ["a b c d"]).score == 100.00000000000004
        assert peer.BLEU._extract_corpus_statistics.__code__ is code, "the first call restores it"


def test_patch_after_install() -> None:
    install(replace=True)
    try:
        with rapidbleu.patch("sacrebleu"):
            assert "_extract_corpus_statistics" not in vars(peer.BLEU)
    finally:
        uninstall()


@pytest.mark.slow
def test_patch_serves_the_command_line(tmp_path: Path) -> None:
    hyps, refs = corpus("ascii")
    for name, lines in (("hyp", hyps), ("ref", refs[0])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8", None, "\n")
    words = [str(tmp_path / "ref"), "-i", str(tmp_path / "hyp"), "-m", "bleu", "chrf", "ter", "-ci"]
    program = (
        "import sys, rapidbleu; {} from sacrebleu.sacrebleu import main; "
        f"sys.argv[1:] = {words!r}; main()"
    )
    texts = [run("-c", program.format(patch)) for patch in ("", "rapidbleu.patch('sacrebleu');")]
    assert texts[0] == texts[1] and '"BLEU"' in texts[0]


HEAVY = (
    "numpy",
    "argparse",
    "json",
    "statistics",
    "tabulate",
    "lxml",
    "regex",
    "gzip",
    "importlib.metadata",
)


def test_import_is_light() -> None:
    out = run("-c", "import sys, rapidbleu.sacrebleu; print(*sys.modules)")
    assert not set(out.split()) & set(HEAVY)
    assert not re.search(r"(^|\s)sacrebleu\s", out)


PROGRAMS = {
    "compare_mt.scorers": """
from compare_mt.scorers import SacreBleuScorer
import sacrebleu
refs, hyps, others = ([text.split() for text in texts] for texts in (refs[0], hyps, refs[1]))
scorer = SacreBleuScorer()
print(repr(scorer.score_corpus(refs, hyps)))
cached = scorer.cache_stats(refs, others)
print(cached, scorer.score_cached_corpus(range(len(others)), cached))
""",
    "lm_eval.api.metrics": """
from lm_eval.api.metrics import bleu, chrf, sacrebleu, ter
items = list(zip(map(list, zip(*refs)), hyps))
for metric in (bleu, chrf, ter):
    print(repr(metric(items)), repr(metric([(several[0], hyp) for several, hyp in items])))
""",
}


@pytest.mark.parametrize("module", PROGRAMS)
def test_programs_of_others(module: str, tmp_path: Path) -> None:
    pytest.importorskip(module)
    hyps, refs = corpus("ascii", n=12)
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys\nhyps, refs = {hyps!r}, {refs!r}\n{PROGRAMS[module]}"
        "print(sacrebleu.__name__, file=sys.stderr)\n",
        encoding="utf-8",
    )
    theirs, own = run(script), run("-m", "rapidbleu.sacrebleu", script)
    assert theirs.replace("\nsacrebleu\n", "\nrapidbleu.sacrebleu\n") == own
    assert theirs != own
