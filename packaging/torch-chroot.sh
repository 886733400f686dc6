#!/usr/bin/env bash
# Makes a Debian unstable chroot with PyTorch (2 GB), in which tests/kit trains. Optional: tests/kit
# also uses this machine's PyTorch, and is skipped without one. Needs root and debootstrap.
#     packaging/torch-chroot.sh FOLDER [MIRROR]
#     BUBBLESCOPE_TORCH_CHROOT=FOLDER ctest --test-dir build/dev -L kit
set -euo pipefail
if [ $# = 0 ] || [ "$1" = --help ]; then sed -n "2,5s/^# //p" "$0"; exit 2; fi
folder=$1
mirror=${2:-http://deb.debian.org/debian}
fail() { echo "torch-chroot: $1" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "debootstrap needs root"
command -v debootstrap > /dev/null || fail "debootstrap is not installed: apt-get install debootstrap"
[ ! -e "$folder" ] || fail "$folder exists: choose another folder"
parent=$(dirname "$folder")
mkdir -p "$parent"
free=$(df --output=avail -k "$parent" | tail -n 1)
[ "$free" -ge $((3 * 1024 * 1024)) ] || fail "$parent has $((free / 1024)) MB free, but 3 GB are needed"
# An incomplete chroot would look like a complete one.
trap '[ $? = 0 ] || rm -rf "$folder"' EXIT
debootstrap --variant=minbase unstable "$folder" "$mirror"
chroot "$folder" apt-get install --yes --no-install-recommends python3-torch libopenblas0-pthread
rm -rf "$folder"/var/cache/apt/archives/*.deb
chroot "$folder" python3 -c 'import torch; print("PyTorch", torch.__version__)' || fail "PyTorch cannot be imported"
echo "BUBBLESCOPE_TORCH_CHROOT=$folder ctest --test-dir build/dev -L kit"
