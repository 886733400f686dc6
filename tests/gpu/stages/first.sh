# shellcheck shell=bash disable=SC2154
# Stage first: runs of some seconds, one for each thing that has to work before anything else is worth its time on a
# machine that is lent: each says in its row what went wrong, in the program's own words. Sourced by run_all.sh.

# The last sentence of a log that tells why.
reason() { grep -viE '^(wrote|seed|[0-9]+ )' "$1" | grep -vE '^\s*$' | tail -n 1 | cut -c1-200; }

# NAME ARGUMENT...: a run with these arguments; its file is $work/first.sqlite.
first_run() {
    local name="$1" begin status
    shift
    begin=$(date +%s%N)
    ours bscope run --backend "$backend" "$@" -o "$work/first.sqlite" --force >"$work/first.txt" 2>&1
    status=$?
    cat "$work/first.txt"
    if [ "$status" -ne 0 ]; then
        printf 'ROW\t%s\tFAIL\texit status %s: %s\n' "$name" "$status" "$(reason "$work/first.txt")"
    elif [[ "$*" == *"--mode live"* ]] && grep -q 'cannot run at the same time here' "$work/first.txt"; then
        printf 'ROW\t%s\tFAIL\t%s\n' "$name" "$(grep -m 1 'at the same time' "$work/first.txt" | cut -c1-200)"
    else
        printf 'ROW\t%s\tPASS\t%.1f s with its start\n' "$name" "$(awk -v b="$begin" -v e="$(date +%s%N)" 'BEGIN { print (e - b) / 1e9 }')"
    fi
}

# Kernels of a run, and how many have their op: what no library says beforehand.
first_kernels() {
    local text
    first_run "First kernels" --mode emulate --scheme 1f1b --devices 2 --micro-batches 4 --model gpt2-124m --layers 2 \
        --micro-batch-size 1 --sequence 256 --precision bf16 --attention flash --iterations 2 --warmup 1 --trace kernels
    text="$(ours bscope analyze "$work/first.sqlite" | grep -m 1 ' kernels, ')"
    printf 'ROW\tFirst kernels linked\t%s\t%s\n' \
        "$([[ "$text" == *"all linked to their ops"* ]] && echo PASS || echo FAIL)" "${text:-no kernels were recorded}"
}

# What all kernels loaded at the start cost, which is what runs do (CUDA_MODULE_LOADING=EAGER).
first_starts() {
    local loading
    for loading in LAZY EAGER LAZY EAGER; do
        CUDA_MODULE_LOADING="$loading" first_run "First start $loading" --mode live --scheme 1f1b --devices 1 \
            --micro-batches 1 --model tiny --iterations 1 --warmup 0 --trace off
    done
}
export -f reason first_run first_kernels first_starts

stage_first() {
    local -a small=(--model tiny --iterations 2 --warmup 1 --micro-batches 4)
    on_gpu "First one device" 60 bash -c 'first_run "First one device" --mode live --scheme 1f1b --devices 1 "$@"' - "${small[@]}"
    on_gpu "First bf16" 60 bash -c 'first_run "First bf16" --mode live --scheme 1f1b --devices 1 --precision bf16 --attention flash "$@"' - "${small[@]}"
    on_gpu "First emulate" 40 bash -c 'first_run "First emulate" --mode emulate --devices 4 "$@"' - "${small[@]}" --layers 8
    on_gpu "First live" 40 bash -c 'first_run "First live" --mode live --devices 4 "$@"' - "${small[@]}" --layers 8
    [ "$backend" = cuda ] || return 0 # the rest is for GPUs alone
    on_gpu "First tf32" 40 bash -c 'first_run "First tf32" --mode emulate --devices 2 --precision tf32 --attention standard "$@"' - "${small[@]}"
    on_gpu "First graphs" 40 bash -c 'first_run "First graphs" --mode emulate --graphs on --devices 4 "$@"' - "${small[@]}" --layers 8
    on_gpu "First kernels" 60 bash -c first_kernels
    on_gpu "First starts" 60 bash -c first_starts
}
