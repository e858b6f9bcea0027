"""What a program could notice of served calls: exceptions of its own, tracebacks, messages."""

import contextlib
import ctypes
import gc
import io
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jiwer
import pytest
import sacrebleu
from nltk.translate import bleu_score, gleu_score, ribes_score
from rouge_score import rouge_scorer

import rapidbleu
from rapidbleu.switch import patch
from support.processes import posix_only
from support.served import CALLS, counts, frames

HOME = os.path.dirname(rapidbleu.__file__)


class Ring(Exception):
    """Raised by handlers of this file."""


@pytest.fixture(autouse=True)
def no_gc_callbacks() -> Iterator[None]:
    """Python ignores exceptions of signal handlers within the callbacks of Hypothesis."""
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = callbacks


def assert_not_ours(error: BaseException | None) -> None:
    """Check that neither the traceback nor earlier exceptions show our code."""
    while error is not None:
        files = [file for file, _, _ in frames(error)]
        assert not any(file.startswith(HOME) for file in files), files
        error = error.__context__


@pytest.fixture(autouse=True)
def free_lock_of_logging() -> Iterator[None]:
    """An exception right after logging acquires its lock leaves this locked, also without us."""
    yield
    lock: Any = logging._lock  # type: ignore[attr-defined]
    while lock._is_owned():
        lock.release()


@pytest.mark.parametrize("name", CALLS)
def test_every_call_is_served(name: str) -> None:
    expected = CALLS[name]()
    counts()
    with patch():
        assert CALLS[name]() == expected
        served, handed_back = counts()
    assert served and not handed_back
    CALLS[name]()
    assert counts() == (0, 0)


class Other(ValueError):
    pass


ERRORS = (
    Ring,
    Other,
    ValueError,
    TypeError,
    AttributeError,
    KeyError,
    ZeroDivisionError,
    IndexError,
    RuntimeError,
    TimeoutError,
    KeyboardInterrupt,
    SystemExit,
)


@posix_only
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # an exception between `open` and `with`
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", CALLS)
def test_exceptions_of_signal_handlers_arrive(name: str) -> None:
    call = CALLS[name]

    def ring(error: type[BaseException], seconds: float) -> None:
        def handler(*_: object) -> None:
            raise error("of the handler")

        before = signal.signal(signal.SIGALRM, handler)
        try:
            with pytest.raises(error, match="of the handler") as caught:
                end = time.monotonic() + 20
                signal.setitimer(signal.ITIMER_REAL, seconds)
                while time.monotonic() < end:
                    call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        assert_not_ours(caught.value)

    # Python itself catches these in `hasattr` and `os.environ.get`.
    errors = [error for error in ERRORS if error not in (AttributeError, KeyError)]
    with patch():
        for k in range(11):
            for error in (Ring, errors[k % len(errors)]):
                ring(error, 0.0001 + 0.0005 * k)
        counts()
        call()
        assert counts()[1] == 0


def raise_at(k: int, error: type[Exception], call: Callable[[], Any]) -> bool:
    """Raise an exception at event k of a trace function; return whether there were so many.

    Python and the libraries catch some exceptions themselves, so outside of our code it is a Ring.
    """
    n = 0

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal n
        n += 1
        if n == k:
            raise (error if frame.f_code.co_filename.startswith(HOME) else Ring)("at an event")
        return trace

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(outer)
    return n >= k


@pytest.mark.parametrize("name", CALLS)
def test_exceptions_of_trace_functions_arrive_from_everywhere(name: str) -> None:
    """NLTK itself catches a ZeroDivisionError where ours does."""
    call = CALLS[name]
    errors = [error for error in ERRORS if error is not ZeroDivisionError]
    with patch():
        call()
        k = 1
        while True:
            error = errors[k % len(errors)]
            try:
                if not raise_at(k, error, call):
                    break
            except (error, Ring) as caught:
                assert "at an event" in str(caught)
                assert_not_ours(caught)
            else:
                raise AssertionError(f"the exception at event {k} was swallowed")
            k += 1 + k // 400
        counts()
        call()
        assert counts()[1] == 0


@pytest.mark.parametrize("name", CALLS)
def test_exceptions_of_other_threads_arrive(name: str) -> None:
    call = CALLS[name]
    target, end = threading.get_ident(), time.monotonic() + 20

    def interrupt(error: type[Exception]) -> None:
        time.sleep(0.002)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(target), ctypes.py_object(error))

    with patch():
        call()
        for error in (Ring, RuntimeError, ValueError) * 4:
            thread = threading.Thread(target=interrupt, args=(error,))
            with pytest.raises(error) as caught:
                thread.start()
                while time.monotonic() < end:
                    call()
            thread.join()
            assert_not_ours(caught.value)


FAILING: dict[str, Callable[[], Any]] = {
    "None": lambda: bleu_score.sentence_bleu(None, ["a"]),
    "no argument": lambda: bleu_score.sentence_bleu(),
    "unknown option": lambda: bleu_score.sentence_bleu([["a"]], ["a"], smoothing=1),
    "too few": lambda: bleu_score.corpus_bleu([[["a"]]], []),
    "gleu of numbers": lambda: gleu_score.sentence_gleu([1], [2]),
    "ribes of None": lambda: ribes_score.sentence_ribes([None], [None]),
    "rouge of None": lambda: rouge_scorer.RougeScorer(["rouge1"]).score(None, "a"),
    "no rouge": lambda: rouge_scorer.RougeScorer(["rougeX"]).score("a", "a"),
    "wer of None": lambda: jiwer.wer(None, "a"),
    "odd lengths": lambda: jiwer.wer(["a", "b"], ["a"]),
    "sacrebleu of None": lambda: sacrebleu.corpus_chrf([None, "a"], [["a", "b"]]),
    "lengths of sacrebleu": lambda: sacrebleu.corpus_ter(["a"], [["a"], []]),
    "bytes": lambda: sacrebleu.sentence_bleu("a", [b"a"]),
    "own smoothing": lambda: bleu_score.sentence_bleu(
        [["a"]], ["a"], smoothing_function=lambda *a, **o: 1 / 0
    ),
}


def failure(call: Callable[[], Any]) -> Any:
    try:
        call()
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return type(error), str(error), frames(error)[1:], text, error.__context__, error.__cause__
    return None


@pytest.mark.parametrize("name", FAILING)
def test_tracebacks_are_those_of_the_library(name: str) -> None:
    expected = failure(FAILING[name])
    assert expected is not None
    with patch():
        assert failure(FAILING[name]) == expected
        try:
            raise Ring
        except Ring as outer:
            assert failure(FAILING[name])[4] is outer


class Word:
    """Equal to every text."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Text(str):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Tokens(list[Any]):
    def __iter__(self) -> Any:
        return iter(["x"] * len(self))


TOKENS = [["a", Word()], ["a", Text("b")], ["a", True], ["a", 1.0], ["a", None], Tokens("ab")]


@pytest.mark.parametrize("tokens", TOKENS, ids=lambda own: type(own[-1]).__name__)
@pytest.mark.parametrize(
    "score", [bleu_score.sentence_bleu, gleu_score.sentence_gleu, ribes_score.sentence_ribes]
)
def test_unusual_tokens_are_left_to_the_library(score: Any, tokens: Any) -> None:
    def outcome() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return [score([["a", "b", "c"]], tokens), score([tokens], ["a", "b"])]
            except Exception as error:
                return repr(error)

    expected = outcome()
    counts()
    with patch():
        assert outcome() == expected
        assert counts()[0] == 0
        score([[1, 2, 3, 4]], [1, 2, 3, 4])
        assert counts() == (1, 0)


@pytest.mark.parametrize("separator", "\x1c\x1d\x1e\x1f")
def test_separators_of_fastchrf(separator: str) -> None:
    fastchrf = pytest.importorskip("fastchrf")
    batch = [[f"a b{separator} c d"]], [["a b c d"]]
    expected = fastchrf.pairwise_chrf(*batch), fastchrf.aggregate_chrf(batch[1], batch[0])
    with patch():
        assert fastchrf.pairwise_chrf(*batch) == expected[0]
        assert fastchrf.aggregate_chrf(batch[1], batch[0]) == expected[1]
    assert expected[0] != [[[100.0]]]


ODD_OPTIONS: dict[str, Callable[[], Any]] = {
    "a value without effect": lambda: sacrebleu.BLEU(smooth_method="exp", smooth_value=2),
    "asian_support": lambda: sacrebleu.TER(asian_support=True),
    "whitespace": lambda: sacrebleu.CHRF(char_order=0, word_order=2, whitespace=True),
    "one n-gram": lambda: sacrebleu.BLEU(max_ngram_order=1),
    "lowercase": lambda: sacrebleu.BLEU(lowercase=1, tokenize="char"),
    "tokenizer": lambda: sacrebleu.BLEU(trg_lang="zh", tokenize="13a"),
}


@pytest.mark.parametrize("name", ODD_OPTIONS)
def test_nothing_of_ours_is_printed(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    def outcome() -> tuple[str, Any]:
        capfd.readouterr()
        metric = ODD_OPTIONS[name]()
        scores = [str(metric.corpus_score(["a b c", "d"], [["a b d", "d"]]))]
        scores.append(str(metric.sentence_score("一 b .", ["一 b."])))
        return repr(capfd.readouterr()), scores

    expected = outcome()
    counts()
    with patch():
        assert outcome() == expected
        assert counts()[0]


SILENT = """
import logging, sys, warnings
import sacrebleu
from nltk.translate.bleu_score import sentence_bleu
for metric in (sacrebleu.BLEU(smooth_method="exp", smooth_value=2),
               sacrebleu.TER(asian_support=True),
               sacrebleu.CHRF(char_order=0, word_order=2, whitespace=True), sacrebleu.BLEU()):
    print(metric.corpus_score(["a b c ."] * 200, [["a b c."] * 200]))
    print(metric.sentence_score("a", ["a"]))
print(sentence_bleu([["a", "b"]], ["a", "c"]))
print(sorted(logging.root.manager.loggerDict) == [] or logging.root.handlers)
"""


def test_streams_are_equal_to_the_byte() -> None:
    plain, served = (
        subprocess.run([*words, sys.executable, "-c", SILENT], capture_output=True, check=True)
        for words in ([], [sys.executable, "-m", "rapidbleu", "run"])
    )
    assert (served.stdout, served.stderr) == (plain.stdout, plain.stderr)
    assert b"100 lines that end in a tokenized period" in plain.stderr


def test_logging_and_contexts_of_the_program_stay() -> None:
    with contextlib.redirect_stderr(io.StringIO()) as stream, patch():
        for call in CALLS.values():
            call()
    assert not stream.getvalue()
    assert logging.getLogger().level == logging.WARNING
