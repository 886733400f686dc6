# shellcheck shell=bash disable=SC2154
# Stage 4: live on partitions of one GPU, and fault drills. Sourced by run_all.sh, whose variables and functions it uses.

# A live run on partitions. Its warm-up has timed every op alone on its own partition: what emulation makes of those
# times, placed on D devices, is what the live iteration is compared with.
live() { # scheme devices
    local name="P9 live $1 D$2" file="$runs/$1-D$2-live.sqlite" said iteration alone beside
    local -a what
    mapfile -t what < <(as_asked "$1" "$2")
    said="$(ours bscope run "${what[@]}" --mode live --trace ops --iterations 5 --warmup 2 -o "$file" 2>&1)" || { echo "$said"; return 1; }
    echo "$said"
    if [[ "$said" == *"cannot run at the same time here"* ]]; then
        printf 'ROW\t%s\tSKIPPED\t%s\n' "$name" "$(grep -m 1 'at the same time' <<<"$said" | cut -c1-150)"
        return
    fi
    iteration="$(analyzed iteration "$file")" alone="$(analyzed iteration_alone "$file")" beside="$(analyzed interference "$file")"
    if [ "$backend" = cpu ]; then # which has no parts: threads share its cores
        emulate "$1" "$2" "$work/alone.sqlite" && alone="$(analyzed iteration "$work/alone.sqlite")"
    fi
    [ -z "$iteration" ] || [ -z "$alone" ] || echo "$iteration $alone $1" >>"$work/live-D$2"
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

# By how much the driver says otherwise than what is known of a GPU's memory, over all live runs on so many devices.
memory() { # devices
    local file name="P9 memory D$1"
    local -a files=("$runs"/*-D"$1"-live.sqlite)
    [ -e "${files[0]}" ] || { printf 'ROW\t%s\tSKIPPED\tno live run\n' "$name"; return; }
    if [ "$backend" = cpu ]; then
        printf 'ROW\t%s\tSKIPPED\t%d live runs, and no GPU whose driver could be asked\n' "$name" "${#files[@]}"
        return
    fi
    for file in "${files[@]}"; do ours bscope analyze "$file" --json | difference_of "$(basename "$file" -live.sqlite)"; done \
        | worst_difference "$name" "${#files[@]}"
}
# RUN GPU SHARE, a line a GPU, of bscope analyze --json.
difference_of() { # run
    awk -v run="$1" -F'[:,]' '/^    "gpus": \[/ { inside = 1 } inside && /"gpu":/ { gpu = $2 + 0 }
        inside && /"difference_share":/ { print run, gpu, $2 + 0 } /^  }/ { inside = 0 }'
}
worst_difference() { # name runs
    awk -v name="$1" -v runs="$2" '!($1 in seen) { seen[$1]; ++told } $3 >= worst { worst = $3; what = $1 ", GPU " $2 }
        END { if (told < runs) { printf "ROW\t%s\tFAIL\tof %d runs %d say who has the memory\n", name, runs, told; exit }
            printf "ROW\t%s\t%s\t%d runs, at most %.2f %% apart from the driver (%s)\n", name,
                worst <= 0.02 ? "PASS" : "FAIL", runs, 100 * worst, what }'
}

# A run that cannot fit is refused before it starts, and says what would.
too_large() {
    local text
    text="$(ours bscope run --backend "$backend" --model gpt3-96b --devices 4 --force -o "$work/never.sqlite" 2>&1)"
    local status=$?
    echo "$text"
    if [ "$status" -eq 1 ] && [[ "$text" == *" can use "* ]]; then
        printf 'ROW\tP10 too large\tPASS\t%s\n' "${text:0:140}"
    else
        printf 'ROW\tP10 too large\tFAIL\texit status %s: %s\n' "$status" "${text:0:120}"
    fi
}

# Ctrl-C in the middle keeps what was recorded.
cancelled() {
    local file="$work/cancelled.sqlite"
    timeout --signal=INT --kill-after=10 15 bash -c "ours bscope run --backend $backend --iterations 100000 --force -o '$file'"
    if ours bscope analyze "$file" --json | grep -q '"outcome": *"cancelled"'; then
        printf 'ROW\tP10 cancel\tPASS\tthe file holds the run until then\n'
    else
        printf 'ROW\tP10 cancel\tFAIL\tno readable run was left\n'
    fi
}
# Under a tool that has CUPTI's place the run goes on, with the times of events, and says so.
sanitized() {
    if ! command -v compute-sanitizer >/dev/null; then
        printf 'ROW\tP10 another tool\tSKIPPED\tcompute-sanitizer is not installed here\n'
        return
    fi
    local text
    text="$(CUDA_MODULE_LOADING=LAZY LD_LIBRARY_PATH="$pack:$cuda_libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" BUBBLESCOPE_PLUGINS="$pack" compute-sanitizer "$pack/bscope" run \
        --backend cuda --devices 2 --micro-batches 4 --iterations 1 --warmup 1 --trace kernels --force -o "$work/sanitized.sqlite" 2>&1)"
    local status=$?
    echo "$text"
    printf 'ROW\tP10 another tool\t%s\t%s\n' "$([ "$status" -eq 0 ] && echo PASS || echo FAIL)" \
        "$(grep -m 1 -i 'kernels\|profiler' <<<"$text" | cut -c1-150)"
}
export -f live ranking memory difference_of worst_difference too_large cancelled sanitized

stage_4() {
    local scheme devices
    for devices in 4 8; do
        for scheme in $schemes; do on_gpu "P9 live $scheme D$devices" 60 bash -c "live $scheme $devices"; done
        on_gpu "P9 ranking D$devices" 20 bash -c "ranking $devices"
        on_gpu "P9 memory D$devices" 20 bash -c "memory $devices"
        [ "$devices" != 4 ] || on_gpu "P9 sample bitpipe" 40 bash -c 'sample_with_kernels bitpipe live'
    done
    on_gpu "P10 too large" 30 bash -c too_large
    on_gpu "P10 cancel" 40 bash -c cancelled
    on_gpu "P10 another tool" 60 bash -c sanitized
}
