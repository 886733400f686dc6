#!/usr/bin/env bash
# Builds what is released, from the commit that is checked out and in clean chroots:
#   packaging/release.sh [FOLDER]      (default: build/release)
#   bubblescope_VERSION-1~deb12_ARCH.deb, bubblescope_VERSION-1~deb13_ARCH.deb
#   bubblescope-VERSION-linux-ARCH.tar.gz   for other systems with glibc 2.34 or newer: unpack it and start bin/bubblescope
#   SHA256SUMS
# Then tries each with check_package.sh. Needs root, debootstrap (apt install debootstrap) and about 4 GB.
#
# Environment:
#   DEBIAN_MIRROR  default: http://deb.debian.org/debian
#   CCACHE_DIR     compiler cache to use in the chroots (default: none)
#   CUDA_HOME      toolkit for the CUDA plug-in (default: /usr/local/cuda); without one the packages have no plug-in
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly root

say() { printf '%s\n' "$*"; }
fail() {
    printf 'release: %s\n' "$*" >&2
    exit 1
}

[ "$#" -le 1 ] || fail "usage: release.sh [FOLDER]"
[ "$(id -u)" -eq 0 ] || fail "needs root, to make chroots"
command -v debootstrap >/dev/null || fail "debootstrap is not installed"
git -C "$root" diff --quiet HEAD || fail "there are changes that are not committed; a release is built from a commit"
mkdir -p "${1:-$root/build/release}"
out="$(realpath "${1:-$root/build/release}")"
cuda="${CUDA_HOME:-/usr/local/cuda}"
mirror="${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
work="$(mktemp -d)"
readonly out cuda mirror work

unmount() { mount | awk -v below="$work/" 'index($3, below) == 1 { print $3 }' | sort -r | xargs -r umount; }
trap 'unmount; rm -rf "$work"' EXIT

# bind HOST_FOLDER FOLDER_IN_CHROOT
bind() {
    mkdir -p "$2"
    mount --bind "$1" "$2"
}

# Runs a command in the chroot of $suite; its output goes to a log that a failure names.
in_chroot() {
    local log="$out/$suite.log"
    chroot "$work/$suite" env DEBIAN_FRONTEND=noninteractive HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "${in_build[@]}" \
        "$@" >>"$log" 2>&1 || fail "$suite: '$*' failed (log: $log)"
}

# Makes the chroot of $suite and builds the sources in it.
build_in() {
    say "$suite: installing the build tools"
    rm -f "$out/$suite.log"
    debootstrap --variant=minbase "$suite" "$work/$suite" "$mirror" >"$out/$suite.log" 2>&1 ||
        fail "debootstrap failed (log: $out/$suite.log)"
    mount -t proc proc "$work/$suite/proc"
    in_build=(WITH_CUDA=OFF CCACHE_DISABLE=1)
    if [ -n "${CCACHE_DIR:-}" ]; then
        bind "$CCACHE_DIR" "$work/$suite/ccache"
        in_build=(WITH_CUDA=OFF CCACHE_DIR=/ccache)
    fi
    if [ -x "$cuda/bin/nvcc" ]; then
        bind "$cuda" "$work/$suite/usr/local/cuda"
        in_build[0]=WITH_CUDA=ON
    fi
    mkdir "$work/$suite/src"
    git -C "$root" archive HEAD | tar x -C "$work/$suite/src"
    say "$suite: building (10 to 30 minutes of CPU)"
    in_chroot /src/packaging/quickstart.sh build
}

package() {
    say "$suite: packaging"
    in_chroot apt-get install -y -qq --no-install-recommends dpkg-dev file
    in_chroot sh -c "cd /src/build/quickstart && cpack -G DEB -D CPACK_DEBIAN_PACKAGE_RELEASE=1~$1"
    cp "$work/$suite"/src/build/quickstart/*.deb "$out"
}

# The programs with every library but glibc's and GCC's, which all systems have. The programs find them by DT_RPATH, which
# unlike DT_RUNPATH also holds for the libraries of libraries.
archive() {
    say "$suite: making the archive"
    local version name
    version="$(sed -n 's/^project(bubblescope VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")"
    name="bubblescope-$version-linux-$(uname -m)"
    in_chroot apt-get install -y -qq --no-install-recommends binutils python3-minimal qt6-wayland
    cat >"$work/$suite/src/arc4random.c" <<'C'
#include <stddef.h>
#include <sys/random.h>

/* glibc has these from 2.36. getrandom() fails for no request of at most 256 bytes. */
void arc4random_buf(void* bytes, size_t size)
{
    for (char* at = bytes; size > 0;) {
        ssize_t done = getrandom(at, size < 256 ? size : 256, 0);
        if (done > 0) {
            at += done;
            size -= (size_t)done;
        }
    }
}

unsigned arc4random(void)
{
    unsigned value;
    arc4random_buf(&value, sizeof value);
    return value;
}
C
    cat >"$work/$suite/src/archive.sh" <<'SH'
set -euo pipefail
cd /src
into="/src/archive/$1"
mkdir -p "$into/lib/plugins" "$into/share/fonts" "$into/share/doc/bubblescope/libraries"
cc -O2 -shared -fPIC -Wl,-soname,libarc4random.so -o "$into/lib/libarc4random.so" arc4random.c
cmake -S . -B build/quickstart "-DCMAKE_INSTALL_RPATH=\$ORIGIN/../lib" \
    "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags,--no-as-needed,$into/lib/libarc4random.so,--as-needed"
ninja -C build/quickstart
cmake --install build/quickstart --strip --prefix "$into"
qt="$(dirname "$(find /usr/lib -name libqxcb.so)")/.."
for plugins in platforms wayland-decoration-client wayland-graphics-integration-client wayland-shell-integration \
    xcbglintegrations; do
    cp -r "$qt/$plugins" "$into/lib/plugins"
done
rm -f "$into"/lib/plugins/platforms/lib{qeglfs,qlinuxfb,qminimalegl,qvkkhrdisplay,qvnc}.so
printf '[Paths]\nPrefix = ..\nPlugins = lib/plugins\n' >"$into/bin/qt.conf"
cp -L "$(find /usr/lib -name libopenblas.so.0 | head -n 1)" "$into/lib/libopenblas.so.0"
find "$into/bin" "$into/lib" -type f \( -name '*.so*' -o -path '*/bin/b*' \) -print0 | xargs -0 ldd 2>/dev/null |
    awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(ld-linux[^/]*|libc|libm|libdl|librt|libpthread|libresolv|libgcc_s)\.so|/src/' |
    while read -r library; do
        cp -L "$library" "$into/lib"
        owner="$(dpkg-query -S "*/$(basename "$(realpath "$library")")" | head -n 1 | cut -d : -f 1)"
        cp -L "/usr/share/doc/$owner/copyright" "$into/share/doc/bubblescope/libraries/$owner"
    done
cp /usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-{Regular,Medium,Bold,Italic}.ttf \
    /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf "$into/share/fonts"
find "$into/bin" "$into/lib" -type f \( -name '*.so*' -o -path '*/bin/b*' \) ! -name qt.conf \
    -exec python3 packaging/lower_glibc.py {} +
cat >"$into/README" <<'TEXT'
Bubblescope for Linux systems with glibc 2.34 or newer (Ubuntu 22.04, RHEL 9 and later). Nothing is installed:

    bin/bscope run --scheme bitpipe -o run.sqlite
    bin/bubblescope run.sqlite

The folder can be moved as a whole. Everything that is not glibc's or GCC's is in lib.
The guide is in share/doc/bubblescope/guide; share/doc/bubblescope has the licences, also of the libraries.
TEXT
tar czf "archive/$1.tar.gz" -C archive "$1"
SH
    in_chroot bash /src/archive.sh "$name"
    cp "$work/$suite/src/archive/$name.tar.gz" "$out"
}

suite=bookworm
build_in
package deb12
archive
unmount
suite=trixie
build_in
package deb13
unmount

cd "$out"
sha256sum -- *.deb *.tar.gz >SHA256SUMS
for file in *.deb *.tar.gz; do "$root/packaging/check_package.sh" "$file"; done
say "The release is in $out:"
cat SHA256SUMS
