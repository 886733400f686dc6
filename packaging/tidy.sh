#!/usr/bin/env bash
# clang-tidy 14 over the engine, the profiler and the app, one file at a time; a finding fails.
#   packaging/tidy.sh [--changed] [FOLDER|FILE ...]     --changed: only what differs from main
# BUILD=build/dev names the configured build tree whose compile commands are used.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/dev}
tidy=$(command -v clang-tidy-14 || true)
[ -n "$tidy" ] || { echo "clang-tidy-14 is not installed: apt install clang-tidy-14"; exit 77; }
[ -f "$build/compile_commands.json" ] || { echo "no compile commands in $build: run cmake --preset dev"; exit 1; }

list=(git ls-files)
if [ "${1:-}" = --changed ]; then
    shift
    list=(git diff --name-only --diff-filter=d "$(git merge-base HEAD main)")
fi
[ $# -gt 0 ] || set -- engine profiler app

failed=0
while IFS= read -r file; do
    grep -qF "/$file\"" "$build/compile_commands.json" || continue # not built here
    "$tidy" -p "$build" --quiet "$file" 2>/dev/null || { echo "FAILED: $file"; failed=1; }
done < <("${list[@]}" -- "$@" | grep '\.cpp$' || true)
exit $failed
