"""The recipes of docs/guides/scale.md: three lines each, and the score of one machine."""

import ast
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, TER, scan, sentence_chrf
from support.corpora import random_corpus
from support.places import PYTHONPATH, REPO

PAGE = REPO / "docs" / "guides" / "scale.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the pages are not here")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

N = 200
HYPS, [REFS] = random_corpus(Random("recipes"), N, kind="german", n_refs=1)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def recipes(heading: str) -> list[str]:
    """Return the blocks without a language below a heading; test_docs.py runs further ones."""
    [section] = re.findall(
        rf"^### {heading}\n(.*?)(?=^##|\Z)", PAGE.read_text(encoding="utf-8"), re.M | re.S
    )
    return [text for language, text in BLOCK.findall(section) if not language]


def follow(recipe: str, **names: Any) -> dict[str, Any]:
    """Run a recipe and return its names."""
    assert len(recipe.splitlines()) <= 3
    given = {"pa": pa, **names}
    exec(compile(ast.parse(recipe), "recipe", "exec"), given)
    return given


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return files of several sizes and row groups."""
    folder = tmp_path_factory.mktemp("segments")
    ends = [0, 1, 70, 150, N]
    found = []
    for first, end in pairwise(ends):
        columns = {"n": range(first, end), "hyp": HYPS[first:end], "ref": REFS[first:end]}
        found.append(str(folder / f"part-{first:03}.parquet"))
        parquet.write_table(pa.table(columns), found[-1], row_group_size=40)
    return found


@pytest.fixture(params=["BLEU", "TER"])
def metric(request: pytest.FixtureRequest) -> Any:
    return {"BLEU": BLEU(), "TER": TER()}[request.param]


def check(names: dict[str, Any]) -> None:
    metric = names["metric"]
    assert metric.score(metric.segment_stats(HYPS, [REFS]).sum(axis=0)) == names["score"]
    assert names["score"] == metric.corpus_score(HYPS, [REFS])


def test_every_recipe_has_a_test() -> None:
    headings = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {heading: len(recipes(heading)) for heading in headings} == {
        "Processes": 1,
        "Spark": 1,
        "Dask": 1,
        "Ray Data": 2,
        "Hugging Face datasets": 1,
        "DuckDB": 2,
        "polars": 1,
    }


@pytest.mark.slow
def test_processes(paths: list[str]) -> None:
    known = {"ProcessPoolExecutor": ProcessPoolExecutor, "get_context": get_context, "scan": scan}
    [recipe] = recipes("Processes")
    check(follow(recipe, metric=BLEU(), paths=paths, **known))


@pytest.mark.filterwarnings("ignore")
def test_dask(paths: list[str], metric: Any) -> None:
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.dataframe")
    [recipe] = recipes("Dask")
    names = follow(recipe, metric=metric, paths=paths, dask=dask)
    assert names["rows"].npartitions == len(paths)
    check(names)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask_in_processes(paths: list[str], tmp_path: Path) -> None:
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    [recipe] = recipes("Dask")
    settings = {"temporary-directory": str(tmp_path)}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        check(follow(recipe, metric=BLEU(), paths=paths, dask=dask))


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return Ray with two workers."""
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    monkeypatch.setenv("PYTHONPATH", PYTHONPATH)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray(paths: list[str], ray: Any, tmp_path: Path) -> None:
    recipe, keep = recipes("Ray Data")
    # Their folder: of several paths, threads of Ray race to import aiohttp where it is missing.
    names = follow(recipe, metric=BLEU(), paths=str(Path(paths[0]).parent), ray=ray)
    check(names)
    folder = tmp_path / "rows"

    def sums() -> list[int]:
        table = parquet.read_table(folder)
        return [sum(column.to_pylist()) for column in table.columns]

    expected = BLEU().corpus_stats(HYPS, [REFS]).tolist()
    for _ in range(2):
        follow(keep, rows=names["rows"], folder=str(folder))
        assert sums() == expected
    names["rows"].write_parquet(str(folder))  # what the page says of the default
    assert sums() == [2 * count for count in expected]


@pytest.fixture
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the datasets library with its files in a folder of the test."""
    for name in ("HF_HOME", "HF_DATASETS_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    return datasets


@pytest.mark.filterwarnings("ignore")
def test_datasets(datasets: Any, paths: list[str], metric: Any, tmp_path: Path) -> None:
    [recipe] = recipes("Hugging Face datasets")
    data = datasets.Dataset.from_parquet(paths, cache_dir=str(tmp_path))
    check(follow(recipe, metric=metric, data=data))


@pytest.mark.filterwarnings("ignore")
def test_datasets_know_metrics_apart(datasets: Any, paths: list[str], tmp_path: Path) -> None:
    """Metrics never share rows, which are computed once."""
    [recipe] = recipes("Hugging Face datasets")
    data = datasets.Dataset.from_parquet(paths, cache_dir=str(tmp_path))
    metrics = [
        BLEU(),
        BLEU(lowercase=True),
        BLEU(tokenize="char"),
        BLEU(max_ngram_order=2),
        BLEU(tokenize=str.split),
        CHRF(),
        CHRF(beta=1),
        CHRF(word_order=1),
        TER(),
        TER(normalized=True),
    ]
    seen = set()
    for metric in metrics:
        found = follow(recipe, metric=metric, data=data)
        assert found["score"] == metric.corpus_score(HYPS, [REFS])
        seen.add(found["rows"]._fingerprint)
    assert len(seen) == len(metrics)
    files = sorted(tmp_path.rglob("*.arrow"))
    again = follow(recipe, metric=BLEU(), data=data)["rows"]
    assert again._fingerprint in seen
    assert sorted(tmp_path.rglob("*.arrow")) == files


def test_duckdb(paths: list[str], metric: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    recipe, function = recipes("DuckDB")
    with duckdb.connect() as con:
        con.execute("SET threads = 2")
        con.read_parquet(paths).create_view("segments")
        check(follow(recipe, metric=metric, con=con))
        best = follow(function, con=con, CHRF=CHRF)["best"]
        scores = [sentence_chrf(h, [r]).score for h, r in zip(HYPS, REFS, strict=True)]
        assert best == [(max(scores),)]
        found = con.sql("SELECT n, sentence_chrf(hyp, ref) FROM segments").fetchall()
        assert sorted(found) == list(enumerate(scores))
        nulls = "(VALUES ('a', NULL), (NULL, 'a'), ('a', 'a')) AS t(hyp, ref)"
        found = con.sql(f"SELECT sentence_chrf(hyp, ref) FROM {nulls}").fetchall()
        assert found == [(None,), (None,), (100,)]


def test_duckdb_by_group(paths: list[str]) -> None:
    """Columns are kept as the page documents."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as con:
        segments = con.sql(f"SELECT n % 3 AS lang, hyp, ref FROM read_parquet({paths})")
        rows = pa.Table.from_batches(TER().map_stats(segments, keep="lang"))
        query = "SELECT lang, sum(COLUMNS(* EXCLUDE lang)) FROM rows GROUP BY lang"
        found = {lang: TER().score(sums) for lang, *sums in con.sql(query).fetchall()}
        assert rows.num_rows == N
    assert found == {i: TER().corpus_score(HYPS[i::3], [REFS[i::3]]) for i in range(3)}


def test_polars(paths: list[str], metric: Any) -> None:
    pl = pytest.importorskip("polars")
    pytest.importorskip("rapidbleu.adapters.polars")
    [recipe] = recipes("polars")
    check(follow(recipe, metric=metric, paths=paths, pl=pl))
