#!/bin/bash
#SBATCH --job-name=mbr
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
# Minimum Bayes risk decoding of an n-best list by an array of jobs, a shard of the segments each.
#
#   job=$(sbatch --parsable mbr.sh nbest.gz shards)
#   sbatch --dependency="afterok:$job" join.sh shards best.txt
#
# Files of shards appear when they are complete. If some jobs failed, start these again and no
# others, such as with `sbatch --array=3,5 mbr.sh nbest.gz shards`.
set -euo pipefail
nbest=$1 folder=$2
of=8 # as many as --array has above
shard="$folder/$SLURM_ARRAY_TASK_ID-of-$of.txt"

mkdir -p "$folder"
rm -f "$shard" # of an earlier run
rapidbleu mbr "$nbest" -m chrf --threads "${SLURM_CPUS_PER_TASK:-1}" -q \
    --shard "$SLURM_ARRAY_TASK_ID/$of" -o "$shard"
