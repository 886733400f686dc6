# shellcheck shell=bash disable=SC2154
# Stage 4: live on partitions of one GPU, and fault drills. Sourced by run_all.sh, whose variables and functions it uses.

number() { # KEY FILE: of bscope analyze --json, at the outermost level
    ours bscope analyze "$2" --json | sed -n "s/^  \"$1\": *\([0-9.e+-]*\),*\$/\1/p" | head -n 1
}

# A live run on partitions. Its warm-up has timed every op alone on its own partition: what emulation makes of those
# times, placed on D devices, is what the live iteration is compared with.
live() { # scheme devices
    local name="P9 live $1 D$2" file="$runs/$1-D$2-live.sqlite" said iteration alone beside
    said="$(ours bscope run --backend cuda --mode live --scheme "$1" --devices "$2" --micro-batches "$((2 * $2))" \
        --model gpt2-124m --layers 16 --micro-batch-size 4 --sequence 512 --iterations 5 --warmup 2 \
        -o "$file" --force 2>&1)" || { echo "$said"; return 1; }
    echo "$said"
    if [[ "$said" == *"cannot run at the same time here"* ]]; then
        printf 'ROW\t%s\tSKIPPED\t%s\n' "$name" "$(grep -m 1 'at the same time' <<<"$said" | cut -c1-150)"
        return
    fi
    iteration="$(number iteration "$file")" alone="$(number iteration_alone "$file")" beside="$(number interference "$file")"
    echo "$iteration $alone $1" >>"$work/live-D$2"
    awk -v i="$iteration" -v a="$alone" -v r="$beside" -v name="$name" 'BEGIN {
        if (i <= 0 || a <= 0) { printf "ROW\t%s\tFAIL\tno times in the file\n", name; exit }
        off = (i > a ? i / a : a / i) - 1
        printf "ROW\t%s\t%s\t%.3f ms; emulated inside a partition %.3f ms, %.1f %% apart; ops beside others take %.3f as long\n",
            name, off <= 0.15 ? "PASS" : "FAIL", i / 1e6, a / 1e6, 100 * off, r }'
}

# Schemes by their live iteration and by the emulated one: the same order.
ranking() { # devices
    local file="$work/live-D$1" measured emulated
    [ -s "$file" ] || { printf 'ROW\tP9 ranking D%s\tSKIPPED\tno live run\n' "$1"; return; }
    measured="$(sort -g -k1 "$file" | awk '{ printf "%s ", $3 }')"
    emulated="$(sort -g -k2 "$file" | awk '{ printf "%s ", $3 }')"
    printf 'ROW\tP9 ranking D%s\t%s\tlive: %s; emulated: %s\n' "$1" \
        "$([ "$measured" = "$emulated" ] && echo PASS || echo FAIL)" "${measured% }" "${emulated% }"
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
export -f number live ranking too_large cancelled

stage_4() {
    local scheme
    for scheme in 1f1b interleaved-1f1b zb-h1 chimera bitpipe bpipe; do
        on_gpu "P9 live $scheme D4" 60 bash -c "live $scheme 4"
    done
    on_gpu "P9 ranking D4" 20 bash -c 'ranking 4'
    on_gpu "P9 live bitpipe D8" 90 bash -c 'live bitpipe 8'
    on_gpu "P10 too large" 30 bash -c too_large
    on_gpu "P10 cancel" 40 bash -c cancelled
}
