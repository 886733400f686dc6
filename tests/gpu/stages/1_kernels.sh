# shellcheck shell=bash disable=SC2154
# Stage 1: kernels. Sourced by run_all.sh, whose variables and functions it uses. test_kernels prints a ROW per kernel and device.

# Truth in double takes the CPU most of the time: big blocks stay with the process.
tests_of_kernels() { # ARGUMENT...
    GLIBC_TUNABLES=glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=68719476736 \
        KERNEL_DEVICES=gpu ours test_kernels "$@"
}

# Kernels of the libraries are neither loaded before they are wanted nor looked at: there are thousands.
sanitize() { # tool: over the kernels, without whole runs
    if ! command -v compute-sanitizer >/dev/null; then
        printf 'ROW\tP5 %s\tSKIPPED\tcompute-sanitizer is not installed here\n' "$1"
        return
    fi
    CUDA_MODULE_LOADING=LAZY KERNEL_CASES=small KERNEL_DEVICES=gpu LD_LIBRARY_PATH="$pack:$cuda_libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" BUBBLESCOPE_PLUGINS="$pack" \
        compute-sanitizer --tool "$1" --kernel-regex kns=engine --error-exitcode 9 "$pack/test_kernels" "~*one device alone*" "~*trains as the CPU*" \
        >"$work/sanitized" 2>&1
    local status=$?
    grep -v '^ROW' "$work/sanitized"
    if [ "$status" -eq 0 ]; then
        printf 'ROW\tP5 %s\tPASS\t%s\n' "$1" "$(grep -m 1 'ERROR SUMMARY\|RACECHECK SUMMARY' "$work/sanitized")"
    else
        printf 'ROW\tP5 %s\tFAIL\texit status %s: %s\n' "$1" "$status" "$(grep '^=========' "$work/sanitized" | grep -m 1 -v COMPUTE-SANITIZER)"
    fi
}
export -f sanitize tests_of_kernels

# What a run says of the machine that computed it, and whether every kernel has its op.
facts() {
    local file="$runs/facts.sqlite" text
    ours bscope run --backend cuda --scheme 1f1b --devices 4 --micro-batches 8 --model gpt2-124m --iterations 10 \
        --warmup 2 --trace kernels -o "$file" --force || return
    text="$(ours bscope analyze "$file")"
    echo "$text"
    printf 'ROW\tP3 clocks\t%s\t%s\n' "$(grep -q '^clocks [0-9]' <<<"$text" && echo PASS || echo FAIL)" \
        "$(grep -m 1 '^clocks' <<<"$text" || echo "no line about clocks")"
    printf 'ROW\tP3 kernels linked\t%s\t%s\n' "$(grep -q 'all linked to their ops' <<<"$text" && echo PASS || echo FAIL)" \
        "$(grep -m 1 ' kernels, ' <<<"$text" || echo "no kernels were recorded")"
}

# An outer profiler sees the ops, and our own capture steps back with a sentence.
under_nsys() {
    if ! command -v nsys >/dev/null; then
        printf 'ROW\tNVTX under nsys\tSKIPPED\tnsys is not installed here\n'
        return
    fi
    nsys profile --trace=nvtx,cuda --force-overwrite=true -o "$work/outer" \
        bash -c "ours bscope run --backend cuda --devices 2 --micro-batches 4 --iterations 1 --warmup 1 -o '$work/inner.sqlite' --force" \
        2>&1 | tee "$work/outer.txt"
    nsys export --type=sqlite --force-overwrite=true -o "$work/outer.sqlite" "$work/outer.nsys-rep"
    python3 - "$work/outer.sqlite" "$work/outer.txt" <<'PY'
import sqlite3, sys
ranges = sqlite3.connect(sys.argv[1]).execute(
    "SELECT count(*) FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId "
    "WHERE COALESCE(n.text, s.value) LIKE 'PP:%'").fetchone()[0]
told = "another profiler is attached" in open(sys.argv[2]).read()
print("ROW\tNVTX under nsys\t%s\t%d ranges of ops; our capture says why it stepped back: %s"
      % ("PASS" if ranges > 0 else "FAIL", ranges, "yes" if told else "no"))
PY
}

# More devices than GPUs cannot go by NCCL, which is said instead of something else being done.
nccl_refused() {
    local devices text
    devices=$(($(nvidia-smi -L | grep -c '^GPU') + 1))
    text="$(ours bscope run --backend cuda --transport nccl --scheme 1f1b --devices $devices --micro-batches $devices \
        -o "$work/refused.sqlite" --force 2>&1)"
    printf 'ROW\tNCCL refused\t%s\t%s\n' "$(grep -q 'needs one GPU for each' <<<"$text" && echo PASS || echo FAIL)" \
        "$(tail -n 1 <<<"$text")"
}
export -f facts under_nsys nccl_refused
export runs

stage_1() {
    if [ -x "$pack/test_kernels" ]; then
        check "P5 kernels" 240 bash -c tests_of_kernels
    else
        row "P5 kernels" SKIPPED "the pack has no test_kernels: run tests/gpu/pack.sh"
    fi
    if [ -x "$pack/test_nccl_gpu" ]; then
        check "NCCL one rank" 60 bash -c 'ours test_nccl_gpu'
    else
        row "NCCL one rank" SKIPPED "the pack has no test_nccl_gpu: run tests/gpu/pack.sh"
    fi
    on_gpu "NCCL refused" 60 bash -c nccl_refused
    on_gpu "P3 facts" 60 bash -c facts
    on_gpu "P3 overhead" 120 bash -c 'ours capture_overhead'
    on_gpu "NVTX under nsys" 90 bash -c under_nsys
    on_device "P5 memcheck" 150 bash -c 'sanitize memcheck'
    on_device "P5 racecheck" 150 bash -c 'sanitize racecheck'
}
