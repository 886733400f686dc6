# shellcheck shell=bash disable=SC2154
# Stage 3: schemes on one device: proofs, emulation, samples. Sourced by run_all.sh, whose variables and functions it uses.

makespan() { # FILE: of the median replay
    ours bscope analyze "$1" --json | sed -n 's/^ *"iteration": *\([0-9.]*\).*/\1/p' | head -n 1
}
export -f makespan

# Two emulations of one schedule: within 1 % of each other.
emulate_twice() { # scheme devices
    local first="$runs/$1-D$2.sqlite" second="$work/again.sqlite" a b
    local -a what=(--backend cuda --scheme "$1" --devices "$2" --micro-batches "$((2 * $2))" --model gpt2-124m
        --layers 16 --micro-batch-size 4 --sequence 512 --iterations 5 --warmup 2 --force)
    ours bscope run "${what[@]}" -o "$first" && ours bscope run "${what[@]}" -o "$second" || return
    a="$(makespan "$first")" b="$(makespan "$second")"
    rm -f "$second"
    awk -v a="$a" -v b="$b" -v name="P8 emulate $1 D$2" 'BEGIN {
        off = (a > b ? a / b : b / a) - 1
        printf "ROW\t%s\t%s\t%.3f and %.3f ms, %.2f %% apart\n", name, off <= 0.01 ? "PASS" : "FAIL", a / 1e6, b / 1e6, 100 * off }'
}
export -f emulate_twice

stage_3() {
    on_gpu "P7 gradients" 200 bash -c 'ours bscope verify --backend cuda'
    local scheme
    for scheme in 1f1b interleaved-1f1b zb-h1 chimera bitpipe bpipe; do
        on_gpu "P8 emulate $scheme D4" 60 bash -c "emulate_twice $scheme 4"
    done
    on_gpu "P8 emulate bitpipe D8" 90 bash -c 'emulate_twice bitpipe 8'
}
