#!/usr/bin/env bash
# The pictures of README.md, rendered offscreen: the window with the recorded samples, and a found schedule:
#   packaging/screenshots.sh BUBBLESCOPE [FOLDER]      FOLDER: resources/screenshots of this tree; bscope is beside BUBBLESCOPE
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUBBLESCOPE [FOLDER]" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "$1"); folder=${2:-$root/resources/screenshots}
mkdir -p "$folder"
home=$(mktemp -d); trap 'rm -rf "$home"' EXIT
chmod 700 "$home"
export QT_QPA_PLATFORM=offscreen XDG_CONFIG_HOME="$home" XDG_DATA_HOME="$home" XDG_CACHE_HOME="$home" XDG_RUNTIME_DIR="$home"
cd "$root" # the window names a run by its path

"$program" --force --screenshot "$folder/run.png" --theme light sample_runs/1f1b-d4-n8.sqlite
echo "$folder/run.png"
"$program" --force --screenshot "$folder/compare.png" --theme light sample_runs/1f1b-d4-n8.sqlite sample_runs/bitpipe-d4-n8.sqlite
echo "$folder/compare.png"

costs=(--input-gradient 1.1 --weight-gradient 0.7 --p2p 0.1)
bscope=$(dirname "$program")/bscope
"$bscope" search -D 4 -N 8 --chunks 2 "${costs[@]}" --memory 3 --orders 1000000 -o "$home/found.csv"
"$bscope" simulate --schedule "$home/found.csv" "${costs[@]}" -o "$home/found.sqlite"
"$bscope" simulate --scheme v-half -D 4 -N 8 "${costs[@]}" -o "$home/v-half.sqlite"
"$program" figure "$home/v-half.sqlite" "$home/found.sqlite" --preset neurips --dpi 220 --force -o "$folder/found.png"
echo "$folder/found.png"
