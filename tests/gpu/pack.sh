#!/usr/bin/env bash
# Builds what travels to a GPU machine: bscope, its plug-ins, the tests that need a GPU and the libraries they
# need, in one folder and one archive: `pack.sh --help`.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
readonly root most=$((56 * 1000 * 1000))
files=() # what goes in, by the names in $build/bin

usage() {
    cat <<'TEXT'
Usage: tests/gpu/pack.sh [-o DIR] [--build DIR] [--no-build] [CMAKE_ARGUMENT...]

Puts bscope, its plug-ins, the tests that need a GPU and their libraries into DIR [out/gpu], which runs
anywhere with the same or a newer glibc, and DIR into DIR.tar.gz, under 56 MB; tests/gpu/run_all.sh finds
either there. The archive is what travels.

--build DIR    the build folder [build/gpu]; rebuilt first
--no-build     take what lies there
CMAKE_ARGUMENT such as -DCUDA_ARCHITECTURES="80;90" (default here: 90)
TEXT
}

fail() { echo "pack.sh: $*" >&2; exit 1; }

target="$root/out/gpu" build="$root/build/gpu" builds=yes
arguments=()
while [ $# -gt 0 ]; do
    case "$1" in
    -o) target="${2:?}"; shift 2 ;;
    --build) build="${2:?}"; shift 2 ;;
    --no-build) builds=no; shift ;;
    -h | --help) usage; exit 0 ;;
    -D*) arguments+=("$1"); shift ;;
    *) fail "unknown option $1: see --help" ;;
    esac
done

# RPATH, not RUNPATH: it also serves the libraries of the libraries (OpenBLAS needs libgfortran), and
# what is opened at run time.
configure_and_build() {
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DBUILD_GUI=OFF \
        -DWITH_CUDA=ON -DCUDA_ARCHITECTURES=90 -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON '-DCMAKE_INSTALL_RPATH=$ORIGIN' \
        -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags "${arguments[@]}" >/dev/null
    mapfile -t files < <(ninja -C "$build" -t targets all | sed -n 's/^\([a-z_]*\): phony$/\1/p' \
        | grep -xE 'bscope|test_kernels|test_nccl_gpu|capture_overhead|bubblescope_cuda|bubblescope_nvtx')
    [ "$builds" = no ] || ninja -C "$build" "${files[@]}"
    files=("${files[@]/#bubblescope_/libbubblescope_}")
    files=("${files[@]/%_cuda/_cuda.so}")
    files=("${files[@]/%_nvtx/_nvtx.so}")
}

# Of the C library's family, which is the machine's own.
is_of_glibc() {
    case "$1" in
    libc.so* | libm.so* | ld-linux* | libdl.so* | libpthread.so* | librt.so* | linux-vdso*) return 0 ;;
    *) return 1 ;;
    esac
}

# Libraries that FILE needs, and the libraries of those; each to where it belongs.
take_libraries() {
    local name path
    while read -r name path; do
        is_of_glibc "$name" && continue
        case "$name" in
        libstdc++.so* | libgcc_s.so*) cp -Ln "$path" "$target/cxx/$name" ;;
        *) [ -e "$target/$name" ] || cp -L "$path" "$target/$name" ;;
        esac
    done < <(ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }')
}

# The newest version of glibc that anything in the pack asks for.
glibc_needed() {
    find "$target" -type f -exec objdump -T {} + 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' | sort -V | tail -n 1
}

if [ -n "$(ls -A "$target" 2>/dev/null)" ] && [ ! -e "$target/PACK.txt" ]; then
    fail "$target exists and is no pack: choose another folder"
fi
configure_and_build
for file in "${files[@]}"; do
    [ -e "$build/bin/$file" ] || fail "$build/bin/$file is missing: build it (ninja -C $build $file)"
done
rm -rf "$target"
mkdir -p "$target/cxx"
touch "$target/PACK.txt" # also of a pack that is not finished, which may be replaced
openblas="$(ldconfig -p | sed -n 's/.*libopenblas\.so\.0 .*=> //p' | head -n 1)"
[ -n "$openblas" ] || fail "libopenblas.so.0 is not installed (packaging/quickstart.sh deps)"
for file in "${files[@]}"; do
    cp "$build/bin/$file" "$target/"
    take_libraries "$build/bin/$file"
done
cp -L "$openblas" "$target/libopenblas.so.0"
take_libraries "$openblas"
if zstd="$(command -v zstd)"; then # a bare machine may have none
    cp -L "$zstd" "$target/zstd"
    take_libraries "$zstd"
fi
find "$target" -type f \( -name '*.so*' -o -perm -u+x \) -exec strip --strip-unneeded {} + 2>/dev/null
{
    echo "pack of $(git -C "$root" describe --always --dirty --abbrev=12), $(date -u +%Y-%m-%d)"
    echo "needs glibc $(glibc_needed | sed s/GLIBC_//) or newer"
} | tee "$target/PACK.txt"
# gzip: a bare machine has it, and nothing else for certain.
tar -C "$target" --owner=0 --group=0 -cf - . | gzip -6 >"$target.tar.gz"
bytes="$(stat -c %s "$target.tar.gz")"
echo "$target.tar.gz: $bytes bytes"
[ "$bytes" -le "$most" ] || fail "$target.tar.gz has $bytes bytes, more than the $most that travel"
