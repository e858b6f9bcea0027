"""Moses' files of features and statistics: what its extractor and its optimizers exchange."""

from rapidbleu.loading.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rapidbleu.scoring import RowScoring
    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.typing import Path, Progress


def read_stats(
    feature_files: "Path | Sequence[Path]",
    score_files: "Path | Sequence[Path]",
    metric: "RowScoring | None" = None,
    progress: "Progress | None" = None,
) -> "NBestList":
    """Read pairs of files of features and of statistics.

    Parameters
    ----------
    feature_files, score_files : path or sequence of paths
        Files of Moses' extractor or of `write_stats`, text or binary, plain or compressed. Several
        pairs are merged segment by segment, without duplicates; see `NBestList.merge`.
    metric : BLEU, PER, WER, CDER, TER or Interpolation of them, optional
        Whose statistics they are; PER with ``form="corpus"``. By default BLEU as Moses computes it,
        without smoothing.
    progress : callable, optional
        Called with the bytes read and all of them, of files as they are on the disk.

    Returns
    -------
    NBestList
        Without texts; the `ids` of segments are those in the files.

    Raises
    ------
    ValueError
        If a file is malformed, two files do not agree about segments, hypotheses or features, or
        the statistics are not those of the metric; the message has the file and the line.

    Notes
    -----
    Linear in the size of the files. Beyond the result, 100 bytes a hypothesis with BLEU and 15
    features, it takes some megabytes.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from rapidbleu.tuning import NBestList
    >>> nbest = NBestList(np.float32([[-1.5], [-2]]), [[4, 4, 4, 3, 2, 1, 4, 3, 2, 1]] * 2, [0, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = os.path.join(folder, "features"), os.path.join(folder, "scores")
    ...     write_stats(nbest, *files)
    ...     for name in files:
    ...         with open(name) as file:
    ...             print(*[line.rstrip() for line in file], sep="\\n")
    ...     again = read_stats(*files)
    FEATURES_TXT_BEGIN_0 0 2 1 F0
    -1.5
    -2
    FEATURES_TXT_END_0
    SCORES_TXT_BEGIN_0 0 2 9 BLEU
    4 4 3 3 2 2 1 1 4
    4 4 3 3 2 2 1 1 4
    SCORES_TXT_END_0
    >>> again.features.tolist(), again.stats.tolist() == nbest.stats.tolist()
    ([[-1.5], [-2.0]], True)
    """
    pairs = read_pairs(feature_files, score_files, metric, progress)
    lists = [nbest for nbest, _ in pairs]
    return lists[0] if len(lists) == 1 else lists[0].merge(*lists[1:])


def read_pairs(
    feature_files: "Path | Sequence[Path]",
    score_files: "Path | Sequence[Path]",
    metric: "RowScoring | None" = None,
    progress: "Progress | None" = None,
) -> "list[tuple[NBestList, int]]":
    """Read pairs of files as `read_stats` does, and keep them apart.

    Returns
    -------
    list of (NBestList, int)
        Of each pair the list, and how many of its features are dense.
    """
    from rapidbleu.streams.files import files_teller
    from rapidbleu.tuning.moses.score_types import Form, moses_bleu
    read_pair = load("rapidbleu.tuning.moses.stats_reading", "read_pair")
    metric = moses_bleu() if metric is None else metric
    Form(metric)  # refuses a metric whose statistics files have no form for
    features, scores = _as_list(feature_files), _as_list(score_files)
    if len(features) != len(scores) or not features:
        raise ValueError(
            f"score_files: expected as many as feature_files, {len(features)}, at least one; "
            f"got {len(scores)}"
        )
    tell = files_teller(progress, [*features, *scores])
    pairs = [read_pair(*pair, metric, tell) for pair in zip(features, scores, strict=True)]
    if tell is not None:
        tell.finish()
    return pairs


def write_stats(
    nbest: "NBestList", features_file: "Path", scores_file: "Path", binary: bool = False
) -> None:
    """Write features and statistics as Moses' extractor does.

    Parameters
    ----------
    nbest : NBestList
        Whose metric is one that `read_stats` reads.
    features_file, scores_file : path
        Compressed if the name ends in .gz, .bz2, .xz or .zst.
    binary : bool
        32-bit floats in the byte order of this machine; in text, features have six significant
        digits and counts all of theirs.

    Raises
    ------
    ValueError
        Before a file is touched: if the metric is another, if features are sparse and the file
        binary, which has no place for them, or if something would not be read as it is, such as a
        name with white space, a negative number of a segment, a feature beyond 32-bit floats or, in
        a binary file, a count above 2**24.
    """
    load("rapidbleu.tuning.moses.stats_writing")
    from rapidbleu.counts import check_type
    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.tuning.moses.stats_writing import count_dense, write_pair

    check_type("nbest", nbest, NBestList)
    write_pair(nbest, features_file, scores_file, binary, n_dense=count_dense(nbest))


def _as_list(paths: "Path | Sequence[Path]") -> "list[Path]":
    if isinstance(paths, (list, tuple)):
        return list(paths)
    return [paths]  # type: ignore[list-item]
