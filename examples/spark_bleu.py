"""BLEU of a table of any size on Spark: rows of statistics, then scores by language.

    PYSPARK_PYTHON=.venv/bin/python spark-submit examples/spark_bleu.py TABLE.parquet ROWS
    python examples/spark_bleu.py                  # a table of its own, on this machine

TABLE.parquet has the columns id, lang, hyp and ref. ROWS is the folder of the rows; they are
scored without the texts. PYSPARK_PYTHON is an interpreter with rapidbleu, on all machines.
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import SparkSession

import rapidbleu.spark
from rapidbleu import BLEU

OWN = [
    (1, "en", "The cat sat on a mat.", "The cat sat on the mat."),
    (2, "en", "It was raining all day.", "It was raining all night."),
    (3, "de", "Er ging gestern nach Hause.", "Er ging gestern heim."),
]


def main() -> None:
    """Write rows of statistics, and print scores."""
    session = SparkSession.builder.appName("BLEU").getOrCreate()
    if len(sys.argv) > 1:
        table, folder = session.read.parquet(sys.argv[1]), sys.argv[2]
    else:
        table = session.createDataFrame(OWN, ["id", "lang", "hyp", "ref"])
        folder = str(Path(tempfile.mkdtemp()) / "rows")
    rows = rapidbleu.spark.stats(table, BLEU(), id_column="id", keep="lang")
    rows.write.mode("overwrite").parquet(folder)
    rows = session.read.parquet(folder)
    print(rapidbleu.spark.score(rows))
    for lang, score in sorted(rapidbleu.spark.score(rows, by="lang").items()):
        print(lang, score)
    session.stop()


if __name__ == "__main__":
    main()
