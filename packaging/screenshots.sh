#!/usr/bin/env bash
# Pictures of the window, rendered offscreen: packaging/screenshots.sh BUBBLESCOPE FOLDER [RUN.sqlite ...]
# Without runs it simulates two with the bscope beside BUBBLESCOPE.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: $0 BUBBLESCOPE FOLDER [RUN.sqlite ...]" >&2; exit 2; }
program=$(realpath "$1"); folder=$2; shift 2
mkdir -p "$folder"
home=$(mktemp -d); trap 'rm -rf "$home"' EXIT
export QT_QPA_PLATFORM=offscreen XDG_CONFIG_HOME="$home" XDG_CACHE_HOME="$home" XDG_RUNTIME_DIR="$home"

runs=("$@")
if [ ${#runs[@]} = 0 ]; then
    for scheme in 1f1b bitpipe; do
        "$(dirname "$program")/bscope" simulate --scheme "$scheme" --devices 4 --micro-batches 8 \
            -o "$home/$scheme.sqlite" > /dev/null
        runs+=("$home/$scheme.sqlite")
    done
fi

picture() { # NAME options ...
    "$program" --screenshot "$folder/$1.png" "${@:2}"
    echo "$folder/$1.png"
}
for theme in light dark; do
    picture "start-$theme" --theme "$theme"
    picture "setup-$theme" --theme "$theme" --page setup
    picture "run-$theme" --theme "$theme" "${runs[-1]}"
    picture "compare-$theme" --theme "$theme" "${runs[@]}"
done
picture keys --page keys
picture commands --page commands
picture narrow --size 1280x800 "${runs[-1]}"
