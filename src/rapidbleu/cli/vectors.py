"""``rapidbleu vectors``: does a program give the scores of the test vectors?"""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TextIO

from rapidbleu._lib.files import replacing
from rapidbleu.cli.messages import NOT_EXECUTABLE, NOT_FOUND, CommandError
from rapidbleu.cli.options import Parser
from rapidbleu.table import Table

FILE = os.path.join(os.path.dirname(__file__), "vectors.gz")
FAILED = 3  # exit status
LEAST = 2  # vectors about a tag for a sentence about all of them

Vector = dict[str, Any]


class Outcome(NamedTuple):
    """A vector with the score of the program, or None if it has no such metric or option."""

    vector: Vector
    score: float | None

    @property
    def passed(self) -> bool:
        """Whether the score is right up to the order of sums."""
        if self.score is None:
            return False
        expected = float.fromhex(self.vector["score_hex"])
        return abs(self.score - expected) <= float(self.vector["tolerance"])


def make_parser() -> Parser:
    from argparse import REMAINDER

    parser = Parser(
        prog="rapidbleu vectors",
        usage="%(prog)s [--only NAME,...] [--core] [-f FORM] COMMAND ...\n"
        "       %(prog)s --export DIR",
        examples=["--only bleu --core node bleu.js", "--export vectors"],
        description="Compare a program, in any language, with sacrebleu, NLTK, jiwer and "
        "rouge-score. The program reads a JSON object per line from its standard input, "
        "with metric, segments (each a hypothesis and its references) and options, and "
        "writes a line for each: the score, or null if it has no such metric or option.",
        epilog="Exit status: 0; 3 if a score is wrong; 1 if the program fails.",
    )
    add = parser.add_argument
    add("--only", metavar="NAME,...", help="files of vectors, such as bleu,wer (default: all)")
    add("--core", action="store_true", help="only vectors that need no tokenizer or smoothing")
    add(
        "-f",
        "--format",
        choices=("text", "json"),
        default="text",
        metavar="FORM",
        help="text or json (default: text)",
    )
    add("--export", metavar="DIR", help="write the vectors to a folder")
    add("command", nargs=REMAINDER, metavar="COMMAND", help="program and arguments")
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    parser = make_parser()
    args = parser.parse_args(list(argv))
    if bool(args.command) == bool(args.export):
        parser.error("expected either COMMAND or --export")
    vectors = read_vectors(args.only, args.core)
    if args.export:
        export(vectors, args.export)
        return 0
    outcomes = list(map(Outcome, vectors, ask(args.command, vectors)))
    if all(outcome.score is None for outcome in outcomes):
        raise CommandError(f"{args.command[0]}: expected at least one score; got only null")
    if args.format == "json":
        json.dump(as_json(outcomes), out, ensure_ascii=False, indent=1)
        print(file=out)
    else:
        out.writelines(f"{line}\n" for line in as_text(outcomes))
    return 0 if all(each.passed or each.score is None for each in outcomes) else FAILED


def read_vectors(only: str | None, core: bool) -> list[Vector]:
    """Return the vectors of the named files, or of all."""
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        vectors: list[Vector] = [json.loads(line) for line in file]
    names = list(dict.fromkeys(map(name_of, vectors)))
    wanted = names if only is None else only.split(",")
    for name in wanted:
        if name not in names:
            raise CommandError(f"--only: expected some of {', '.join(names)}; got {name!r}", 2)
    return [each for each in vectors if name_of(each) in wanted and (each["core"] or not core)]


def name_of(vector: Vector) -> str:
    """Return the name of a vector's file."""
    name: str = vector["id"].rpartition("-")[0]
    return name


def export(vectors: list[Vector], folder: str) -> None:
    """Write a file for each metric."""
    os.makedirs(folder, exist_ok=True)
    for name, group in groupby(vectors, name_of):
        with replacing(os.path.join(folder, f"{name}.jsonl")) as (file,):
            for vector in group:
                file.write(f"{json.dumps(vector, ensure_ascii=False)}\n".encode())


def ask(command: list[str], vectors: list[Vector]) -> list[float | None]:
    """Return a program's scores of vectors."""
    questions = [
        json.dumps(
            {
                "id": vector["id"],
                "metric": name_of(vector),
                "segments": vector["segments"],
                "options": vector["options"],
            },
            ensure_ascii=False,
        )
        for vector in vectors
    ]
    try:
        done = subprocess.run(
            command,
            input="".join(f"{line}\n" for line in questions),
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    except FileNotFoundError:
        raise CommandError(f"{command[0]}: no such program", NOT_FOUND) from None
    except PermissionError:
        raise CommandError(f"{command[0]}: it is not executable", NOT_EXECUTABLE) from None
    except UnicodeDecodeError:
        raise CommandError(f"{command[0]}: expected output in UTF-8") from None
    if done.returncode:
        raise CommandError(f"{command[0]}: expected exit status 0; got {done.returncode}")
    answers = done.stdout.splitlines()
    if len(answers) != len(vectors):
        raise CommandError(
            f"{command[0]}: expected {len(vectors)} lines, one per vector; got {len(answers)}"
        )
    return [score_of(command[0], i, answer) for i, answer in enumerate(answers, 1)]


def score_of(program: str, line: int, answer: str) -> float | None:
    """Return the score in a line of output."""
    try:
        score = json.loads(answer)
        if score is None:
            return None
        if type(score) in (int, float) and math.isfinite(score):
            return float(score)
    except ValueError:
        pass
    raise CommandError(f"{program}: output, line {line}: expected a number or null; got {answer!r}")


def as_text(outcomes: list[Outcome]) -> Iterator[str]:
    """Yield lines: numbers by file, wrong scores with reasons, and a diagnosis."""
    groups = by_file(outcomes)
    columns = {
        "vectors": list(groups),
        "passed": [sum(each.passed for each in group) for group in groups.values()],
        "failed": [len(failed(group)) for group in groups.values()],
        "not answered": [sum(each.score is None for each in group) for group in groups.values()],
    }
    yield Table(columns).format("text")
    for outcome in failed(outcomes):
        vector = outcome.vector
        yield f"{vector['id']}: expected {vector['score']}; got {outcome.score!r}"
        yield f"    {vector['reason']}"
    for name, group in groups.items():
        for sentence in diagnosis(group):
            yield f"{name}: {sentence}"


def by_file(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of each file."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(name_of(outcome.vector), []).append(outcome)
    return groups


def failed(outcomes: list[Outcome]) -> list[Outcome]:
    """Return the wrong scores."""
    return [outcome for outcome in outcomes if outcome.score is not None and not outcome.passed]


def diagnosis(outcomes: list[Outcome]) -> list[str]:
    """Return what the wrong scores have in common."""
    wrong = [outcome.vector["tags"] for outcome in failed(outcomes)]
    answered = [outcome.vector["tags"] for outcome in outcomes if outcome.score is not None]
    if not wrong:
        return []
    if len(wrong) == len(answered):
        return ["all scores are wrong"]
    shared = set(wrong[0]).intersection(*wrong)
    sentences = []
    if shared:
        sentences.append(f"only vectors about {' and '.join(sorted(shared))} have wrong scores")
    n_answered = Counter(tag for tags in answered for tag in tags)
    n_wrong = Counter(tag for tags in wrong for tag in tags)
    for tag, n in n_wrong.most_common():
        if n == n_answered[tag] >= LEAST:
            sentences.append(f"all {n} vectors about {tag} have wrong scores")
    return sentences


def as_json(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return what the text contains, as data."""
    return {
        name: {
            "passed": [each.vector["id"] for each in group if each.passed],
            "failed": [
                {
                    "id": each.vector["id"],
                    "reason": each.vector["reason"],
                    "tags": each.vector["tags"],
                    "expected": float(each.vector["score"]),
                    "score": each.score,
                }
                for each in failed(group)
            ],
            "not_answered": [each.vector["id"] for each in group if each.score is None],
            "diagnosis": diagnosis(group),
        }
        for name, group in by_file(outcomes).items()
    }
