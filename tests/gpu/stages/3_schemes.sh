# shellcheck shell=bash disable=SC2154
# Stage 3: schemes on one device: proofs, emulation, samples. Sourced by run_all.sh, whose variables and functions it uses.

readonly schemes="1f1b interleaved-1f1b zb-h1 chimera bitpipe bpipe"
export schemes

# KEY FILE: of bscope analyze or simulate --json, at the outermost level; FILE may be -.
number() { sed -n "s/^  \"$1\": *\([0-9.e+-]*\),*\$/\1/p" "$2" | head -n 1; }
analyzed() { ours bscope analyze "$2" --json | number "$1" -; } # KEY FILE

# What all runs of stages 3 and 4 train: on a GPU 124 M parameters and more, in a rehearsal what a CPU can.
as_asked() { # scheme devices
    local -a model=(--model gpt2-124m --layers 16 --micro-batch-size 4 --sequence 512 --precision bf16 --attention flash)
    [ "$backend" = cuda ] || model=(--model tiny --layers 16)
    printf '%s\n' --backend "$backend" --scheme "$1" --devices "$2" --micro-batches "$((2 * $2))" "${model[@]}" --force
}

emulate() { # scheme devices FILE
    local -a what
    mapfile -t what < <(as_asked "$1" "$2")
    ours bscope run "${what[@]}" --mode emulate --trace ops --iterations 5 --warmup 2 -o "$3"
}

# Two emulations of one schedule: within 1 % of each other; and simulated from the medians of the first within 1 % of it.
emulate_twice() { # scheme devices
    local first="$runs/$1-D$2.sqlite" second="$work/again.sqlite" a b s
    emulate "$1" "$2" "$first" && emulate "$1" "$2" "$second" || return
    a="$(analyzed iteration "$first")" b="$(analyzed iteration "$second")"
    s="$(ours bscope simulate --calibrate "$first" --scheme "$1" --devices "$2" --micro-batches "$((2 * $2))" --json | number iteration -)"
    rm -f "$second"
    awk -v a="$a" -v b="$b" -v s="$s" -v name="$1 D$2" 'BEGIN {
        if (a <= 0 || b <= 0 || s <= 0) { printf "ROW\tP8 emulate %s\tFAIL\tno times in the file\n", name; exit }
        off = (a > b ? a / b : b / a) - 1
        printf "ROW\tP8 emulate %s\t%s\t%.3f and %.3f ms, %.2f %% apart\n", name, off <= 0.01 ? "PASS" : "FAIL", a / 1e6, b / 1e6, 100 * off
        off = (a > s ? a / s : s / a) - 1
        printf "ROW\tP8 simulate %s\t%s\t%.3f ms from the medians, %.2f %% off\n", name, off <= 0.01 ? "PASS" : "FAIL", s / 1e6, 100 * off }'
}

# A run with its kernels, of one iteration: for sample_runs.
sample_with_kernels() { # scheme mode
    local -a what
    mapfile -t what < <(as_asked "$1" 4)
    ours bscope run "${what[@]}" --mode "$2" --trace kernels --iterations 1 --warmup 2 -o "$runs/$1-D4-$2-kernels.sqlite"
}

# Gradients in bf16 on the GPU against the CPU's in bf16, by the loss of a run: the same samples, the same weights.
same_losses() {
    local -a what=(--scheme bitpipe --devices 4 --micro-batches 8 --model tiny --precision bf16 --iterations 8 --warmup 0 --force)
    ours bscope run --backend "$backend" "${what[@]}" -o "$work/gpu.sqlite" >/dev/null \
        && ours bscope run --backend cpu "${what[@]}" -o "$work/cpu.sqlite" >/dev/null || return
    paste <(ours bscope analyze "$work/gpu.sqlite" --json | losses) <(ours bscope analyze "$work/cpu.sqlite" --json | losses) | awk '
        { off = ($1 > $2 ? $1 / $2 : $2 / $1) - 1; if (off > worst) worst = off; last = $0 }
        END { printf "ROW\tP7 losses bf16\t%s\t%d iterations, at most %.2f %% from the CPU; the last: %s\n",
            NR == 8 && worst <= 0.02 ? "PASS" : "FAIL", NR, 100 * worst, last }'
}
losses() { tr -d '\n' | sed -n 's/.*"losses": *\[\([^]]*\)\].*/\1/p' | tr ',' '\n' | grep -o '[0-9.e+-]\+'; }
export -f number analyzed as_asked emulate emulate_twice sample_with_kernels same_losses losses

stage_3() {
    local scheme
    on_gpu "P7 gradients" 120 bash -c 'ours bscope verify --backend "$backend"'
    on_gpu "P7 losses bf16" 40 bash -c same_losses
    for scheme in $schemes; do on_gpu "P8 emulate $scheme D4" 60 bash -c "emulate_twice $scheme 4"; done
    on_gpu "P8 sample bitpipe" 40 bash -c 'sample_with_kernels bitpipe emulate'
    for scheme in bitpipe 1f1b $schemes; do
        [ -e "$runs/$scheme-D8.sqlite" ] || on_gpu "P8 emulate $scheme D8" 90 bash -c "emulate_twice $scheme 8"
    done
}
