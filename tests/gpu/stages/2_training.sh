# shellcheck shell=bash disable=SC2154
# Stage 2: training on one device. Sourced by run_all.sh, whose variables and functions it uses.
#
# Both sides train the same model (tied head, 8 micro-batches of 8 x 1024 tokens, AdamW with fp32 master weights) with
# products in bf16: PyTorch under autocast, ours with --precision bf16. Both times are of the wall clock, the median of
# ten steps behind three that warm up, and the two take turns, so that a drift of the clocks shows.

# with_clocks FILE COMMAND...: its output, and to FILE the median clock and power of the GPU while it ran.
with_clocks() {
    local file="$1" sampler status
    shift
    nvidia-smi --query-gpu=clocks.sm,power.draw --format=csv,noheader,nounits -lms 500 >"$work/clocks" 2>/dev/null &
    sampler=$!
    "$@"
    status=$?
    kill "$sampler" 2>/dev/null
    wait "$sampler" 2>/dev/null
    sort -n "$work/clocks" 2>/dev/null | awk -F', *' '{ mhz[NR] = $1; w[NR] = $2 }
        END { if (NR) printf ", %d MHz, %.0f W", mhz[int((NR + 1) / 2)], w[int((NR + 1) / 2)] }' >"$file"
    return "$status"
}

# A line for the comparison: who, model, tokens a second.
speed() {
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$work/speeds.tsv"
}

train_torch() { # mode model round
    local text tokens
    text="$(with_clocks "$work/clocks.txt" python3 "$here/torch_step.py" --mode "$1" --model "$2")" || {
        local status=$?
        echo "$text"
        return "$status"
    }
    tokens="$(sed -n 's/^\([0-9]*\) tokens\/s.*/\1/p' <<<"$text" | head -n 1)"
    speed "torch $1" "$2" "$tokens"
    printf 'ROW\tP6 torch %s %s %s\tINFO\t%s%s\n' "$1" "$2" "$3" "$(tail -n 1 <<<"$text")" "$(cat "$work/clocks.txt")"
}

train_ours() { # model file round
    local file="$runs/single-$1-$3.sqlite" json tokens
    with_clocks "$work/clocks.txt" ours bscope run --backend "${backend:-cuda}" --mode live --scheme 1f1b --devices 1 \
        --micro-batches 8 --model "$2" --micro-batch-size 8 --precision bf16 --attention flash --iterations 10 --warmup 3 \
        --trace off -o "$file" --force || return
    json="$(ours bscope analyze "$file" --json)"
    tokens="$(sed -n 's/.*"tokens_per_second": *\([0-9]*\).*/\1/p' <<<"$json" | head -n 1)"
    speed ours "$1" "$tokens"
    printf 'ROW\tP6 ours %s %s\tINFO\t%s tokens/s, %.1f ms a step%s\n' "$1" "$3" "$tokens" \
        "$(awk -v t="$tokens" 'BEGIN { print 8 * 8 * 1024 / t * 1e3 }')" "$(cat "$work/clocks.txt")"
}

# Medians of the rounds against each other; the aim of issue 5 is 0.9 of eager.
compare_training() {
    [ -s "$work/speeds.tsv" ] || { echo "neither side has a time"; return 77; }
    sort -t "$(printf '\t')" -k1,1 -k2,2 -k3,3n "$work/speeds.tsv" | awk -F'\t' '
        { key = $1 "\t" $2; count[key]++; value[key, count[key]] = $3; models[$2] = 1 }
        function median(key) { return value[key, int((count[key] + 1) / 2)] }
        END {
            for (model in models) {
                ours = "ours\t" model; eager = "torch eager\t" model; compiled = "torch compile\t" model
                if (!count[ours] || !count[eager]) {
                    printf "ROW\tP6 ours against PyTorch %s\tSKIPPED\tonly one side has a time\n", model
                    continue
                }
                ratio = median(ours) / median(eager)
                printf "ROW\tP6 ours against PyTorch %s\t%s\t%.2f of eager", model, (ratio >= 0.9 ? "PASS" : "FAIL"), ratio
                if (count[compiled])
                    printf ", %.2f of compiled", median(ours) / median(compiled)
                printf "\n"
            }
        }'
}
export -f with_clocks speed train_torch train_ours compare_training
export runs here

# PyTorch's libraries come from the disk the first time, which no timed check should wait for.
torch_starts() {
    python3 -c 'import torch; print("torch", torch.__version__, "sees", torch.cuda.device_count(), "GPUs"); torch.zeros(1, device="cuda")' \
        || { echo "PyTorch is not installed here, or sees no GPU"; return 77; }
}
export -f torch_starts

stage_2() {
    local round model file
    check "P6 torch starts" 100 bash -c torch_starts
    : >"$work/speeds.tsv"
    for round in 1 2 3; do
        for model in gpt2-124m gpt2-350m; do
            file="$model"
            [ "$model" = gpt2-124m ] || file="$here/models/$model.toml"
            check "P6 torch eager $model $round" 60 bash -c "train_torch eager $model $round"
            on_gpu "P6 ours $model $round" 60 bash -c "train_ours $model '$file' $round"
        done
    done
    for model in gpt2-124m gpt2-350m; do
        check "P6 torch compile $model" 120 bash -c "train_torch compile $model 1"
    done
    conclude "P6 ours against PyTorch" bash -c compare_training
}
