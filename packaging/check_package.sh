#!/usr/bin/env bash
# Installs a package of Bubblescope into a bare system and starts both programs there:
#   packaging/check_package.sh bubblescope_VERSION-1~deb12_ARCH.deb    in the Debian of its name, without one Debian 12
#   packaging/check_package.sh bubblescope-VERSION-linux-ARCH.tar.gz   in Ubuntu 22.04
# Needs root and debootstrap (apt install debootstrap). Lintian, if it is installed, must find no error.
set -euo pipefail

fail() {
    printf 'check_package: %s\n' "$*" >&2
    exit 1
}

package=$(realpath "${1:?usage: check_package.sh PACKAGE}")
[ "$(id -u)" -eq 0 ] || fail "needs root, to make a chroot"
command -v debootstrap >/dev/null || fail "debootstrap is not installed"

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
case "$package" in
    *~deb13_*.deb) suite=trixie system="Debian 13" ;;
    *.deb) suite=bookworm system="Debian 12" ;;
    *.tar.gz) suite=jammy system="Ubuntu 22.04" mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} ;;
    *) fail "$package is neither a .deb nor a .tar.gz" ;;
esac

root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || { tail -n 3 "$root.log" >&2; fail "debootstrap failed (log: $root.log)"; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive QT_QPA_PLATFORM=offscreen HOME=/root "PATH=$programs/usr/sbin:/usr/bin:/sbin:/bin" "$@"; }
if [ "$suite" = jammy ]; then
    name=$(basename "$package" .tar.gz)
    tar xzf "$package" -C "$root/root"
    installed=$root/root/$name
    programs=/root/$name/bin:
    newer=$(find "$installed" -type f \( -name '*.so*' -o -path '*/bin/b*' \) -exec objdump -T {} + 2>/dev/null | grep -oE 'GLIBC_2\.(3[5-9]|[4-9][0-9])' | sort -u || true)
    [ -z "$newer" ] || fail "the archive needs" $newer
    missing=$(find "$installed" -type f \( -name '*.so*' -o -path '*/bin/b*' \) -printf '/root/%P\n' | sed "s|^/root/|/root/$name/|" |
        while read -r file; do in_root env "LD_LIBRARY_PATH=/root/$name/lib" ldd "$file" | grep 'not found' || true; done | sort -u)
    [ -z "$missing" ] || fail "the archive lacks" $missing
else
    if command -v lintian >/dev/null; then
        lintian --fail-on error "$package" || fail "lintian found errors"
    fi
    cp "$package" "$root/package.deb"
    installed=$root/usr
    programs=
    in_root apt-get update -qq
    in_root apt-get install -y -qq --no-install-recommends /package.deb >/dev/null || fail "the package cannot be installed"
fi
in_root bscope --version
in_root bscope run --layers 8 --iterations 1 -o /root/run.sqlite >/dev/null
in_root bubblescope --screenshot /root/window.png /root/run.sqlite
in_root bubblescope figure /root/run.sqlite -o /root/figure.pdf
for file in window.png figure.pdf; do [ -s "$root/root/$file" ] || fail "$file is empty"; done
# Links of the samples' README were not in the package.
samples=$installed/share/bubblescope/sample_runs
while read -r file; do [ -e "$samples/$file" ] || fail "the package has no sample_runs/$file"; done \
    < <(grep -oP '\]\(\K[^):]+|sample_runs/\K\w+\.sh' "$samples/README.md")
[ "$suite" = jammy ] || in_root apt-get remove -y -qq bubblescope >/dev/null
[ -z "${KEEP:-}" ] || cp "$root/root/window.png" "$root/root/figure.pdf" "$KEEP"
echo "$(basename "$package"): started and drew a figure in a bare $system"
