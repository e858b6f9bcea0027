"""``python -m bench``: run the benchmarks or their comparisons, count, or write the tables."""

import argparse
import json
import sys
from pathlib import Path

from bench import restarts, tuners
from bench.harness import chart, counts, report, run
from bench.harness.corpora import N_COPIES
from bench.harness.places import REPOSITORY, RESULTS


def main(argv: list[str] | None = None) -> int:
    """Return 0, or 1 if a contender's result differs from ours."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"of {', '.join(run.TOPICS)}")
    parser.add_argument("--check", action="store_true", help="compare results only, small corpora")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument(
        "--tables",
        action="store_true",
        help="write the tables and charts of README.md and the docs from the stored results",
    )
    parser.add_argument(
        "--instructions",
        action="store_true",
        help="count instructions by callgrind; all topics' counts become the stored ones",
    )
    parser.add_argument(
        "--output",
        type=Path,
        help="write the results here; a full run's become the latest ones and its version's",
    )
    parser.add_argument(
        "--copies",
        type=int,
        default=N_COPIES,
        metavar="N",
        help="how often the topic streams has the corpus of 3,004 segments (default: %(default)s)",
    )
    options = parser.parse_args(argv)
    unknown = sorted(set(options.topics) - set(run.TOPICS))
    if unknown:
        parser.error(f"expected topics of {', '.join(run.TOPICS)}; got {', '.join(unknown)}")
    if options.tables:
        for page, make in report.PAGES.items():
            report.rewrite(page, make)
        for name in report.PROGRAMS:
            results = report.RESULTS / f"{name}.json"
            report.rewrite(report.SCALE, report.program_table(name), results, name)
        chart.write(json.loads(report.LATEST.read_text(encoding="utf-8")))
        for name, program in (("tuners", tuners), ("restarts", restarts)):
            page = REPOSITORY / "docs/guides/tuning.md"
            report.rewrite(page, program.table, RESULTS / f"{name}.json", name)
        return 0
    topics = options.topics or list(run.TOPICS)
    if options.instructions:
        counts.count(topics, store=not options.topics)
        return 0
    output = options.output
    if output is None and not options.topics and not options.quick:
        output = report.LATEST
    try:
        if options.check:
            run.check(topics)
        else:
            run.measure(topics, quick=options.quick, output=output, n_copies=options.copies)
    except run.Difference as difference:
        print(f"different: {difference}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
