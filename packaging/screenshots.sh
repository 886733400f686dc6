#!/usr/bin/env bash
# Pictures of the window with the recorded samples, rendered offscreen:
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

runs=(sample_runs/1f1b-d4-n8.sqlite sample_runs/bitpipe-d4-n8.sqlite)
picture() { # NAME options ...
    "$program" --force --screenshot "$folder/$1.png" "${@:2}"
    echo "$folder/$1.png"
}
for theme in light dark; do
    ending=${theme/light/}; ending=${ending:+-$ending}
    picture "start$ending" --theme "$theme"
    picture "setup$ending" --theme "$theme" --page setup
    picture "mapping$ending" --theme "$theme" --page mapping
    picture "cluster$ending" --theme "$theme" --page cluster
    picture "run$ending" --theme "$theme" "${runs[1]}"
    picture "why$ending" --theme "$theme" --page why "${runs[0]}"
    picture "compare$ending" --theme "$theme" "${runs[@]}"
    picture "study$ending" --theme "$theme" resources/studies/best-scheme.toml
done
