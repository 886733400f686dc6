#!/usr/bin/env bash
# Every check of this project that needs a GPU, on a machine with one: `run_all.sh --help`.
set -uo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly here

usage() {
    cat <<'TEXT'
Usage: tests/gpu/run_all.sh [--stage first|N|all] [--pack PATH] [--limit SECONDS] [--rehearse]

Runs the checks of one stage, or of all, and prints a table last:
  first  whether it works at all: eight short runs, a minute or two, whose rows say what went wrong
  0  what the machine is and can: environment (P0), partitions and copies (P1), graphs (P2),
     capture (P3), interference of matrix products (P4); the probes are built here with nvcc
  1  kernels (P5): each against the CPU in fp64, on random data with poisoned outputs; then the same
     under compute-sanitizer
  2  training on one device (P6): a GPT-2 step in PyTorch, eager and compiled, and ours
  3  schemes (P7, P8): gradients bit for bit, emulation twice, sample runs
  4  live partitions (P9) and fault drills (P10)

--pack PATH  what tests/gpu/pack.sh made: the folder or its archive [out/gpu, else out/gpu.tar.gz]
--rehearse   without a GPU: stages 3 and 4 on the CPU, with a small model, to see that they work
--limit S    of one stage [570]; what does not fit is SKIPPED, never cut in silence

Writes report.txt and runs.tar.zst (at most 14 MB) to $OUT [out/gpu_report]. A check that cannot run
here says SKIPPED and why. Exit status: 1 when a check failed, else 0.
TEXT
}

stage=all pack="$(cd "$here/../.." && pwd)/out/gpu" limit=570 backend=cuda
while [ $# -gt 0 ]; do
    case "$1" in
    --stage) stage="${2:?}"; shift 2 ;;
    --pack) pack="${2:?}"; shift 2 ;;
    --limit) limit="${2:?}"; shift 2 ;;
    --rehearse) backend=cpu; shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "run_all.sh: unknown option $1: see --help" >&2; exit 2 ;;
    esac
done
case "$stage" in first | [0-4] | all) ;; *) echo "run_all.sh: there is no stage $stage: see --help" >&2; exit 2 ;; esac

out="${OUT:-$(cd "$here/../.." && pwd)/out/gpu_report}"
mkdir -p "$out" && out="$(cd "$out" && pwd)"
work="$(mktemp -d)" group=""

# What a check leaves running: a program that outlives its shell would keep the GPU from the next check.
end_group() {
    [ -z "$group" ] || kill -KILL -- "-$group" 2>/dev/null
    group=""
}
trap 'end_group; rm -rf "$work"' EXIT
[ -e "$pack" ] || pack="$pack.tar.gz"
if [ -f "$pack" ]; then
    mkdir -p "$work/pack" && tar -xzf "$pack" -C "$work/pack" || { echo "run_all.sh: $pack is no archive of pack.sh" >&2; exit 2; }
    pack="$work/pack"
fi
[ -d "$pack" ] && pack="$(cd "$pack" && pwd)"
logs="$work/logs" runs="$work/runs" rows="$work/rows.tsv"
mkdir -p "$logs" "$runs"
: >"$rows"
begun=$SECONDS

# --- rows -----------------------------------------------------------------------------------------------------------

row() { # check verdict text
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" | tee -a "$rows" >&2
}

left() { echo $((limit - (SECONDS - begun))); }

# check NAME SECONDS COMMAND...: the rows that the command prints, or one of its exit status: 77 is
# SKIPPED with its last line. Its output is logs/NAME.log.
check() {
    local name="$1" seconds="$2" log status last verdict=FAIL why="not done"
    shift 2
    log="$logs/${name// /_}.log"
    if [ "$(left)" -lt 15 ]; then
        row "$name" SKIPPED "no time left in this stage: run it alone with a larger --limit"
        return
    fi
    if [ "$seconds" -gt "$(left)" ]; then
        seconds="$(left)" verdict=SKIPPED why="the time of this stage was over"
    fi
    # It leads a process group of its own. Bash starts programs in the background with Ctrl-C ignored.
    env --default-signal=INT timeout --kill-after=5 "$seconds" "$@" >"$log" 2>&1 &
    group=$!
    wait "$group"
    status=$?
    end_group
    grep -P '^ROW\t' "$log" | cut -f2- | tee -a "$rows" >&2
    last="$(grep -vP '^(ROW\t|\s*$)' "$log" | tail -n 1 | cut -c1-160)"
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        row "$name" "$verdict" "$why after $seconds s"
    elif ! grep -qP '^ROW\t' "$log"; then
        case "$status" in
        0) row "$name" PASS "$last" ;;
        77) row "$name" SKIPPED "$last" ;;
        *)
            case "$last" in
            *"not in this version"*) row "$name" SKIPPED "$last" ;;
            *) row "$name" FAIL "exit status $status: $last" ;;
            esac
            ;;
        esac
    elif [ "$status" -ne 0 ] && [ "$status" -ne 77 ] && ! grep -qP '^ROW\t[^\t]*\tFAIL' "$log"; then
        row "$name" FAIL "exit status $status: $last"
    fi
}

# conclude NAME COMMAND...: as check, for rows that only compare results, also where the time of the stage is over.
conclude() {
    local name="$1" limit=$((SECONDS - begun + 30))
    shift
    check "$name" 30 "$@"
}

# --- what is here ---------------------------------------------------------------------------------------------------

export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"

# Folders with CUDA's headers and libraries: the toolkit's and those of Python's nvidia-* wheels.
cuda_folders() { # include|lib
    local root="${CUDA_HOME:-/usr/local/cuda}" sub
    for sub in "$1" "${1}64" "targets/x86_64-linux/$1" "extras/CUPTI/$1" "extras/CUPTI/${1}64"; do
        [ -d "$root/$sub" ] && echo "$root/$sub"
    done
    python3 - "$1" 2>/dev/null <<'PY'
import glob, os, sys
try:
    import nvidia
except ImportError:
    sys.exit()
for root in nvidia.__path__:
    for folder in sorted(glob.glob(os.path.join(root, "*", sys.argv[1]))):
        print(folder)
PY
}

cuda_libraries="$(cuda_folders lib | paste -sd:)"

# A program of the pack, with its libraries, CUDA's and, where the machine's is older than the one the
# pack was built with, the C++ library it brought.
ours() {
    local program="$1" path="$pack:$cuda_libraries"
    shift
    [ ! -e "$work/old_cxx" ] || path="$pack/cxx:$path"
    LD_LIBRARY_PATH="$path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" BUBBLESCOPE_PLUGINS="$pack" "$pack/$program" "$@"
}
export -f ours
export pack work cuda_libraries backend

# Empty when the pack computes on a GPU here, else why not.
why_no_gpu=""
look_at_pack() {
    if [ ! -x "$pack/bscope" ]; then
        why_no_gpu="no pack in $pack: run tests/gpu/pack.sh where Bubblescope builds"
        return
    fi
    if ! ours bscope --version >/dev/null 2>"$work/error"; then
        touch "$work/old_cxx"
        if ! ours bscope --version >/dev/null 2>"$work/error"; then
            why_no_gpu="bscope does not start here: $(tail -n 1 "$work/error" | cut -c1-140)"
            return
        fi
    fi
    [ "$backend" = cuda ] || return
    why_no_gpu="$(timeout --kill-after=5 60 bash -c "ours bscope devices --json" 2>/dev/null | grep -A1 '"kind": "cuda"' \
        | sed -n 's/.*"reason": "\(.*\)".*/\1/p')"
}

# on_device NAME SECONDS COMMAND...: as check, where there is a GPU at all.
on_device() {
    if nvidia-smi -L 2>/dev/null | grep -q GPU; then
        check "$@"
    else
        row "$1" SKIPPED "no GPU: nvidia-smi finds none"
    fi
}

# on_gpu NAME SECONDS COMMAND...: as check, where runs of the pack compute on a GPU.
on_gpu() {
    if [ -n "$why_no_gpu" ]; then
        row "$1" SKIPPED "$why_no_gpu"
    else
        check "$@"
    fi
}

# --- stages ---------------------------------------------------------------------------------------------------------

look_at_pack
for file in "$here"/stages/*.sh; do
    # shellcheck source=/dev/null
    . "$file"
done
for each in first 0 1 2 3 4; do
    if [ "$stage" = all ] || [ "$stage" = "$each" ]; then
        begun=$SECONDS
        "stage_$each"
    fi
done

# --- report ---------------------------------------------------------------------------------------------------------

table() {
    awk -F'\t' '{ n = length($1); if (n > w) w = n; c[NR] = $1; v[NR] = $2; t[NR] = $3 }
        END { for (i = 1; i <= NR; i++) printf "%-*s  %-7s  %s\n", w, c[i], v[i], t[i] }' "$rows"
}

# zstd of the machine, or the one that the pack brings.
compress() { # ARGUMENT...
    if command -v zstd >/dev/null; then
        zstd -q "$@"
    else
        LD_LIBRARY_PATH="$pack:$pack/cxx" "$pack/zstd" -q "$@"
    fi
}

# The logs, then as many recorded runs as fit, the smallest first: each is compressed once, quickly, to see how much it
# will take, since the seconds behind the last check are nobody's.
pack_runs() {
    local most=$((14 * 1000 * 1000)) total=0 list="$work/list" file bytes
    : >"$list"
    (cd "$work" && find logs -type f | sort && find runs -type f -printf '%s %p\n' | sort -n | cut -d' ' -f2-) >"$work/files"
    while read -r file; do
        bytes="$(compress -3 -T0 -c "$work/$file" | wc -c)" || return 1
        if [ $((total + bytes)) -le "$most" ]; then
            total=$((total + bytes))
            echo "$file" >>"$list"
        else
            echo "left out of runs.tar.zst, which would be over 14 MB: $file" >>"$out/report.txt"
        fi
    done <"$work/files"
    tar -C "$work" -cf - -T "$list" | compress -9 -T0 -f -o "$out/runs.tar.zst"
}

{
    echo "Bubblescope, tests/gpu/run_all.sh --stage $stage, $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo
    for log in "$logs"/*.log; do
        [ -e "$log" ] || continue
        echo "--- $(basename "$log" .log)"
        head -c 200000 "$log"
        echo
    done
    echo "--- table"
    table
} >"$out/report.txt"
pack_runs || echo "run_all.sh: runs.tar.zst could not be written: is zstd installed?" >&2
echo
table
! cut -f2 "$rows" | grep -qx FAIL
