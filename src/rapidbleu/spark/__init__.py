"""Spark: statistics, scores, intervals and MBR decoding for DataFrames of any size.

Needs the extra ``spark``. Tasks turn segments into rows of integers, which Spark adds up. So scores
equal scores on one machine to the last bit, independent of partitions, failures and retries.

Examples
--------
>>> from rapidbleu.spark import poisson_bootstrap, score, stats
>>> df = session.read.parquet("segments.parquet")                       # doctest: +SKIP
>>> st = stats(df, hyp="mt", refs=["reference"], id="segment", keep="lang")    # doctest: +SKIP
>>> st.write.mode("overwrite").parquet("stats.parquet")                 # doctest: +SKIP
>>> st = session.read.parquet("stats.parquet")                          # doctest: +SKIP
>>> score(st)                                                           # doctest: +SKIP
>>> score(st, by="lang")["de"].score                                    # doctest: +SKIP
>>> poisson_bootstrap(st)                                                       # doctest: +SKIP
"""

from rapidbleu.spark.rows import mbr, poisson_bootstrap, score, stats

__all__ = ["mbr", "poisson_bootstrap", "score", "stats"]
