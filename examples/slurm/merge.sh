#!/bin/bash
#SBATCH --job-name=stats-merge
#SBATCH --time=00:10:00
# The rows of all shards in one file, and their score with an interval: see stats.sh.
# A shard that is missing, damaged or of other options is an error, and nothing is written.
set -euo pipefail
folder=$1 output=$2

rapidbleu merge "$folder"/*-of-*.npz -q -o "$output"
rapidbleu score --stats "$output" -ci -f text -q
