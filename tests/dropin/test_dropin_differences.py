"""The numbered differences of docs/reference/differences.md, and equal errors."""

import json
import math
import pickle
import re
from collections import UserList
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import __version__
from support.command_line import (
    CRASH,
    HYP,
    REF_A,
    REF_B,
    Write,
    as_peer,
    call_ours,
    call_peer,
    failure,
    run_module,
)
from support.dropin import METRICS, PACKAGES, corpus, make, ours, peer, plain, same
from support.places import REPO

DOCS = REPO / "docs" / "reference" / "differences.md"
HYPS, REFS = corpus("ascii", n=8)


def error_of(call: Any, package: Any) -> BaseException:
    with pytest.raises(BaseException) as caught:
        call(package)
    return caught.value


# Equal errors: an instance of the same type, with the same message where sacrebleu has one.
WRONG: list[tuple[str, Any]] = [
    ("hyps generator", lambda m: m.corpus_score((h for h in "ab"), [["a"]])),
    ("hyps array", lambda m: m.corpus_score(np.array(["a"]), [["a"]])),
    ("hyps None", lambda m: m.corpus_score(None, [["a"]])),
    ("hyps of ints", lambda m: m.corpus_score([1], [["a"]])),
    ("hyps with None", lambda m: m.corpus_score(["a", None], [["a", "b"]])),
    ("hyps first None", lambda m: m.corpus_score([None, "a"], [["a", "b"]])),
    ("refs int", lambda m: m.corpus_score(["a"], 1)),
    ("refs of ints", lambda m: m.corpus_score(["a"], [1])),
    ("refs of lists", lambda m: m.corpus_score(["a"], [[["a"]]])),
    ("refs generator", lambda m: m.corpus_score(["a"], (r for r in [["a"]]))),
    ("both wrong", lambda m: m.corpus_score([1], 1)),
    ("no cache", lambda m: m.corpus_score(["a"], None)),
    ("no cache, statistics", lambda m: m._extract_corpus_statistics(["a"], None)),
    ("sentence hyp int", lambda m: m.sentence_score(1, ["a"])),
    ("sentence hyp None", lambda m: m.sentence_score(None, ["a"])),
    ("sentence refs str", lambda m: m.sentence_score("a", "b")),
    ("sentence refs None", lambda m: m.sentence_score("a", None)),
    ("sentence refs ints", lambda m: m.sentence_score("a", [1])),
    ("sentence refs set", lambda m: m.sentence_score("a", {"a"})),
]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(("what", "call"), WRONG, ids=[what for what, _ in WRONG])
def test_errors(what: str, call: Any, name: str) -> None:
    theirs, own = (
        error_of(lambda package: call(make(package, name)), package)
        for package in PACKAGES.values()
    )
    assert type(own) is type(theirs) and str(own) == str(theirs)


STUMBLES: list[tuple[str, Any]] = [
    ("hyps empty", lambda m: m.corpus_score([], [["a"]])),
    ("hyps empty str", lambda m: m.corpus_score("", [["a"]])),
    ("refs empty", lambda m: m.corpus_score(["a"], [])),
    ("stream empty", lambda m: m.corpus_score(["a"], [[]])),
    ("sentence no refs", lambda m: m.sentence_score("a", [])),
    ("later hyp int", lambda m: m.corpus_score(["a", 1], [["a", "b"]])),
    ("later hyp list", lambda m: m.corpus_score(["a", ["b"]], [["a", "b"]])),
    ("later ref int", lambda m: m.corpus_score(["a", "b"], [["a", 1]])),
    ("later ref list", lambda m: m.corpus_score(["a", "b"], [[None, ["b"]], ["a", "b"]])),
    ("sentence later ref", lambda m: m.sentence_score("a", ["a", 1])),
    ("tokens", lambda m: m._extract_corpus_statistics([["a"]], [[["a"]]])),
    ("no reference", lambda m: m.corpus_score(["a", "b"], [["a", None], ["b", None]])),
    ("sentence no reference", lambda m: m.sentence_score("a", [None])),
]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(("what", "call"), STUMBLES, ids=[what for what, _ in STUMBLES])
def test_stumbles(what: str, call: Any, name: str) -> None:
    theirs, own = (
        error_of(lambda package: call(make(package, name)), package)
        for package in PACKAGES.values()
    )
    assert isinstance(own, type(theirs))
    assert isinstance(own, (ValueError, TypeError)) and str(own)


def test_options() -> None:
    for package in PACKAGES.values():
        with pytest.raises(KeyError, match=r"^'foo'$"):
            package.BLEU(tokenize="foo")
        with pytest.raises(AssertionError, match=r"^Unknown smooth_method"):
            package.BLEU(smooth_method="foo")
        with pytest.raises(AssertionError, match=r"^Unknown smooth_method"):
            package.BLEU.compute_bleu([1], [1], 1, 1, "foo")


@pytest.mark.parametrize(
    "form", [tuple, UserList, "".join], ids=["tuple", "UserList", "str of characters"]
)
def test_forms_of_input(form: Any) -> None:
    hyps, refs = form("abcab"), [form("abbab"), form("accab")]
    same(lambda package: [make(package, name).corpus_score(hyps, refs) for name in METRICS])


def test_statistics_take_what_can_be_looped_over() -> None:
    refs = [np.array(stream) for stream in REFS]
    same(
        lambda package: [
            make(package, name)._extract_corpus_statistics((hyp for hyp in HYPS), refs)
            for name in METRICS
        ]
    )


def test_strings_of_a_subclass() -> None:
    class Text(str):
        pass

    hyps, refs = [Text(hyp) for hyp in HYPS], [[np.str_(ref) for ref in REFS[0]]]
    same(lambda package: [make(package, name).corpus_score(hyps, refs) for name in METRICS])


def test_each_difference_has_a_test() -> None:
    numbers = {int(n) for n in re.findall(r"^(\d+)\. ", DOCS.read_text(encoding="utf-8"), re.M)}
    tests = {int(name[16:18]) for name in globals() if name.startswith("test_difference_")}
    assert numbers == tests and numbers == set(range(1, len(numbers) + 1))


def test_the_table_names_each_difference() -> None:
    """The rows are `import rapidbleu`, the stand-in, the command line; patches have none."""
    rows = re.findall(r"^\|.*\| ([\d, ]+) \|$", DOCS.read_text(encoding="utf-8"), re.M)
    library, stand_in, command_line = ({int(n) for n in row.split(",")} for row in rows)
    assert library == {1, 2, 3, 6, 7, *range(19, 25), 28, 31}
    assert stand_in == {*range(1, 12)}
    assert command_line == {1, 2, 3, 6, 7, *range(12, 19), 25, 26, 27, 29, 30, 31}


@pytest.mark.parametrize("name", METRICS)
def test_difference_01_lengths(name: str) -> None:
    for hyps, refs in (
        (HYPS[:-1], REFS),
        (HYPS, [REFS[0], REFS[1][:-1]]),
        (HYPS, [REFS[0][:-1], REFS[1]]),
        (HYPS, [[hyp] for hyp in HYPS]),
    ):
        make(peer, name).corpus_score(hyps, refs)
        with pytest.raises(ValueError, match=r"should have \d+ segments"):
            make(ours, name).corpus_score(hyps, refs)
        with pytest.raises(ValueError, match=r"should have \d+ segments|expected \d+ segments"):
            make(ours, name)._extract_corpus_statistics(hyps, refs)
    make(peer, name, references=REFS).corpus_score(HYPS[:3], None)
    metric = make(ours, name, references=REFS)
    with pytest.raises(ValueError, match=r"should have \d+ segments"):
        metric.corpus_score(HYPS[:3], None)
    list(metric._ref_cache)
    with pytest.raises(ValueError, match=r"should have \d+ segments"):
        metric.corpus_score(HYPS[:3], None)
    with pytest.raises(ValueError, match=r"segments"):
        make(ours, name)._cache_references([["a"], ["b", "c"]])


def test_difference_02_no_reference() -> None:
    assert peer.BLEU().corpus_score(["", "a"], [[None, "a"]]).ref_len == 0
    with pytest.raises(ValueError, match="reference"):
        ours.BLEU().corpus_score(["", "a"], [[None, "a"]])


def test_difference_03_version() -> None:
    signature = ours.BLEU(references=[["a"]]).get_signature()
    assert str(signature).endswith(f"version:2.6.0+rapidbleu.{__version__}")
    assert str(peer.BLEU(references=[["a"]]).get_signature()).endswith("version:2.6.0")
    assert ours.__rapidbleu_version__ == __version__


def test_difference_04_add_k_leaves_its_arguments_alone() -> None:
    for package, expected in ((peer, [3, 2.5, 0.5, 0.5]), (ours, [3, 2, 0, 0])):
        correct, total = [3, 2, 0, 0], [5, 4, 3, 2]
        package.BLEU.compute_bleu(correct, total, 5, 5, "add-k", 0.5)
        assert correct == expected
    exact = ours.BLEU.compute_bleu([3, 2, 0, 0], [5, 4, 3, 2], 5, 5, "add-k", 0.5)
    arrays = ours.BLEU.compute_bleu(
        np.array([3, 2, 0, 0]), np.array([5, 4, 3, 2]), 5, 5, "add-k", 0.5
    )
    assert plain(arrays) == plain(exact)


def test_difference_05_tokenizers_remember_nothing() -> None:
    tokenizer = type(ours.BLEU().tokenizer)()
    tokenizer("a text")
    assert tokenizer.__call__.cache_info().currsize == 0


def test_difference_06_sums_of_resamples_are_exact() -> None:
    rows = [[2**25 + 1, 2**25, *[2**24 + 1] * 4, *[2**25 + 1] * 4]]
    from rapidbleu.sacrebleu.significance import bootstrap_resample

    bleu = ours.BLEU()
    exact = bleu._compute_score_from_stats(rows[0]).score
    assert {score.score for score in bootstrap_resample(rows, bleu, 3)[1]} == {exact}


def test_difference_06_resamples_without_a_match(write: Write) -> None:
    args = [write("ref", b"ab\nc\n"), "-i", write("hyp", b"ab\nd\n"), "-ci", "-m", "chrf"]
    broken = np.lib.NumpyVersion(np.__version__) >= "2.0.0"
    assert call_peer(*args).status == (CRASH if broken else 0)
    assert json.loads(call_ours(*args).out)["confidence"] == "μ = 66.6 ± 50.0"


def test_difference_06_trials_that_tie(write: Write) -> None:
    """Systems with equal edit counts differ in no trial, so p is minimal."""
    lengths = {"x": (3, 4, 3), "y": (3, 1, 5), "r": (5, 2, 5), "s": (2, 3, 5), "t": (5, 3, 4)}
    x, y, *refs = (
        write(name, b"".join(b"a " * n + b"\n" for n in own)) for name, own in lengths.items()
    )
    args = [*refs, "-i", x, y, "-m", "ter", "-par", "-parn", "40"]
    theirs, own = (
        json.loads(call(*args).out)[1]["TER"]["p_value"] for call in (call_peer, call_ours)
    )
    assert own == 1 / 41 < theirs


def test_difference_07_seed_0_is_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    from rapidbleu.sacrebleu.significance import PairedTest

    monkeypatch.setenv("SACREBLEU_SEED", "0")
    systems = [("a", HYPS), ("b", REFS[1])]

    def run() -> Any:
        return plain(PairedTest(systems, {"BLEU": ours.BLEU()}, [REFS[0]], "bs", 200)()[1])

    assert run() == run()


def test_difference_08_two_configurations_of_one_metric() -> None:
    from rapidbleu.sacrebleu.significance import PairedTest

    metrics = {"BLEU": ours.BLEU(), "lower": ours.BLEU(lowercase=True)}
    signatures, scores = PairedTest([("a", HYPS), ("b", REFS[1])], metrics, REFS, "bs", 50)()
    assert list(scores) == ["System", "BLEU", "BLEU (lower)"]
    assert list(signatures) == ["BLEU", "BLEU (lower)"]


def test_difference_09_systems_of_different_lengths() -> None:
    from rapidbleu.sacrebleu.significance import PairedTest

    test = PairedTest([("a", HYPS), ("b", HYPS[:3])], {"BLEU": ours.BLEU()}, REFS, "bs", 50)
    with pytest.raises(ValueError, match="segments"):
        test()


def test_difference_10_cached_references_are_a_sequence() -> None:
    cache = ours.BLEU(references=REFS)._ref_cache
    assert not isinstance(cache, list)
    assert list(cache) == peer.BLEU(references=REFS)._ref_cache
    assert list(pickle.loads(pickle.dumps(cache))) == list(cache)


def test_difference_11_messages_say_what_they_mean() -> None:
    with pytest.raises(AssertionError, match=r"\{self.smooth_method!r\}"):
        peer.BLEU(smooth_method="foo")
    with pytest.raises(AssertionError, match="'foo'"):
        ours.BLEU(smooth_method="foo")


def test_difference_12_segments_as_json() -> None:
    args = [REF_A, "-i", HYP, "-sl", "-f", "json", "-m", "bleu"]
    assert call_peer(*args).out.startswith("BLEU|")
    names = [entry["name"] for entry in json.loads(call_ours(*args, "ter").out)]
    assert names[:4] == ["BLEU", "TER"] * 2
    assert call_peer(*args, "ter").status == 1
    several = [REF_A, "-i", HYP, REF_B, "-sl"]
    header = call_ours(*several).out.splitlines()[0]
    assert header.split() == ["Segment", "hyp.en", "BLEU", "ref.en.b", "BLEU"]
    assert call_peer(*several).status == 1


def test_difference_13_json() -> None:
    args = [REF_A, "-i", HYP, REF_B]
    first, theirs = (json.loads(call(*args).out)[0] for call in (call_ours, call_peer))
    assert theirs == {"system": HYP, "BLEU": "57.6"}
    assert (first["system"], first["name"], first["score"]) == (HYP, "BLEU", 57.6)
    assert first["signature"].startswith("nrefs:1|case:mixed|")
    tested = json.loads(call_ours(*args, "-pbs", "-m", "chrf").out)[1]
    assert list(tested["chrF2"]) == ["score", "p_value", "mean", "ci", "signature"]
    assert json.loads(call_ours(*args, "-ci").out)[1]["confidence"].startswith("μ = ")
    assert call_peer(*args, "-ci").status == 1
    broken = np.lib.NumpyVersion(np.__version__) >= "2.0.0"
    assert call_peer(*args, "-pbs", "-m", "chrf").status == (CRASH if broken else 0)


def test_difference_14_standard_input(write: Write) -> None:
    ref = write("ref", b"a b c d\ne f g h\n")
    columns = b"a b\tc d\ne f\tg h\n"
    assert [entry["system"] for entry in json.loads(call_peer(ref, stdin=columns).out)] == [
        "System 1",
        "System 2",
    ]
    assert call_ours(ref, "-b", stdin=columns).out == "100.0\n"
    assert call_peer(ref, "-pbs", stdin=columns).status == 0
    assert "-i/--input" in call_ours(ref, "-pbs", stdin=columns).err
    carriage = b"a b\rc d\ne f g h\n"
    assert call_peer(ref, "-b", stdin=carriage).status == 1
    assert call_ours(ref, "-b", stdin=carriage).out == "100.0\n"


def test_difference_15_tables(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("1.25", "2.25"):
        write(name, b"a b c d\n")
    monkeypatch.chdir(tmp_path)
    args = ["1.25", "-i", "1.25", "2.25", "-f", "text"]
    assert "│     2.25 │" in call_ours(*args).out
    assert " 2.25 " not in call_peer(*args).out
    assert " - Each system is compared to Baseline: 1.25. p " in call_ours(*args, "-pbs").out
    assert "pairwise" in call_peer(*args, "-pbs").out


def test_difference_15_identical_outputs(write: Write) -> None:
    with open(HYP, "rb") as file:
        twin = write("twin", file.read())
    args = [REF_A, "-i", HYP, twin, "-par", "-parn", "9"]
    theirs, own = (json.loads(call(*args).out)[1]["BLEU"] for call in (call_peer, call_ours))
    assert own["p_value"] == theirs["p_value"] == 0.1
    assert own["identical"] == "outputs" and "identical" not in theirs
    args += ["-parn", "99", "-f", "text"]
    assert "(p = 0.0100)*" in call_peer(*args).out
    text = call_ours(*args).out
    assert "(p = 0.0100) " in text and " identical outputs " in text


def test_difference_16_test_sets() -> None:
    """Cases that need files are in test_cli_testsets.py."""
    assert call_peer("-t", "wmt17", "--citation").status == CRASH
    assert call_ours("-t", "wmt17", "--citation").out.startswith("@InProceedings{")
    assert call_peer("-t", "wmt17,wmt18", "--list").out == ""
    assert call_ours("-t", "wmt17,wmt18", "--list").out.count("de-en: ") == 2


def test_difference_17_values() -> None:
    args = [REF_A, "-i", HYP]
    for options in ("-nr 0", "-w -1", "-ci -cin 1", "-ci -cin 0", "-l german"):
        assert call_peer(*args, *options.split()).status in (0, 17, CRASH)
        assert call_ours(*args, *options.split()).status == 2
    for options in ("-w 1075", "-parn 10000001"):
        assert call_peer(*args, *options.split()).status == 0
        assert call_ours(*args, *options.split()).status == 2
    assert call_peer(*args, "-w", "1074").out == as_peer(call_ours(*args, "-w", "1074").out)
    single = call_peer(*args, "-ci", "-cin", "1", "-f", "text").out
    assert " = 57.6 86.5/" in single


@pytest.mark.slow
def test_difference_18_messages() -> None:
    several = [REF_A, "-i", HYP, REF_B, "-pbs", "-pbsn", "10"]
    theirs, own = (run_module(module, *several) for module in ("sacrebleu", "rapidbleu.sacrebleu"))
    assert theirs.status == own.status == 0 and own.err == ""
    assert theirs.err.startswith("sacreBLEU: Found 2 systems.\nsacreBLEU: Pre-computing BLEU ")
    theirs, own = (
        run_module(module, REF_A, "--wrong") for module in ("sacrebleu", "rapidbleu.sacrebleu")
    )
    assert theirs.status == 2 and theirs.err.startswith("usage: ")
    assert "--wrong" in failure(own, 2)


def test_difference_19_options() -> None:
    for options in ({"smooth_value": float("nan")}, {"smooth_value": -1.0}, {"max_ngram_order": 0}):
        peer.BLEU(**options)
        with pytest.raises(ValueError, match=r"expected (0 to 1.79769e\+308|at least 1); got"):
            rapidbleu.BLEU(**options)


def test_difference_20_logger(caplog: pytest.LogCaptureFixture) -> None:
    for package, names in ((peer, ["sacrebleu"] * 2), (rapidbleu, ["rapidbleu"])):
        caplog.clear()
        bleu = package.BLEU()
        for _ in range(2):
            bleu.sentence_score("a b", ["a b c"])
        found = [record for record in caplog.records if "effective_order" in record.message]
        assert [record.name for record in found] == names


def test_difference_21_options_are_fixed() -> None:
    hyps, refs = ["the cat sat on a dog"], [["the cat lay in a mat"]]
    theirs, own = peer.BLEU(), rapidbleu.BLEU()
    before = theirs.corpus_score(hyps, refs).score
    theirs.smooth_method = "floor"
    assert theirs.corpus_score(hyps, refs).score != before
    with pytest.raises(AttributeError, match=r"smooth_method: the options of a metric are fixed"):
        own.smooth_method = "floor"
    assert own.corpus_score(hyps, refs).score == before


def test_difference_22_trials_that_tie() -> None:
    from rapidbleu.significance import paired_bootstrap

    twins = {"baseline": HYPS, "same": HYPS}
    for ties, p in ((True, 1.0), (False, 1 / 101)):
        result = paired_bootstrap(twins, REFS, rapidbleu.BLEU(), n_resamples=100, ties=ties)
        assert result["BLEU"]["same"].p_value == p


def test_difference_23_no_downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sentencepiece")
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"spBLEU-1K.*no model at"):
        rapidbleu.BLEU(tokenize="spBLEU-1K")
    assert not list(tmp_path.iterdir())


def test_shared_differences_are_those_of_import_rapidbleu() -> None:
    from rapidbleu.significance import bootstrap

    bleu = rapidbleu.BLEU()
    with pytest.raises(ValueError, match="segments"):
        bleu.corpus_score(HYPS[:-1], REFS)
    with pytest.raises(ValueError, match="no reference"):
        bleu.corpus_score(["", "a"], [[None, "a"]])
    with pytest.raises(ValueError, match="at least one segment"):
        bleu.corpus_score([], [[]])
    with pytest.raises(TypeError, match=r"hypotheses\[1\]"):
        bleu.corpus_score(["a", 1], [["a", "b"]])
    bleu.corpus_score(HYPS, REFS)
    assert str(bleu.get_signature()).endswith(f"version:2.6.0+rapidbleu.{__version__}")
    exact = [[2**25 + 1, 2**25, *[2**24 + 1] * 4, *[2**25 + 1] * 4]] * 2
    assert bootstrap(np.array(exact), None, bleu, n_resamples=3).mean == bleu.score(exact[0]).score
    first, again = (bootstrap(HYPS, REFS, bleu, n_resamples=9, seed=0).mean for _ in range(2))
    assert first == again


def test_difference_24_options_without_effect(caplog: pytest.LogCaptureFixture) -> None:
    makes: list[Any] = [
        lambda package: package.BLEU(smooth_method="exp", smooth_value=0.5),
        lambda package: package.metrics.TER(asian_support=True),
        lambda package: package.metrics.CHRF(0, 2, whitespace=True),
    ]
    for own in makes:
        caplog.clear()
        own(peer)
        assert not caplog.records
        own(rapidbleu)
        assert "has no effect without" in caplog.text
    square = [["the cat sat", "a cat sits"], ["it rained", "rain fell"]]
    caplog.clear()
    rapidbleu.corpus_chrf(["the cat sat", "it rained"], square)
    assert [record.name for record in caplog.records] == ["rapidbleu.layout"]


def test_difference_25_version(capsys: pytest.CaptureFixture[str]) -> None:
    from rapidbleu.cli import main
    from rapidbleu.sacrebleu.sacrebleu import main as stand_in

    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"rapidbleu {rapidbleu.__version__}\n"
    with pytest.raises(SystemExit):
        stand_in(["--version"])
    assert capsys.readouterr().out.startswith(f"sacrebleu {peer.__version__}")


def test_difference_26_warnings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rapidbleu.cli import main

    marked = tmp_path / "marked"
    marked.write_bytes(b"\xef\xbb\xbfIt rained.\n")
    for options, warning in (
        (["-m", "bleu", "--chrf-beta", "3"], "--chrf-beta: no effect on bleu"),
        (["-m", "chrf", "-lc"], "chrf keeps its case"),
        ([], "byte order mark"),
    ):
        command = [str(marked), "-i", str(marked), *options]
        assert main(command) == 0
        assert warning in capsys.readouterr().err
        assert main([*command, "-q"]) == 0
        assert capsys.readouterr().err == ""


def test_difference_27_all_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rapidbleu.cli import main

    paths = []
    for i in range(8):
        paths.append(str(tmp_path / f"s{i}"))
        Path(paths[-1]).write_text("It rained.\n" * (3 - i % 3) + "no\n" * (i % 3 + 1))
    Path(tmp_path / "ref").write_text("It rained.\n" * 4)
    assert main([str(tmp_path / "ref"), "-i", *paths, "-pbs", "--all-pairs", "-f", "text"]) == 0
    assert "5600" in capsys.readouterr().out  # 28 pairs
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "ref"), "-i", ""])


@pytest.mark.parametrize(("package", "kept"), [(rapidbleu, 0), (ours, 1), (peer, 1)])
def test_difference_28_resamples_in_signatures(package: Any, kept: int) -> None:
    bleu = package.BLEU()
    bleu.corpus_score(HYPS, REFS, n_bootstrap=9)
    assert "|bs:9|seed:12345|" in str(bleu.get_signature())
    bleu.corpus_score(HYPS, REFS)
    assert str(bleu.get_signature()).count("|bs:9|seed:12345|") == kept


@pytest.mark.parametrize("options", [["-ci"], ["-pbs", "-b"]])
def test_difference_29_latex(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from rapidbleu.cli import main

    (tmp_path / "a").write_text("It rained all day.\n" * 4)
    (tmp_path / "b").write_text("It rained all week.\n" * 4)
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    assert main([a, "-i", b, a, "-f", "latex", *options]) == 0
    out = capsys.readouterr().out
    assert r"BLEU ($\mu$ $\pm$ 95\% CI)" in out and r"\textbf{100.0} (100.0 $\pm$ 0.0)" in out
    below = out.split("\\end{tabular}\n")[1]
    assert below == "" if "-b" in options else below.startswith("% BLEU: nrefs:1|")


def test_difference_30_terminals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rapidbleu.cli import main

    (tmp_path / "a").write_text("It rained all day.\n" * 4)
    (tmp_path / "b").write_text("It rained all week.\n" * 4)
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    for force, expected in ("", False), ("1", True):
        monkeypatch.setenv("FORCE_COLOR", force)
        assert main([a, "-i", b, a, "-f", "text"]) == 0
        assert ("\x1b[38;5;" in capsys.readouterr().out) == expected


def random_words(rng: Random, n: int) -> list[str]:
    return [" ".join(rng.choices("abcdefg", k=rng.randint(1, 12))) for _ in range(n)]


def scores_of_sums(ter: Any, hyps: list[str], refs: list[list[str]]) -> set[float]:
    """Return the scores of the exact sum of rows, computed in all ways."""
    rows = ter.segment_stats(hyps, refs)
    running = ter.running(refs)
    for i, hyp in enumerate(hyps):
        running.replace(i, hyp)
    whole = rapidbleu.StatsTable(ter, rows, str(ter.get_signature()))
    half = len(rows) // 2
    return {
        ter.score(ter.corpus_stats(hyps, refs)).score,
        ter.score(rows[:half].sum(axis=0) + rows[half:].sum(axis=0)).score,
        ter.score(rows[::-1].sum(axis=0)).score,
        ter.score(whole.sum()).score,
        ter.running(refs, hyps).score,
        running.score,
    }


@pytest.mark.parametrize("n_refs", [1, 2, 3, 4, 5, 6, 8])
def test_difference_31_sums_of_ter(n_refs: int, tmp_path: Path, capsys: Any) -> None:
    """Sums of rows have one score; sacrebleu's rounding may change its last bit."""
    from rapidbleu.cli import main

    rng, ter, differ = Random(f"TER of {n_refs}"), rapidbleu.TER(), []
    for _ in range(40):
        hyps, *refs = (random_words(rng, 30) for _ in range(1 + n_refs))
        score = ter.corpus_score(hyps, refs).score
        assert score == peer.TER().corpus_score(hyps, refs).score
        assert score == ter.score(ter.segment_stats(hyps, refs)).score
        (exact,) = scores_of_sums(ter, hyps, refs)
        assert math.isclose(score, exact, rel_tol=1e-14)
        if score != exact:
            differ = [hyps, *refs]
    assert bool(differ) == (n_refs in (3, 5, 6))
    names = [str(tmp_path / f"{i}") for i in range(len(differ))]
    for name, texts in zip(names, differ, strict=True):
        Path(name).write_text("\n".join(texts) + "\n")
    if differ:
        (exact,) = scores_of_sums(ter, differ[0], differ[1:])
        rows = str(tmp_path / "rows.npz")
        assert main(["stats", *names[1:], "-i", names[0], "-m", "ter", "-o", rows]) == 0
        assert main(["score", "--stats", rows, "-b", "-w", "20"]) == 0
        assert float(capsys.readouterr().out) == exact
