# shellcheck shell=bash disable=SC2154
# Stage 4: live on partitions of one GPU, and fault drills. Sourced by run_all.sh, whose variables and functions it uses.

live() { # scheme devices
    ours bscope run --backend cuda --mode live --scheme "$1" --devices "$2" --micro-batches "$((2 * $2))" \
        --model gpt2-124m --layers 16 --micro-batch-size 4 --sequence 512 --iterations 5 --warmup 2 \
        -o "$runs/$1-D$2-live.sqlite" --force | grep -v '^file'
}

# A run that cannot fit is refused before it starts, and says what would.
too_large() {
    local text
    text="$(ours bscope run --backend cuda --model gpt3-96b --devices 4 --force -o "$work/never.sqlite" 2>&1)"
    local status=$?
    echo "$text"
    if [ "$status" -eq 1 ] && [[ "$text" == *" too little"* ]]; then
        printf 'ROW\tP10 too large\tPASS\t%s\n' "${text:0:140}"
    else
        printf 'ROW\tP10 too large\tFAIL\texit status %s: %s\n' "$status" "${text:0:120}"
    fi
}

# Ctrl-C in the middle keeps what was recorded.
cancelled() {
    local file="$work/cancelled.sqlite"
    timeout --signal=INT 15 bash -c "ours bscope run --backend cuda --iterations 100000 --force -o '$file'"
    if ours bscope analyze "$file" --json | grep -q '"outcome": *"cancelled"'; then
        printf 'ROW\tP10 cancel\tPASS\tthe file holds the run until then\n'
    else
        printf 'ROW\tP10 cancel\tFAIL\tno readable run was left\n'
    fi
}
export -f live too_large cancelled

stage_4() {
    local scheme
    for scheme in 1f1b zb-h1 bitpipe; do
        on_gpu "P9 live $scheme D4" 60 bash -c "live $scheme 4"
    done
    on_gpu "P9 live bitpipe D8" 90 bash -c 'live bitpipe 8'
    on_gpu "P10 too large" 30 bash -c too_large
    on_gpu "P10 cancel" 40 bash -c cancelled
}
