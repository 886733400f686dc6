#!/usr/bin/env bash
# Installs missing packages on Debian 12 or 13, builds Bubblescope, and runs or tests it. Users and CI both
# install with this script. `packaging/quickstart.sh --help` lists its commands.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly root

# Debian 12 package names. To build and run:
readonly build_packages=(
    g++ cmake ninja-build ccache git ca-certificates
    qt6-base-dev libgl-dev libegl-dev
    libsqlite3-dev libfreetype-dev nlohmann-json3-dev libcli11-dev libfmt-dev libtomlplusplus-dev libexpected-dev
    libsimdjson-dev libarchive-dev zlib1g-dev libre2-dev
    libopenblas-pthread-dev fonts-roboto-unhinted fonts-dejavu-core
)
# More, to test:
readonly test_packages=(catch2 libbenchmark-dev coinor-cbc sqlite3 clang-format-14 poppler-utils procps
    desktop-file-utils appstream shared-mime-info libglib2.0-bin)
# More, to make packages with cpack:
readonly package_packages=(file dpkg-dev)

say() { printf '%s\n' "$*"; }
fail() {
    printf 'quickstart: %s\n' "$*" >&2
    exit 1
}

# make_folder FOLDER VARIABLE: creates FOLDER; VARIABLE can name another folder.
make_folder() {
    { mkdir -p "$1" && [ -w "$1" ]; } 2>/dev/null || fail "cannot write to $1; set $2 to a writable folder"
}

usage() {
    cat <<'TEXT'
Usage: packaging/quickstart.sh COMMAND

  run     install missing packages, build what trains and draws, train BitPipe and 1F1B, emulated on
          the CPU, write their comparison as a page, then build the window and all commands, and open
          the comparison; without a display, write it to a PDF and a PNG file
  test    install missing packages, build, and run all tests
  build   install missing packages and build into build/quickstart
  deps    only install missing packages

Needs root or sudo to install packages. It can be run again at any time; finished steps are skipped.

Environment:
  JOBS           parallel compile jobs (default: the number of cores)
  BUILD_DIR      build folder (default: build/quickstart)
  WITH_CUDA      build the CUDA plug-in: ON, OFF or AUTO (default: AUTO, which builds it for the
                 GPUs of this machine if it has both a GPU and the CUDA toolkit)
  CUDA_HOME      folder of the CUDA toolkit (default: /usr/local/cuda, then nvcc from PATH)
  XDG_DATA_HOME  run writes its results to bubblescope/quickstart below it (default: ~/.local/share)
  DISPLAY, WAYLAND_DISPLAY  run opens a window if one of them is set
TEXT
}

# --- packages ---------------------------------------------------------------------------------------------------

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s\n' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Asks for the password, if one is needed, before the output of apt-get goes to a log.
check_may_install() {
    [ "$(id -u)" -ne 0 ] || return 0
    command -v sudo >/dev/null ||
        fail "these Debian packages are missing, and installing them needs root or sudo: $*"
    # sudo -v asks for a password even if every command is allowed without one.
    sudo -n true 2>/dev/null || sudo -v || fail "this user may not use sudo; ask an administrator to install: $*"
}

# Prints the cause of the failure that is in the log of apt-get, in one line.
cause_of() {
    if grep -qiE 'resolving|could not connect|unreachable|timed out' "$1"; then
        say "the package servers cannot be reached; check the network"
    elif grep -qi 'no space left\|enough free space' "$1"; then
        say "the disk is full; free some space"
    elif grep -qi 'could not get lock' "$1"; then
        say "another program is installing packages; wait for it to finish"
    elif grep -qi 'unable to locate package' "$1"; then
        say "$(grep -i -m 1 'unable to locate package' "$1"); this needs Debian 12, 13 or a derivative"
    else
        say "$(grep -E -m 1 '^E:' "$1" || tail -n 1 "$1")"
    fi
}

# Drops packages from `missing` that later releases no longer have, unless the build needs them.
leave_out_absent() {
    local package absent=() present=()
    for package in "${missing[@]}"; do
        if apt-cache show "$package" >/dev/null 2>&1 || [[ " ${build_packages[*]} " == *" $package "* ]]; then
            present+=("$package")
        else
            absent+=("$package")
        fi
    done
    missing=("${present[@]}")
    [ "${#absent[@]}" -eq 0 ] || say "Not in this release, and left out: ${absent[*]}"
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -eq 0 ] && return
    check_may_install "${missing[@]}"
    local log size
    log="$(mktemp)"
    as_root apt-get update -qq >"$log" 2>&1 ||
        fail "apt-get could not install the packages: $(cause_of "$log") (log: $log)"
    leave_out_absent
    [ "${#missing[@]}" -gt 0 ] || return 0
    size="$(apt-get install --assume-no --no-install-recommends "${missing[@]}" 2>/dev/null |
        sed -n 's/^Need to get \(.*\) of archives.*/, \1 to download/p' || true)"
    say "Installing ${#missing[@]} Debian packages and what they need$size: ${missing[*]}"
    if ! { as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
        >"$log" 2>&1; then
        fail "apt-get could not install the packages: $(cause_of "$log") (log: $log)"
    fi
    rm -f "$log"
}

# On another distribution: name what is missing, by what provides it on Debian 12.
check_without_apt() {
    local missing=() tool header
    for tool in g++ cmake ninja git; do
        command -v "$tool" >/dev/null || missing+=("the program $tool")
    done
    while read -r header package; do
        local found=
        for folder in /usr/include /usr/local/include /usr/include/qt6 "/usr/include/$(uname -m)-linux-gnu" \
            "/usr/include/$(uname -m)-linux-gnu/qt6" /usr/include/openblas; do
            [ -e "$folder/$header" ] && found=yes
        done
        [ -n "$found" ] || missing+=("$header (Debian: $package)")
    done <<'HEADERS'
QtWidgets/QWidget qt6-base-dev
sqlite3.h libsqlite3-dev
freetype2/ft2build.h libfreetype-dev
nlohmann/json.hpp nlohmann-json3-dev
CLI/CLI.hpp libcli11-dev
fmt/format.h libfmt-dev
toml++/toml.h libtomlplusplus-dev
tl/expected.hpp libexpected-dev
simdjson.h libsimdjson-dev
archive.h libarchive-dev
zlib.h zlib1g-dev
re2/re2.h libre2-dev
HEADERS
    if [ "${#missing[@]}" -gt 0 ]; then
        printf 'quickstart: this is not Debian or a derivative; install these with your package manager:\n' >&2
        printf '  %s\n' "${missing[@]}" >&2
        exit 1
    fi
}

ensure_packages() {
    if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
        install_packages "$@"
    else
        check_without_apt
    fi
}

# --- CUDA -------------------------------------------------------------------------------------------------------

# In the order of packaging/cmake/BubblescopeCuda.cmake.
find_nvcc() {
    local nvcc
    for nvcc in "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" /usr/local/cuda/bin/nvcc "$(command -v nvcc)"; do
        [ ! -x "$nvcc" ] || { printf '%s\n' "$nvcc"; return; }
    done
}

# Compute capabilities from 8.0 of the GPUs of this machine, one a line: "90"; nothing without a GPU.
gpu_architectures() {
    command -v nvidia-smi >/dev/null || return 0
    { nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; } |
        awk -F. '/^[0-9]+[.][0-9]+$/ && $1 >= 8 { print $1 $2 }' | sort -nu
}

# Sets cuda_options. Kernels are compiled for the GPUs of this machine only, and not at all without one; packages
# (cmake --preset release, then cpack) are built for every released architecture.
choose_cuda() {
    local architectures nvcc
    architectures="$(gpu_architectures)"
    nvcc="$(find_nvcc)"
    cuda_options=("-DWITH_CUDA=${WITH_CUDA:-AUTO}")
    if [ "${WITH_CUDA:-AUTO}" = AUTO ] && [ -z "$architectures" ]; then
        cuda_options=(-DWITH_CUDA=OFF)
        [ -z "$nvcc" ] || say "No NVIDIA GPU of compute capability 8.0 or newer: not building the CUDA plug-in (WITH_CUDA=ON builds it)"
    elif [ "${WITH_CUDA:-AUTO}" = AUTO ] && [ -z "$nvcc" ]; then
        say "No CUDA toolkit: building without the CUDA plug-in, although this machine has an NVIDIA GPU"
        say "  Install CUDA 12.4 or newer (https://developer.nvidia.com/cuda-downloads) and run this script again."
    fi
    # A GPU that is newer than the toolkit needs the released architectures, whose PTX its driver can compile.
    if [ -n "$architectures" ] && [ -n "$nvcc" ] && ! grep -vqxFf <("$nvcc" --list-gpu-arch | sed 's/^compute_//') <<<"$architectures"; then
        cuda_options+=("-DCUDA_ARCHITECTURES=$(paste -sd';' <<<"$architectures")")
    fi
}

# --- build ------------------------------------------------------------------------------------------------------

fail_build() {
    ! grep -qi 'no space left on device' "$1" || fail "the build failed: the disk of $(dirname "$1") is full; free some space"
    grep -E -m 20 -A 5 'error|FAILED' "$1" >&2 || tail -n 30 "$1" >&2
    fail "the build failed; its log is $1"
}

# Reads the output of ninja and prints the progress of building WHAT with the time that is left: on a terminal a line that
# is overwritten, elsewhere one line per tenth. Prints nothing if nothing is built.
show_progress() {
    local what="$1" begin="$SECONDS" last=-1 line percent left unit=10 format='  built %d %%, %d:%02d minutes%s\n'
    [ ! -t 1 ] || { unit=1 format='\r  built %d %%, %d:%02d minutes%s   '; }
    while IFS= read -r line; do
        [[ "$line" =~ ^\[([0-9]+)/([0-9]+)\]\ ([^ ]+) && "${BASH_REMATCH[3]}" != Re-* ]] || continue
        [ "$last" -ge 0 ] || say "Building $what"
        percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        percent=$((percent - percent % unit))
        [ "$percent" -gt "$last" ] || continue
        last="$percent"
        left=$(((SECONDS - begin) * (100 - percent) / (percent > 0 ? percent : 1)))
        [ "$percent" -ge 10 ] && [ "$left" -gt 0 ] && left=", about $(((left + 59) / 60)) more" || left=
        # shellcheck disable=SC2059
        printf "$format" "$percent" "$(((SECONDS - begin) / 60))" "$(((SECONDS - begin) % 60))" "$left"
    done
    [ "$unit" -ne 1 ] || [ "$last" -lt 0 ] || printf '\n'
}

# The whole log stays beside the build.
run_ninja() {
    local build="$1" log="$1/quickstart.log" what="$2"
    shift 2
    ninja -C "$build" -j "${JOBS:-$(nproc)}" "$@" 2>&1 | tee "$log" | show_progress "$what" || fail_build "$log"
}

configure() {
    local build="$1" log
    shift
    make_folder "$build" BUILD_DIR
    # ccache does not work without a folder of its own.
    mkdir -p "${CCACHE_DIR-${HOME-/nonexistent}/.cache/ccache}" 2>/dev/null || export CCACHE_DISABLE=1
    log="$build/configure.log"
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_UNITY_BUILD=ON "${cuda_options[@]}" "$@" >"$log" 2>&1 || {
        ! grep -qi 'no space left on device' "$log" || fail "the disk of $build is full; free some space"
        tail -n 20 "$log" >&2
        fail "CMake could not configure the build; its log is $log"
    }
}

# Sets build and programs. All commands share one build.
configure_release() {
    build="${BUILD_DIR:-$root/build/quickstart}"
    programs="$build/bin"
    configure "$build" -DCMAKE_BUILD_TYPE=Release "-DBUILD_TESTING=$1"
}

# --- commands ---------------------------------------------------------------------------------------------------

# Fails if there is no display; a display that is set may still be unreachable.
open_comparison() {
    [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || return 1
    say "Opening the comparison"
    local file status=0
    file="$(mktemp)"
    { "$programs/bubblescope" "$@" 2>&1 >&3 | tee "$file" >&2 || status=$?; } 3>&1
    local has_display=true
    ! grep -q 'no display is available' "$file" || has_display=false
    rm -f "$file"
    [ "$status" -ne 0 ] && ! "$has_display" || exit "$status"
    return 1
}

# The commands that train and draw are built first, long before the rest.
command_run() {
    local folder="${XDG_DATA_HOME:-${HOME-}/.local/share}/bubblescope/quickstart" runs answer
    make_folder "$folder" XDG_DATA_HOME
    ensure_packages "${build_packages[@]}"
    choose_cuda
    configure_release OFF
    run_ninja "$build" "what trains and draws" bscope_first
    say "Training a small GPT with 1F1B and BitPipe in turns on four pipeline devices (emulated on the CPU)"
    runs=("$folder/1f1b-D4-N8.sqlite" "$folder/bitpipe-D4-N8.sqlite")
    "$programs/bscope_first" run --scheme 1f1b --scheme bitpipe --rounds 5 --devices 4 --micro-batches 8 --force \
        -o "$folder" >"$folder/runs.txt"
    say "  the runs in numbers: $folder/runs.txt"
    answer="$("$programs/bscope_first" compare "${runs[@]}" --html "$folder/comparison.html" --force)"
    say "${answer%%$'\n'*}"
    say "  their timelines: $folder/comparison.html"
    run_ninja "$build" "the window and all commands"
    open_comparison "${runs[@]}" || true
    "$programs/bubblescope" figure "${runs[@]}" --force -o "$folder/comparison.pdf" -o "$folder/comparison.png"
    say "No display is available, so the comparison was written to"
    say "  $folder/comparison.pdf"
    say "  $folder/comparison.png"
}

command_build() {
    ensure_packages "${build_packages[@]}"
    choose_cuda
    configure_release OFF
    run_ninja "$build" Bubblescope
    say "Built: $programs/bubblescope and $programs/bscope"
}

command_test() {
    ensure_packages "${build_packages[@]}" "${test_packages[@]}"
    choose_cuda
    configure_release ON
    run_ninja "$build" "Bubblescope and its tests"
    ! grep -m 5 'warning: ' "$build/quickstart.log" >&2 || fail "the compiler warned; the log is $build/quickstart.log"
    ctest --test-dir "$build" --output-on-failure --no-tests=error -j "${JOBS:-$(nproc)}"
}

[ "$#" -le 1 ] || { usage >&2; fail "unknown argument '$2' after $1"; }
case "${1:-}" in
    run) command_run ;;
    test) command_test ;;
    build) command_build ;;
    deps) ensure_packages "${build_packages[@]}" "${test_packages[@]}" "${package_packages[@]}" ;;
    -h | --help | help) usage ;;
    "") usage ;;
    *) usage >&2; fail "unknown command '$1'" ;;
esac
