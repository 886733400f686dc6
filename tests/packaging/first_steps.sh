#!/usr/bin/env bash
# Every way in which the first steps can fail ends in one line that says what to do. The package manager, sudo and the
# build tools are replaced by stubs.
set -uo pipefail
source_folder=$1
quickstart="$source_folder/packaging/quickstart.sh"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
status=0

# stub NAME SCRIPT: a program of the PATH of the next attempt.
stub() {
    printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# expect TEXT ARGUMENTS ...: the attempt fails and its last line has the text.
expect() {
    local text=$1 output
    shift
    if output=$(env -i PATH="$work/bin" HOME="${home:-$work/home}" BUILD_DIR="${build:-$work/build}" \
        CUDA_HOME="${cuda:-}" DISPLAY="${display:-}" TMPDIR="$work/tmp" "$quickstart" "$@" 2>&1); then
        echo "quickstart.sh $* did not fail: $output"
        status=1
    elif ! tail -n 1 <<<"$output" | grep -qF -- "$text"; then
        echo "quickstart.sh $*: expected \"$text\", got: $output"
        status=1
    fi
}

fresh() {
    rm -rf "${work:?}"/{bin,home,build,tmp}
    mkdir -p "$work"/{bin,home,tmp}
    for tool in bash env dirname mktemp grep sed awk tail cat mkdir rm nproc printf sort basename tee paste; do
        ln -s "$(command -v "$tool")" "$work/bin/$tool"
    done
    stub id 'echo 1000'
    stub apt-get 'exit 0'
    stub dpkg-query 'exit 1' # nothing is installed
}

fresh
expect "installing them needs root or sudo" deps
stub sudo 'exit 1'
expect "this user may not use sudo" deps
# shellcheck disable=SC2016
stub sudo '[ "$1" = -v ] || "$@"'
# shellcheck disable=SC2016
stub sudo 'case $1 in -n) exit 0 ;; -v) exit 1 ;; esac; "$@"' # with NOPASSWD, sudo -v still refuses
stub apt-get 'echo "Err:1 http://deb.debian.org bookworm InRelease"; echo "  Temporary failure resolving deb.debian.org"; exit 100'
expect "the package servers cannot be reached" deps
stub apt-get 'echo "E: You don'"'"'t have enough free space in /var/cache/apt/archives/."; exit 100'
expect "the disk is full" deps
stub apt-get 'echo "E: Could not get lock /var/lib/dpkg/lock-frontend"; exit 100'
expect "another program is installing packages" deps
# A package that this release no longer has is left out, unless the build needs it. deps fails, because the stub of
# apt-get installs nothing.
# shellcheck disable=SC2016
stub apt-cache '[ "$2" != clang-format-14 ]'
# shellcheck disable=SC2016
stub apt-get 'case "$*" in *clang-format-14*) echo "E: Unable to locate package clang-format-14"; exit 100 ;; *install*) echo "E: stub"; exit 100 ;; esac'
expect "could not install the packages: E: stub" deps
stub apt-cache 'exit 1'
stub apt-get 'case "$*" in *install*g++*) echo "E: Unable to locate package g++"; exit 100 ;; esac'
expect "Unable to locate package g++; this needs Debian 12, 13 or a derivative" deps
expect "unknown argument 'now'" run now
expect "unknown command 'rnu'" rnu

fresh
stub dpkg-query 'echo installed'
home=/proc/none expect "set XDG_DATA_HOME to a writable folder" run
build=/proc/none expect "set BUILD_DIR to a writable folder" build
stub cmake 'echo "No space left on device"; exit 1'
expect "is full; free some space" build
stub cmake 'exit 0'
stub ninja 'echo "[1/2] Building a.o"; echo "fatal error: error writing to a.s: No space left on device"; exit 1'
expect "is full; free some space" build

stub ninja 'echo "[1/1] Building a.o"; echo "a.cpp:1:1: warning: unused variable"'
expect "the compiler warned" test

# A build that has nothing to do, and one whose progress is shown while ninja runs, although it goes to a pipe.
quickstart_build() {
    env -i PATH="$work/bin" HOME="$work/home" BUILD_DIR="$work/build" "$quickstart" build
}
stub ninja 'echo "[0/2] Re-checking globbed directories..."; echo "[1/2] Re-running CMake..."'
output=$(quickstart_build)
if grep -q 'Building\|%' <<<"$output"; then
    echo "quickstart.sh reports a build that has nothing to do: $output"
    status=1
fi
ln -s "$(command -v sleep)" "$work/bin/sleep"
stub ninja "echo '[1/2] Building a.o'; until [ -e $work/gate ]; do sleep 0.02; done; echo '[2/2] Linking a'"
quickstart_build > >(cat >"$work/progress") &
for ((i = 0; i < 500; ++i)); do
    ! grep -q '  built 50 %, 0:[0-9][0-9] minutes' "$work/progress" 2>/dev/null || break
    sleep 0.02
done
if [ "$i" -eq 500 ]; then
    echo "quickstart.sh shows no progress before the build ends: $(cat "$work/progress")"
    status=1
fi
touch "$work/gate"
wait $!
if ! grep -q 'Building Bubblescope' "$work/progress" || ! grep -q '  built 100 %' "$work/progress"; then
    echo "quickstart.sh does not show the whole progress: $(cat "$work/progress")"
    status=1
fi

# As for CMake, the nvcc of CUDA_HOME has precedence over one on the PATH, which cannot compile for this GPU.
stub nvidia-smi 'echo 12.0'
stub nvcc 'echo compute_90'
mkdir -p "$work/cuda/bin"
printf '#!/bin/bash\necho compute_120\n' >"$work/cuda/bin/nvcc"
chmod +x "$work/cuda/bin/nvcc"
# shellcheck disable=SC2016
stub cmake '[[ "$*" != *-DCUDA_ARCHITECTURES=120* ]] || echo "No space left on device"; exit 1'
cuda="$work/cuda" expect "is full; free some space" build

# Without a reachable display the comparison is drawn to files: quickstart.sh knows the window's message.
message=$(grep -oP "grep -q '\Kno display[^']+(?=' \"\\\$file\")" "$quickstart")
if [ -z "$message" ] || ! grep -qF "$message" "$source_folder/app/window/command_line.cpp"; then
    echo "quickstart.sh does not know the message of a window without a display: '$message'"
    status=1
fi

# The messages of the window were left in a temporary file.
fresh
stub dpkg-query 'echo installed'
stub cmake 'exit 0'
# shellcheck disable=SC2016
stub ninja '[ $# -le 4 ] || [ "$5" = bscope_first ]' # -C FOLDER -j JOBS, and the targets that there are
mkdir -p "$work/build/bin"
ln -s /bin/true "$work/build/bin/bscope_first"
stub ../build/bin/bubblescope "echo \"$message: \$1\" >&2; exit 1"
display=:0 expect "$message: figure" run
stub ../build/bin/bubblescope 'echo "the window failed" >&2; exit 3'
display=:0 expect "the window failed" run
if [ -n "$(find "$work/tmp" -type f)" ]; then
    echo "quickstart.sh run leaves temporary files"
    status=1
fi

# pack.sh deleted any folder that it was to write to.
ln -s "$(command -v ls)" "$work/bin/ls"
mkdir "$work/notes"
touch "$work/notes/mine"
output=$(env -i PATH="$work/bin" "$source_folder/tests/gpu/pack.sh" --build "$work/build" -o "$work/notes" 2>&1)
if [ ! -e "$work/notes/mine" ] || ! grep -qF "exists and is no pack: choose another folder" <<<"$output"; then
    echo "pack.sh replaces a folder that is no pack: $output"
    status=1
fi
exit "$status"
