#!/usr/bin/env bash
# The picture of README.md: the window with the recorded samples, rendered offscreen:
#   packaging/screenshots.sh BUBBLESCOPE [FOLDER]      FOLDER: resources/screenshots of this tree
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUBBLESCOPE [FOLDER]" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "$1"); folder=${2:-$root/resources/screenshots}
mkdir -p "$folder"
home=$(mktemp -d); trap 'rm -rf "$home"' EXIT
chmod 700 "$home"
export QT_QPA_PLATFORM=offscreen XDG_CONFIG_HOME="$home" XDG_CACHE_HOME="$home" XDG_RUNTIME_DIR="$home"
cd "$root" # the window names a run by its path

"$program" --force --screenshot "$folder/compare.png" --theme light sample_runs/1f1b-d4-n8.sqlite sample_runs/bitpipe-d4-n8.sqlite
echo "$folder/compare.png"
