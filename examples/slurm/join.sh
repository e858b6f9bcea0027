#!/bin/bash
#SBATCH --job-name=mbr-join
#SBATCH --time=00:10:00
# The outputs of all shards in one file, once all are there: see mbr.sh.
set -euo pipefail
folder=$1 output=$2
of=8 # as in mbr.sh

shards=()
for ((i = 1; i <= of; i++)); do
    shard="$folder/$i-of-$of.txt"
    if [[ ! -e $shard ]]; then
        echo "$shard is missing" >&2
        exit 1
    fi
    shards+=("$shard")
done
cat "${shards[@]}" >"$output.part"
mv "$output.part" "$output"
