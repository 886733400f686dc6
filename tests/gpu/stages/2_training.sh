# shellcheck shell=bash disable=SC2154
# Stage 2: training on one device. Sourced by run_all.sh, whose variables and functions it uses.

# Ours, the same shapes as torch_step.py, so far in fp32: tokens a second of the median iteration.
train_ours() { # model
    local file="$runs/single-$1.sqlite"
    ours bscope run --backend cuda --scheme 1f1b --devices 1 --micro-batches 8 --model "$1" --micro-batch-size 8 \
        --sequence 1024 --attention flash --iterations 10 --warmup 3 -o "$file" --force || return
    printf 'ROW\tP6 ours %s\tINFO\t%s tokens/s in fp32\n' "$1" \
        "$(ours bscope analyze "$file" --json | sed -n 's/.*"tokens_per_second": *\([0-9.e+]*\).*/\1/p' | head -n 1)"
}
export -f train_ours
export runs here

stage_2() {
    local round
    for round in 1 2; do # alternating, so that a drift of the clocks shows
        check "P6 torch eager $round" 90 python3 "$here/torch_step.py" --mode eager --round "$round"
        on_gpu "P6 ours gpt2-124m $round" 60 bash -c 'train_ours gpt2-124m'
    done
    check "P6 torch compiled" 200 python3 "$here/torch_step.py" --mode compile --round 1
}
