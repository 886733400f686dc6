#!/usr/bin/env bash
# Records the runs of this folder anew: sample_runs/record.sh [path of bscope]
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
bscope=${1:-bscope}
command -v "$bscope" > /dev/null || { echo "record.sh: $bscope is not there; name it: sample_runs/record.sh build/dev/bin/bscope" >&2; exit 1; }
for name in 1f1b-d4-n8 bitpipe-d4-n8; do
    "$bscope" experiment "$folder/$name.toml" --force --progress none -o "$folder/$name.sqlite"
done
