#!/usr/bin/env bash
# Trains `tiny` with two synchronous and two asynchronous schemes on as many tokens (200 updates of four micro-batches), and prints the iterations,
# updates and tokens that each needs to reach the lowest loss that all reach. About a minute: sample_runs/losses.sh [path of bscope] [folder for the runs]
set -euo pipefail
bscope=${1:-bscope}
folder=${2:-losses}
command -v "$bscope" > /dev/null || { echo "losses.sh: $bscope is not there; name it: sample_runs/losses.sh build/dev/bin/bscope" >&2; exit 1; }
mkdir -p "$folder"
train() # name, micro-batches of an iteration, iterations, options
{
    "$bscope" run --scheme "$1" --devices 4 --micro-batches "$2" --warmup 0 --iterations "$3" --text sample --force -o "$folder/$1.sqlite" "${@:4}"
}
train 1f1b 4 200
train bitpipe 4 200
train pipedream 4 200
train pipedream-2bw 4 200
"$bscope" compare "$folder"/{1f1b,bitpipe,pipedream,pipedream-2bw}.sqlite --loss best
echo "The curves side by side: bubblescope $folder/*.sqlite"
