#!/usr/bin/env bash
# Every file that a page of documentation links to exists.
set -euo pipefail
cd "$1"
status=0
links() { # page:target per line
    local page
    git ls-files '*.md' | while read -r page; do
        grep -oE '\]\([^)#: ]+' "$page" | sed "s|^](|$page:|" || true
    done
}
while IFS=: read -r page target; do
    [ -e "$(dirname "$page")/$target" ] || { echo "$page links to $target, which does not exist"; status=1; }
done < <(links)
exit $status
