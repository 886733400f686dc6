#!/usr/bin/env bash
# Installs a Debian package of Bubblescope into a bare Debian 12 and starts both programs there:
#   packaging/check_package.sh bubblescope_VERSION_ARCH.deb
# Needs root and debootstrap (apt install debootstrap). Lintian, if it is installed, must find no error.
set -euo pipefail

fail() {
    printf 'check_package: %s\n' "$*" >&2
    exit 1
}

package=$(realpath "${1:?usage: check_package.sh PACKAGE.deb}")
[ "$(id -u)" -eq 0 ] || fail "needs root, to make a chroot"
command -v debootstrap >/dev/null || fail "debootstrap is not installed"

if command -v lintian >/dev/null; then
    lintian --fail-on error "$package" || fail "lintian found errors"
fi

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail -n 3 "$root.log" >&2; fail "debootstrap failed (log: $root.log)"; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
cp "$package" "$root/package.deb"
in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive QT_QPA_PLATFORM=offscreen HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
in_root apt-get update -qq
in_root apt-get install -y -qq --no-install-recommends /package.deb >/dev/null || fail "the package cannot be installed"
in_root bscope --version
in_root bscope run --layers 8 --iterations 1 -o /root/run.sqlite >/dev/null
in_root bubblescope --screenshot /root/window.png /root/run.sqlite
in_root bubblescope figure /root/run.sqlite -o /root/figure.pdf
for file in window.png figure.pdf; do [ -s "$root/root/$file" ] || fail "$file is empty"; done
# Links of the samples' README were not in the package.
samples=$root/usr/share/bubblescope/sample_runs
while read -r file; do [ -e "$samples/$file" ] || fail "the package has no sample_runs/$file"; done \
    < <(grep -oP '\]\(\K[^):]+|sample_runs/\K\w+\.sh' "$samples/README.md")
in_root apt-get remove -y -qq bubblescope >/dev/null
echo "$(basename "$package"): installed, started, drew a figure and was removed in a bare Debian 12"
