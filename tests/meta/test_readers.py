"""Files of human scores, with the quirks of published ones; tables in files and in memory."""

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu.meta import (
    Judgments,
    MQMWeights,
    SystemScores,
    read_direct_assessment,
    read_judge_norms,
    read_judgments,
    read_mqm,
    read_mqm_scores,
    read_segment_scores,
    read_system_scores,
    read_table,
)
from support.peers import need

nan = np.nan
CROWD = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
DA = [
    CROWD,  # spaces in the header, tabs below
    "3IK\tM1\tcs\ten\tad\t4\tA.7\t10\tSYSTEM\t177\t0.5\t931.0",
    'NA\tM1\tcs\ten ad NA\t"A.7" NA REPEAT\t177\t1.5\t0',  # as written by R
    "3IK\tM2\tcs\ten\tad\t4\tB.0\t10\tBAD_REF\t177\t-1\t931.0",
    "3IK\tM2\tcs\ten\tad\t4\tB.0\t10\tREF\t178\t2\t931.0",
    "",
    "3IK\tM2\tcs\ten\tad\t4\tB.0\t10\tSYSTEM\tdoc_3\tNA\t931.0",
    '3IK\tM2\tcs\ten\tad\t4\t"B.0"\t10\tSYSTEM\tdoc_4\t-2\t931.0',
]


def written(path: Path, lines: list[str], end: str = "\n") -> Path:
    data = "".join(line + end for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["ad-good-raw.csv", "ad-good-raw.csv.gz"])
def test_crowd(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, DA, "\r\n")
    found = read_direct_assessment(path)
    kinds = ["SYSTEM", "REPEAT", "SYSTEM"]
    expected = Judgments(
        ["A.7", "A.7", "B.0"], [177, 177, "doc_4"], ["M1", "M1", "M2"], [0.5, 1.5, -2], kinds=kinds
    )
    assert found == expected
    assert found.scores() == SystemScores([[1, nan], [nan, -2]], ["A.7", "B.0"], ["177", "doc_4"])
    everything = read_direct_assessment(str(path), kinds=None, language_pair="cs-en")
    assert everything.kind is not None
    assert everything.kind.names == ("SYSTEM", "REPEAT", "BAD_REF", "REF")
    assert everything.values.tolist() == [0.5, 1.5, -1, 2, -2]
    assert everything.select(kinds=["SYSTEM", "REPEAT"]) == found
    assert read_direct_assessment(path, kinds=["REF"]).values.tolist() == [2]


def test_several_language_pairs(tmp_path: Path) -> None:
    other = DA[1].replace("cs\ten", "de\ten").replace("0.5", "0.25")
    path = written(tmp_path / "da.csv", [*DA, other])
    with pytest.raises(ValueError, match="language_pair: expected one of 'cs-en', 'de-en'; got no"):
        read_direct_assessment(path)
    with pytest.raises(ValueError, match=r"language_pair: .* got 'en-cs'"):
        read_direct_assessment(path, language_pair="en-cs")
    assert read_direct_assessment(path, language_pair="de-en").values.tolist() == [0.25]
    assert len(read_direct_assessment(path, language_pair="cs-en")) == 3


def test_appraise(tmp_path: Path) -> None:
    lines = [
        'a1,"A, the first",0,TGT,eng,deu,81,doc.1,False,1630.5,1631',
        "a1,B,0,TGT,eng,deu,50,doc.1,False,1630.5,1631",
        "a1,B,0,BAD,eng,deu,3,doc.1,False,1630.5,1631",
        "a1,B,7,TGT,eng,deu,99,doc.1,True,1630.5,1631",
        "a2,B,0,TGT,eng,deu,30,doc.2,False,1630.5,1631",
    ]
    found = read_direct_assessment(written(tmp_path / "regular.csv", lines))
    assert found == Judgments(
        ["A, the first", "B", "B"],
        ["doc.1_0", "doc.1_0", "doc.2_0"],
        ["a1", "a1", "a2"],
        [81, 50, 30],
        documents=["doc.1", "doc.1", "doc.2"],
        kinds=["TGT"] * 3,
    )
    two = ["a1,A,12,TGT,eng,deu,81,1630,1631", "a1,B,12,REF,eng,deu,30,1630,1631"]
    found = read_direct_assessment(written(tmp_path / "contrastive.csv", two), kinds=None)
    assert found == Judgments(["A", "B"], [12, 12], ["a1"] * 2, [81, 30], kinds=["TGT", "REF"])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "da.csv: expected judgments of kind REPEAT or SYSTEM or TGT; got none"),
        (["a,b"], r"da.csv, line 1: expected a header with WorkerId, or 9 or 11 columns"),
        ([CROWD], "expected judgments of .* got none"),
        ([CROWD.replace("sid", "doc_id")], "line 1: expected one column 'sid'; got 'HITId'"),
        ([CROWD + " sid"], "line 1: expected one column 'sid'; got 2 of them"),
        ([*DA, "3IK M1"], "line 9: expected 12 columns; got 2"),
        ([DA[0], DA[1].replace("0.5", "half")], "line 2: expected a number; got 'half'"),
        ([DA[0], DA[1].replace("0.5", "inf")], "line 2: expected a number; got 'inf'"),
    ],
)
def test_bad_direct_assessments(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_direct_assessment(written(tmp_path / "da.csv", lines))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for read in (read_direct_assessment, read_mqm, read_judge_norms, read_segment_scores):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            read(tmp_path / "nowhere")
    (tmp_path / "latin.tsv").write_bytes("caf\xe9\tdoc\nA\t1\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin.tsv: expected UTF-8 after line \d"):
        read_mqm(tmp_path / "latin.tsv")


def test_judge_norms(tmp_path: Path) -> None:
    lines = ['[1] "M0190"', "[1] 65.55914", "[1] 38.6558", '[1] "M 2"', "[1] 7", "[1] NA"]
    path = written(tmp_path / "norms.txt", lines)
    found = read_judge_norms(path)
    assert found["M0190"] == (65.55914, 38.6558)
    assert found["M 2"][0] == 7 and np.isnan(found["M 2"][1])
    for wrong, message in (
        (lines[:2], "norms.txt: expected three lines for each judge; got 2 in all"),
        (["M0190", "1", "2"], r"norms.txt, line 1: expected '\[1\]' and"),
        (["[1] M", "[1] x", "[1] 2"], "norms.txt, line 2: expected a number; got 'x'"),
        (lines[:3] * 2, "norms.txt, line 4: expected each judge once; got 'M0190' again"),
    ):
        with pytest.raises(ValueError, match=message):
            read_judge_norms(written(path, wrong))


def test_published_scores(tmp_path: Path) -> None:
    lines = ["SYS SID RAW.SCR Z.SCR N ", "A.7 177 100 0.62 1 ", "B.0 d_1 75.5 -0.5 2 "]
    path = written(tmp_path / "seg.csv", lines)
    found = read_segment_scores(path)
    assert found["raw"] == SystemScores([[100, nan], [nan, 75.5]], ["A.7", "B.0"], ["177", "d_1"])
    assert found["z"] == SystemScores([[0.62, nan], [nan, -0.5]], ["A.7", "B.0"], ["177", "d_1"])
    with pytest.raises(ValueError, match=r"line 4: expected one score of system 'A.7' for segm"):
        read_segment_scores(written(path, [*lines, lines[1]]))
    with pytest.raises(ValueError, match="line 2: expected 5 columns; got 4"):
        read_segment_scores(written(path, [lines[0], "A 1 2 3"]))
    with pytest.raises(ValueError, match="expected at least one score; got none"):
        read_segment_scores(written(path, lines[:1]))
    lines = ["RAW.SCR Z.SCR N SYS N.ALL ", "77.5 0.11 923 A.7 1275 ", "70 NaN 5 B.0 9 "]
    systems = read_system_scores(written(path, lines))
    assert systems["raw"] == {"A.7": 77.5, "B.0": 70}
    assert systems["z"]["A.7"] == 0.11 and np.isnan(systems["z"]["B.0"])
    with pytest.raises(ValueError, match=r"line 4: expected each system once; got 'B.0' again"):
        read_system_scores(written(path, [*lines, lines[2]]))
    lines = ["system mqm_avg_score seg_id", "A\t-0.000000 1", "A\tNone 2", "B -2.5 2"]
    assert read_mqm_scores(written(path, lines)) == SystemScores(
        [[0, nan], [nan, -2.5]], ["A", "B"], ["1", "2"]
    )
    with pytest.raises(ValueError, match="expected one column 'seg_id'; got 'system'"):
        read_mqm_scores(written(path, ["system mqm_avg_score", *lines[1:]]))


MQM = [
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment",
    'A\td1\t1\t5\tr1\tJa.\t"Yes <v>no</v>.\tAccuracy/Mistranslation\tMajor\t"so',
    "A\td1\t1\t5\tr1\tJa.\tYes.\tFluency/Punctuation\tminor",
    "A\td1\t1\t5\tr1\tJa.\tYes.\tFluency/Spelling\tMinor\t",
    "A\td1\t1\t5\tr2\tJa.\tYes.\tFluency/Punctuation\tMajor\t",
    "A\td2\t1\t6\tr1\tNein.\tNo.\tNo-error\tNo-error\t",
    "B\td1\t1\t5\tr1\tJa.\tYes.\tNon-translation!\tMajor\tx\ty",
    "B\td1\t1\t5\tr1\tJa.\tYes.\tFound\tHOTW-test\t",
    "B\td2\t1\t6\tr1\tNein.\tNo\u2028p\re.\tStyle/Awkward\tNeutral\t",
    "B\td2\t2\t7\tr1\tNein.\tNo.\tMissed\tHOTW-test\t",
    "B\td2\t2\t8\tr1\tNein.\tNo.\tSource error\tMinor\t",
    "B\td2\t2\t8\tr1\tNein.\tNo.\tdo_not_translate\tcritical\t",
]


def test_mqm(tmp_path: Path) -> None:
    path = written(tmp_path / "mqm.tsv", MQM)
    found = read_mqm(path)
    assert found.values == pytest.approx([-6.1, -5, 0, -25, 0, -6], abs=1e-15)
    assert not np.signbit(found.values[[2, 4]]).any()
    assert found == Judgments(
        list("AAABBB"),
        [5, 5, 6, 5, 6, 8],
        ["r1", "r2", "r1", "r1", "r1", "r1"],
        found.values,
        documents=["d1", "d1", "d2", "d1", "d2", "d2"],
    )
    assert found.scores().values == pytest.approx(
        np.array([[-5.55, 0, nan], [-25, 0, -6]]), abs=1e-14, nan_ok=True
    )
    named = read_mqm(path, segment="document")
    assert named.segment.names == ("d1_1", "d2_1", "d2_2")
    later = written(
        tmp_path / "later.tsv.gz",
        [MQM[0].replace("doc_id", "docSegId").replace("seg_id", "globalSegId"), *MQM[1:]],
    )
    assert read_mqm(later) == found
    fewer = ["\t".join(line.split("\t")[:9]) for line in MQM]
    assert read_mqm(written(tmp_path / "fewer.tsv", fewer, "\r\n")) == found
    assert read_mqm(later, segment="document") == named


def test_mqm_weights(tmp_path: Path) -> None:
    path = written(tmp_path / "mqm.tsv", MQM)
    changes = {"Major": 10, "minor/Fluency": 2, "minor/source_error": 0, "critical/other": 1}
    found = read_mqm(path, weights=changes)
    assert found.values == pytest.approx([-12.1, -10, 0, -25, 0, -5], abs=1e-14)
    assert found == read_mqm(path, weights=MQMWeights(changes))
    weights = MQMWeights()
    for category, severity, expected in (
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Fluency/Punctuation/Comma", "Minor", 0.1),
        ("Fluency", "Minor", 1),
        ("Punctuation", "Minor", 1),
        ("Fluency/Punctuation", "Major", 5),
        ("Non-translation!", "MAJOR", 25),
        ("non-translation", "minor", 1),
        ("No-error", "no-error", 0),
    ):
        assert weights.weight(category, severity) == expected
    assert repr(weights) == "MQMWeights()"
    assert repr(MQMWeights({"minor": 2, "major": 5})) == "MQMWeights({'minor': 2.0})"


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"major": -1}, ValueError, r"changes\['major'\]: expected a number from 0 on; got -1"),
        ({"major": nan}, ValueError, r"changes\['major'\]: expected a number from 0 on"),
        ({"major": "5"}, TypeError, r"changes\['major'\]: expected a number; got str"),
        ({5: 5}, TypeError, "changes: expected str; got int"),
        ([5], TypeError, "changes: expected a dict; got list"),
    ],
)
def test_bad_weights(changes: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        MQMWeights(changes)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "mqm.tsv: expected one column 'system'"),
        ([MQM[0].replace("rater", "judge"), *MQM[1:]], "line 1: expected one column 'rater'; got"),
        ([MQM[0].replace("seg_id", "id"), *MQM[1:]], "line 1: expected one column 'seg_id'; got"),
        ([*MQM, "A\td1"], "line 13: expected at least 9 columns; got 2"),
        ([*MQM, ""], "line 13: expected at least 9 columns; got 1"),
        ([*MQM, MQM[3].replace("Minor", "Mnior")], "line 13: severity: expected one of 'critical'"),
        (MQM[:1], "mqm.tsv: expected annotations; got none"),
        ([MQM[0], MQM[7]], "mqm.tsv: expected annotations; got none"),
    ],
)
def test_bad_mqm(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_mqm(written(tmp_path / "mqm.tsv", lines))


def test_mqm_names_of_segments(tmp_path: Path) -> None:
    path = written(tmp_path / "mqm.tsv", [*MQM, MQM[1].replace("d1", "d2")])
    with pytest.raises(ValueError, match="expected 'd1', as segment '5' has before; got 'd2'"):
        read_mqm(path)
    assert len(read_mqm(path, segment="document").segment.names) == 3
    with pytest.raises(ValueError, match="segment: expected 'global' or 'document'; got 'both'"):
        read_mqm(path, segment="both")  # type: ignore[arg-type]


COLUMNS: dict[str, list[Any]] = {
    "system": ["A", "A", "B", "B"],
    "segment": [1, 2, 1, 3],
    "judge": ["r1", "r2", "r1", "r1"],
    "score": [80.5, 70.0, None, -3.25],
    "text": ["x", None, "y", "z"],
}
SCORES = SystemScores([[80.5, 70, nan], [nan, nan, -3.25]], ["A", "B"], ["1", "2", "3"])
JUDGED = Judgments(["A", "A", "B"], [1, 2, 3], ["r1", "r2", "r1"], [80.5, 70, -3.25])


class Exported:
    """An object with only the Arrow C stream interface, like a relation of DuckDB."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.columns = "not to be read"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def pyarrow_table() -> Any:
    return need("pyarrow").table(COLUMNS)


def polars_table() -> Any:
    return need("polars").DataFrame(COLUMNS)


def pandas_table() -> Any:
    return need("pandas").DataFrame(COLUMNS)


def reader() -> Any:
    return pyarrow_table().to_reader()


def exported() -> Any:
    return Exported(pyarrow_table())


TABLES = [lambda: COLUMNS, pyarrow_table, polars_table, pandas_table, reader, exported]


@pytest.mark.parametrize("make", TABLES)
def test_tables_in_memory(make: Any) -> None:
    assert read_table(make()) == SCORES
    assert read_judgments(make()) == JUDGED
    message = r"source: expected one column 'human'; got 'system', 'seg"
    with pytest.raises(ValueError, match=message):
        read_table(make(), score="human")


@pytest.mark.parametrize("missing", ["pyarrow", "pyarrow and polars"])
def test_without_pyarrow(missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table, path = polars_table(), tmp_path / "scores.parquet"
    table.write_parquet(path)
    sources = [table, Exported(table), path]
    for name in missing.split(" and "):
        monkeypatch.setitem(sys.modules, name, None)
    for source in sources:
        if missing == "pyarrow":
            assert read_table(source) == SCORES
            with pytest.raises(ValueError, match=r"expected one column 'human'"):
                read_table(source, score="human")
        else:
            with pytest.raises(ImportError, match="needs pyarrow: pip install pyarrow, or polars"):
                read_table(source)


def test_parquet(tmp_path: Path) -> None:
    need("pyarrow")
    path = tmp_path / "scores.parquet"
    parquet = need("pyarrow.parquet")
    parquet.write_table(pyarrow_table(), path)
    assert read_table(path) == SCORES
    assert read_judgments(str(path)) == JUDGED
    with pytest.raises(ValueError, match=r"scores.parquet: expected one column 'human'; got 'syst"):
        read_table(path, score="human")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_table(tmp_path / "nowhere.parquet")


@pytest.mark.parametrize(
    ("name", "between"), [("a.csv", ","), ("a.tsv", "\t"), ("a.txt", "\t"), ("a.csv.gz", ",")]
)
def test_text_files(tmp_path: Path, name: str, between: str) -> None:
    rows = [["text", "segment", "system", "score", "judge"]]
    rows += [['"two\nlines"', "1", "A", "80.5", "r1"], ["", "2", "A", "7e1", "r2"]]
    rows += [["x", "1", "B", "NA", "r1"], [f'"x{between}"', "3", '"B"', "-3.25", "r1"]]
    data = "\ufeff" + "\r\n".join(map(between.join, rows)) + "\r\n\r\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(data.encode()) if name.endswith(".gz") else data.encode())
    assert read_table(path) == SCORES
    assert read_judgments(path) == JUDGED
    with pytest.raises(ValueError, match="line 4, column 'text': expected a name; got none"):
        read_judgments(path, document="text")


def test_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("mt;s;r;da;d;k\nA;1;r1;80.5;d1;x\nA;2;r2;70;d1;y\nB;3;r1;-3.25;d2;x\n")
    scores = read_table(path, system="mt", segment="s", score="da", delimiter=";")
    assert scores == SCORES
    judged = read_judgments(
        path, system="mt", segment="s", judge="r", score="da", document="d", kind="k", delimiter=";"
    )
    assert judged.document is not None and judged.document.names == ("d1", "d2")
    assert judged.kind is not None and judged.kind.names == ("x", "y")
    assert judged.values.tolist() == [80.5, 70, -3.25]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv: expected a header; got an empty file"),
        ("system,segment\n", "a.csv, line 1: expected one column 'score'; got 'system', 'segment'"),
        ("system,segment,score\n", "a.csv: expected at least one score; got none"),
        ("system,segment,score,score\nA,1,2,3\n", "line 1: expected one column 'score'; got 2 of"),
        ("system,segment,score\nA,1\n", "a.csv, line 2: expected 3 columns; got 2"),
        ("system,segment,score\n\nA,1,two\n", "line 3, column 'score': expected a number; got 'tw"),
        ("system,segment,score\nA,1,1e999\n", "line 2, column 'score': expected a number"),
        ("system,segment,score\nA,,2\n", "line 2, column 'segment': expected a name; got none"),
        ("system,segment,score\nA,1,2\nA,1,2\n", "line 3: expected one score of system 'A' for s"),
        ('system,segment,score\n"A"s,1,2\n', "a.csv, line 2: "),
    ],
)
def test_bad_text_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"system": ["A", None, "B", "B"]}, ValueError, "row 2, column 'system': expected a name"),
        ({"segment": [1, 2.5, 1, 3]}, TypeError, "row 2, column 'segment': expected str or int"),
        ({"score": [1, 2, True, 3]}, TypeError, "row 3, column 'score': expected a number; got"),
        ({"score": [1, 2, 3, "x"]}, ValueError, "row 4, column 'score': expected a number; got"),
        ({"score": [1, 2, 3, np.inf]}, ValueError, "row 4, column 'score': expected a number"),
        ({"score": [1]}, ValueError, "score: expected 4 cells, as 'system' has; got 1"),
        ({"score": "abcd"}, TypeError, "score: expected a sequence of cells; got a single str"),
        ({"segment": [1, 1, 1, 3]}, ValueError, "source, row 2: expected one score of system 'A'"),
    ],
)
def test_bad_cells(changes: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        read_table({**COLUMNS, **changes})


def test_no_table() -> None:
    with pytest.raises(TypeError, match="source: expected a path, a dict of columns or a table"):
        read_table([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="source: expected at least one score; got none"):
        read_judgments({**COLUMNS, "score": [None] * 4})
