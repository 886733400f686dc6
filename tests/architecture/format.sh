#!/usr/bin/env bash
# The whole tree is formatted with clang-format 14; a difference fails.
set -euo pipefail
cd "$1"
formatter=$(command -v clang-format-14 || true)
[ -n "$formatter" ] || { echo "SKIPPED: clang-format-14 is not installed (packaging/quickstart.sh deps)"; exit 77; }
git ls-files -z '*.cpp' '*.h' '*.cu' | xargs -0 "$formatter" --dry-run --Werror
