#!/usr/bin/env bash
# Every file that a page of documentation links to exists, and the manual pages are complete.
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

# The manual pages know every command and every option of a figure.
commands=$(grep -oP 'Command\{"\K[a-z]+' app/cli/commands/commands.cpp)
options=$({ sed '/ExportSettings::formats/,$d' app/figures/figure_recipe.cpp; cat app/window/command_line.cpp; } |
    grep -oP '(?<=[ "])--?[a-z]+(-[a-z]+)?(?=\b)' | sort -u) # without those of the export dialog
[ -n "$commands" ] && [ -n "$options" ] || { echo "no commands or options were found in the sources"; status=1; }
for command in $commands; do
    grep -qx "\.B $command" packaging/man/bscope.1 || { echo "bscope.1 does not explain $command"; status=1; }
done
page=$(sed -E 's/\\f[A-Z]//g; s/\\-/-/g' packaging/man/bubblescope.1)
for option in $options; do
    grep -qwe "$option" <<< "$page" || { echo "bubblescope.1 does not know $option"; status=1; }
done

# quickstart.sh explains every environment variable that it reads.
help=$(packaging/quickstart.sh --help)
for variable in $(grep -oP '\$\{\K[A-Z_]+(?=:-)' packaging/quickstart.sh | sort -u); do
    grep -qw "$variable" <<< "$help" || { echo "quickstart.sh --help does not explain $variable"; status=1; }
done
exit $status
