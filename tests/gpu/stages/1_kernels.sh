# shellcheck shell=bash disable=SC2154
# Stage 1: kernels. Sourced by run_all.sh, whose variables and functions it uses. test_kernels prints a ROW per kernel and device.

sanitize() { # tool: over the kernels, without whole runs
    if ! command -v compute-sanitizer >/dev/null; then
        printf 'ROW\tP5 %s\tSKIPPED\tcompute-sanitizer is not installed here\n' "$1"
        return
    fi
    KERNEL_CASES=small LD_LIBRARY_PATH="$pack:$cuda_libraries" BUBBLESCOPE_PLUGINS="$pack" \
        compute-sanitizer --tool "$1" --error-exitcode 9 "$pack/test_kernels" "~*one device alone*" "~*trains as the CPU*" \
        >"$work/sanitized" 2>&1
    local status=$?
    grep -v '^ROW' "$work/sanitized"
    if [ "$status" -eq 0 ]; then
        printf 'ROW\tP5 %s\tPASS\t%s\n' "$1" "$(grep -m 1 'ERROR SUMMARY\|RACECHECK SUMMARY' "$work/sanitized")"
    else
        printf 'ROW\tP5 %s\tFAIL\texit status %s: %s\n' "$1" "$status" "$(grep -m 1 '=========' "$work/sanitized")"
    fi
}
export -f sanitize

stage_1() {
    if [ ! -x "$pack/test_kernels" ]; then
        row "P5 kernels" SKIPPED "the pack has no test_kernels: run tests/gpu/pack.sh"
        return
    fi
    check "P5 kernels" 240 bash -c 'ours test_kernels'
    on_device "P5 memcheck" 150 bash -c 'sanitize memcheck'
    on_device "P5 racecheck" 150 bash -c 'sanitize racecheck'
}
