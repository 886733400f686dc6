#!/usr/bin/env bash
# clang-tidy 16 over the engine, the profiler and the app, one file at a time; a finding fails.
#   packaging/tidy.sh [--changed] [FOLDER|FILE ...]     --changed: only what differs from main
#   packaging/tidy.sh --unity     everything, by the sources of a unity build: half an hour on two cores
# BUILD=build/dev names the configured build tree whose compile commands are used.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/dev}
tidy=$(command -v clang-tidy-16 || true)
[ -n "$tidy" ] || { echo "clang-tidy-16 is not installed: apt install clang-tidy-16"; exit 77; }
[ -f "$build/compile_commands.json" ] || { echo "no compile commands in $build: run cmake --preset dev"; exit 1; }

failed=0
check() { # FILE [OPTION ...]
    "$tidy" -p "$build" --quiet "$@" 2>/dev/null || { echo "FAILED: $1"; failed=1; }
}

if [ "${1:-}" = --unity ]; then
    # A name in one file may shadow one of another; GCC's -Wshadow checks each file by itself.
    find "$(realpath "$build")"/{app,engine,profiler} -name 'unity_*_cxx.cxx' -print0 \
        | xargs -0 -n1 -P"$(nproc)" "$tidy" -p "$build" --quiet --config-file=.clang-tidy \
            --checks=-bugprone-suspicious-include,-clang-diagnostic-shadow \
            --header-filter="$PWD/(app|engine|profiler)/.*\.(h|cpp)$" 2>/dev/null
    exit
fi
list=(git ls-files)
if [ "${1:-}" = --changed ]; then
    shift
    list=(git diff --name-only --diff-filter=d "$(git merge-base HEAD main)")
fi
[ $# -gt 0 ] || set -- engine profiler app

while IFS= read -r file; do
    grep -qF "/$file\"" "$build/compile_commands.json" || continue # not built here
    check "$file"
done < <("${list[@]}" -- "$@" | grep '\.cpp$' || true)
exit $failed
