#!/usr/bin/env bash
# A file manager knows a run by its content, draws its thumbnail and opens it with the window.
set -uo pipefail
source_folder=$1
window=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
failed() {
    echo "$*"
    status=1
}

packaging=$source_folder/packaging
desktop-file-validate "$packaging/bubblescope.desktop" || failed "the desktop entry is invalid"
# Newer versions warn that there is no homepage; none is named before one exists.
appstreamcli validate --no-net "$packaging"/*.metainfo.xml >"$work/appstream" ||
    { [ -s "$work/appstream" ] && ! grep '^[EW]:' "$work/appstream" | grep -qv url-homepage-missing; } ||
    failed "$(cat "$work/appstream")"

mkdir -p "$work/mime/packages" "$work/empty"
cp "$packaging/bubblescope.xml" "$work/mime/packages"
cp "$source_folder/sample_runs/bitpipe-d4-n8.sqlite" "$work/a run"
XDG_DATA_HOME=$work/empty XDG_DATA_DIRS=$work update-mime-database "$work/mime" || failed "the MIME type is invalid"
type=$(XDG_DATA_HOME=$work/empty XDG_DATA_DIRS=$work:/usr/share gio info -a standard::content-type "$work/a run")
for file in bubblescope.desktop bubblescope.thumbnailer; do
    opened=$(sed -n 's/^MimeType=\(.*\);$/\1/p' "$packaging/$file")
    grep -qF ": $opened" <<<"$type" || failed "$file is for $opened, and a run has $type"
done

# %i and %o are the files; a thumbnailer writes over a file that exists.
touch "$work/thumbnail.png"
command=$(sed -n 's/^Exec=bubblescope //p' "$packaging/bubblescope.thumbnailer")
command=${command/\%i/\"\$run\"}
command=${command/\%o/\"\$thumbnail\"}
run="$work/a run" thumbnail="$work/thumbnail.png" bash -c "\"$window\" $command" >"$work/drawn" 2>&1 || failed "$(cat "$work/drawn")"
[ "$(head -c 4 "$work/thumbnail.png" | tail -c 3)" = PNG ] || failed "the thumbnail is no picture"
exit "$status"
