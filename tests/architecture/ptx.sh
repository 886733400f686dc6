#!/usr/bin/env bash
# What nvcc makes of the kernels: double precision only where it is meant, no local memory, no registers that do not
# suffice, no atomics. `ptx.sh ROOT [CAPABILITY...]`, capabilities as 90; 77 where there is no nvcc.
set -euo pipefail

# Kernels that are meant to compute in double, and why; a GPU has few units for it, most of all a consumer's.
readonly doubles="
lossRows       a loss is the logarithm of a sum: one number a row
addLosses      losses are added up over rows and micro-batches
Squares        a gradient norm sums up to billions of squares; bound by memory all the same
addChunkSums   the same, over the chunks
ToFixedPoint   2^40 times a float needs more bits than a float has
FromFixedPoint the same, back
"
names_of_doubles() { awk 'NF { print $1 }' <<<"$doubles"; }

# PTX in, "entry: fault" out, each once. A mangled name has a name's length before it.
faults_of_ptx() {
    awk -v doubles="$(names_of_doubles | paste -sd' ')" '
        BEGIN { count = split(doubles, meant, " ") }
        function say(fault) { if (!((entry, fault) in said)) print entry ": " fault; said[entry, fault] = 1 }
        function is_meant(i) { for (i = 1; i <= count; ++i) if (index(entry, length(meant[i]) meant[i])) return 1; return 0 }
        { sub(/\/\/.*/, "") }
        /\.(entry|func) / { entry = $0; sub(/.*\.(entry|func) +(\([^)]*\) *)?/, "", entry); sub(/[( ].*/, "", entry) }
        /\.f64/ && !is_meant() { say("computes in double") }
        /\.local/ { say("uses local memory") }
        /(^|[^a-z])(atom|red|cp\.reduce|multimem\.red)\./ { say("has an atomic") }
        /(^|[ \t])call[. \t]/ { say("calls a function") }'
}

# What ptxas -v says in, the same out.
faults_of_ptxas() {
    awk '/Function properties for/ { entry = $NF }
        / bytes stack frame/ && !/ 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads/ {
            sub(/^ */, ""); print entry ": " $0 }'
}

fail() { echo "ptx.sh: $*"; exit 1; }

# A check that finds nothing must be one that would.
finds_faults() {
    local ptx='
.visible .entry _ZN1a8lossRowsILi4EfEEvv(
 cvt.f64.f32 %fd1, %f1;
.entry _ZN1a7softmaxEv() // .f64 .local
 ld.global.f32 %f1, [%rd1];
 redux.sync.add.s32 %r1, %r2, -1;
.entry _ZN1a5worseEv()
 .local .align 4 .b8 __local_depot0[16];
 mul.f64 %fd1, %fd2, %fd3;
 mul.f64 %fd1, %fd2, %fd3;
 red.global.add.f32 [%rd1], %f1;
.entry _ZN1a9worstRowsEv()
 atom.shared.cas.b32 %r1, [%r2], %r3, %r4;
 call.uni (retval0), f, (param0);'
    local said
    said="$(faults_of_ptx <<<"$ptx" | paste -sd'|')"
    local expected="_ZN1a5worseEv: uses local memory|_ZN1a5worseEv: computes in double|_ZN1a5worseEv: has an atomic"
    expected+="|_ZN1a9worstRowsEv: has an atomic|_ZN1a9worstRowsEv: calls a function"
    [ "$said" = "$expected" ] || fail "of a PTX with five faults it said: $said"
    said="$(faults_of_ptxas <<'TEXT'
ptxas info    : Function properties for _ZN1a1kEv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for _ZN1a1lEv
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
TEXT
    )"
    [ "$said" = "_ZN1a1lEv: 8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads" ] \
        || fail "of one spilling kernel of two it said: $said"
}

# One kernel's file for one capability: OUT.faults, and OUT.ptx.
look_at() { # FILE CAPABILITY OUT
    nvcc -std=c++20 -O3 -I. -w -arch="compute_$2" -ptx "$1" -o "$3.ptx" \
        && ptxas -v -arch="sm_$2" "$3.ptx" -o "$3.cubin" 2>"$3.ptxas" \
        && { faults_of_ptx <"$3.ptx"; faults_of_ptxas <"$3.ptxas"; } | sed "s|^|$1, sm_$2: |" >"$3.faults"
}

cd "$1"
shift
finds_faults
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin"
command -v nvcc >/dev/null && command -v ptxas >/dev/null || { echo "SKIPPED: no nvcc here to compile the kernels"; exit 77; }
[ $# -gt 0 ] || set -- 90

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export -f look_at faults_of_ptx faults_of_ptxas names_of_doubles
export doubles
for capability in "$@"; do
    for file in engine/backend/cuda/kernels/*.cu; do
        echo "$file $capability $work/$(basename "$file" .cu).$capability"
    done
done | xargs -P 2 -L 1 bash -c 'look_at "$@" || { echo "$1 does not compile"; exit 255; }' look_at

entries="$(cat "$work"/*.ptx | grep -c '\.entry ')"
[ "$entries" -gt 100 ] || fail "only $entries kernels were found: are their files elsewhere?"
for name in $(names_of_doubles); do
    grep -q "\.entry .*${#name}$name" "$work"/*.ptx || fail "no kernel $name is left that could be meant to compute in double"
done
cat "$work"/*.faults | { command -v c++filt >/dev/null && c++filt || cat; }
[ -z "$(cat "$work"/*.faults)" ] || exit 1
echo "$entries kernels for sm_$(echo "$@" | tr ' ' ','): double only where it is meant, no local memory, no atomics"
