#!/bin/bash
#SBATCH --job-name=stats
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
# Rows of statistics of a system by an array of jobs, a shard of the segments each.
#
#   job=$(sbatch --parsable stats.sh ref.txt hyp.txt shards)
#   sbatch --dependency="afterok:$job" merge.sh shards hyp.npz
#
# Files of shards appear when they are complete. If some jobs failed, start these again and no
# others, such as with `sbatch --array=3,5 stats.sh ref.txt hyp.txt shards`.
set -euo pipefail
ref=$1 hyp=$2 folder=$3
of=8 # as many as --array has above
shard="$folder/$SLURM_ARRAY_TASK_ID-of-$of.npz"

mkdir -p "$folder"
rm -f "$shard" "$shard.json" # of an earlier run
rapidbleu stats "$ref" -i "$hyp" -m bleu --threads "${SLURM_CPUS_PER_TASK:-1}" -q \
    --shard "$SLURM_ARRAY_TASK_ID/$of" -o "$shard"
