#!/usr/bin/env bash
# Kits of `bscope kit` train with PyTorch over gloo. `kit.sh BSCOPE SOURCE TEST`; 77 without PyTorch
# 2.6 or later. BUBBLESCOPE_TORCH_CHROOT names a folder of packaging/torch-chroot.sh to use instead of
# this machine's PyTorch; that needs root.
set -euo pipefail
bscope=$1 source=$2 test=$3
chroot=${BUBBLESCOPE_TORCH_CHROOT:-}
skip() { echo "SKIPPED: $1"; exit 77; }

if [ -n "$chroot" ]; then
    [ "$(id -u)" = 0 ] || skip "chroot needs root"
    work=$(mktemp -d "$chroot/tmp/bubblescope-kit-XXXXXX")
    inside() { timeout 600 chroot "$chroot" "$@"; }
else
    work=$(mktemp -d)
    inside() { timeout 600 "$@"; }
fi
trap 'rm -rf "$work"' EXIT
seen=${work#"$chroot"} # the folder as PyTorch sees it
inside python3 -c 'import sys, torch, torch.distributed.pipelining
sys.exit(tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 6))' 2> /dev/null \
    || skip "no PyTorch 2.6 or later: install it, or make a chroot with packaging/torch-chroot.sh and set BUBBLESCOPE_TORCH_CHROOT"

model() { # FAMILY LAYERS TIED
    cat <<MODEL
name = "test"
family = "$1"
layers = $2
width = 32
heads = 4
kv_heads = $([ "$1" = llama ] && echo 2 || echo 0)
sequence = $([ "$1" = vit ] && echo 36 || echo 32)
patch = $([ "$1" = vit ] && echo 4 || echo 0)
micro_batch_size = 2
vocabulary = 260
tied = $3
MODEL
}

kits=()
kit() { # NAME ITERATIONS OPTIONS...: writes a kit and the losses of bscope run
    local name=$1 iterations=$2 folder=$work/$1
    shift 2
    "$bscope" kit "$@" --warmup 0 --iterations "$iterations" -o "$folder" > /dev/null
    # A kit of an asynchronous scheme drains after every iteration, as a schedule file does.
    case "$*" in *pipedream* | *-async*) set -- --schedule "$folder/schedule.csv" --model "$work/model.toml" ;; esac
    "$bscope" run "$@" --warmup 0 --iterations "$iterations" -o "$folder/run.sqlite" > /dev/null
    "$bscope" analyze "$folder/run.sqlite" --json > "$folder/expected.json"
    kits+=("$seen/$name")
}
variant() { # KIT NAME: a copy that ranks.py trains in another way
    cp -r "$work/$1" "$work/$1-$2"
    kits+=("$seen/$1-$2")
}
train() { # COMMAND...: starts the ranks
    cp "$source/tests/kit/ranks.py" "$work" && inside "$@" python3 "$seen/ranks.py" "${kits[@]}"
}
fail() { echo "FAILED: $1"; exit 1; }
expect() { # TEXT COMMAND...: the command fails and prints the text
    local text=$1 output
    shift
    if output=$("$@" 2>&1); then fail "$* did not fail"; fi
    grep -qF "$text" <<< "$output" || fail "'$text' is not in: $output"
}

schemes() { # DEVICES: every scheme that accepts D and N = 2 D
    local scheme
    model gpt 16 false > "$work/model.toml"
    while read -r scheme; do
        # shellcheck disable=SC2086
        set -- "$1" --scheme $scheme --devices "$1" --micro-batches $((2 * $1)) --model "$work/model.toml"
        "$bscope" schedule "${@:2:$(($# - 3))}" > /dev/null 2>&1 || continue
        kit "$(tr ' =' '--' <<< "$scheme")" 3 "${@:2}"
    done < <("$bscope" schemes --json | grep -oP '^    "name": "\K[^"]+'
        printf '%s\n' 'chimera --set concat=doubling' 'chimera --set concat=halving' \
            'bitpipe --set concat=early' 'bpipe --set policy=steady')
    [ ${#kits[@]} -ge 20 ] || fail "only ${#kits[@]} schemes"
    local kit
    for kit in "$work"/*/titan.toml; do variant "$(basename "$(dirname "$kit")")" titan; done
    variant 1f1b 2.8
    for kit in bitpipe chimera gems; do variant $kit rendezvous; done
    kit gems-one 3 --scheme gems --devices "$1" --micro-batches 1 --model "$work/model.toml"
    # The gradients of W were not those of the update if the schedule has weight versions.
    awk -F, -v OFS=, 'NR > 1 { $2 *= 2 } $3 == "B" { $3 = "I"; print; $3 = "W"; ++$2 } 1' \
        "$work/pipedream/schedule.csv" > "$work/split.csv"
    kit split 3 --schedule "$work/split.csv" --model "$work/model.toml"
    if [ "$1" = 4 ]; then # BPipe moves nothing between two devices
        variant bpipe rendezvous
        # A recomputed forward saves nothing that could be moved, which ended the kit.
        kit offload 3 --scheme 1f1b --offload 3 --devices 4 --micro-batches 8 --model "$work/model.toml"
        kit bpipe-recompute 3 --scheme bpipe --recompute full --devices 4 --micro-batches 8 --model "$work/model.toml"
    fi
    train
}

families() {
    local family
    for family in gpt bert llama vit; do
        model $family 8 false > "$work/$family.toml"
        kit "$family-1f1b" 20 --scheme 1f1b --devices 2 --micro-batches 4 --model "$work/$family.toml"
        kit "$family-bitpipe" 20 --scheme bitpipe --devices 2 --micro-batches 4 --model "$work/$family.toml"
    done
    kit layout 5 --scheme 1f1b --devices 2 --micro-batches 4 --model "$work/gpt.toml" --layout 'Et*5|t*3L'
    model gpt 8 true > "$work/tied.toml"
    for scheme in 1f1b zb-v bitpipe; do
        kit "tied-$scheme" 5 --scheme $scheme --devices 2 --micro-batches 4 --model "$work/tied.toml"
        kit "two-copies-$scheme" 5 --scheme $scheme --devices 2 --micro-batches 4 --data-parallel 2 \
            --model "$work/gpt.toml"
    done
    kit tied-one-stage 5 --scheme 1f1b --devices 1 --micro-batches 4 --model "$work/tied.toml"
    kit tied-one-stage-two-copies 5 --scheme 1f1b --devices 1 --micro-batches 4 --data-parallel 2 \
        --model "$work/tied.toml"
    train
}

import() {
    local scheme folder report
    model gpt 8 false > "$work/model.toml"
    for scheme in 1f1b zb-v bitpipe seq1f1b; do
        kit $scheme 8 --scheme $scheme --devices 2 --micro-batches 4 --model "$work/model.toml"
    done
    kit bpipe 8 --scheme bpipe --devices 4 --micro-batches 6 --model "$work/model.toml"
    train
    for scheme in 1f1b zb-v bitpipe seq1f1b bpipe; do
        folder=$work/$scheme
        report=$("$bscope" import "$folder/results" --json -o "$work/$scheme.sqlite")
        grep -q '"replay_error": *-\?[0-9]' <<< "$report" || fail "$scheme: $report"
        "$bscope" analyze "$work/$scheme.sqlite" --json > "$work/$scheme.json"
        grep -q "\"scheme\": \"$scheme\"" "$work/$scheme.json" || fail "$scheme is not recognised"
        grep -q '"losses": \[' "$work/$scheme.json" || fail "$scheme has no losses"
        # Measured: at most 3 % on free cores; ranks that share a core spread more.
        awk -v "error=$(grep -oP '"replay_error": *\K[-0-9.e]+' <<< "$report")" \
            'BEGIN { exit !(error > -0.25 && error < 0.25) }' || fail "$scheme: the replay is off: $report"
        echo "$scheme: $(grep -oP '"replay_error": *\K[-0-9.]+' <<< "$report")"
    done
    # No shared file system: an archive per rank; a rank whose trace is missing is named.
    for rank in 0 1; do tar czf "$work/$rank.tar.gz" -C "$work/1f1b/results" "rank$rank.json.gz"; done
    "$bscope" import "$work/0.tar.gz" "$work/1.tar.gz" --json | grep -q '"missing_ranks": \[\]' \
        || fail "an archive per rank"
    "$bscope" import "$work/1.tar.gz" --json -o "$work/one.sqlite" | tr -d ' \n' \
        | grep -q '"missing_ranks":\[0\]' || fail "a missing trace"
    # Only rank 0 has the sum of the losses; the others wrote their own.
    "$bscope" analyze "$work/one.sqlite" --json | tr -d ' \n' | grep -q '"losses":\[\]' \
        || fail "losses without rank 0"
    # A run without traces kept those of an earlier one, which may have had more ranks.
    touch "$work/1f1b/results/rank7.json.gz"
    inside "$seen/1f1b/run.sh" --profile 0 --iterations 1 > "$work/run.log" 2>&1 || fail "$(tail -n 3 "$work/run.log")"
    expect "has no traces" "$bscope" import "$work/1f1b/results"
}

stragglers() {
    # Stages of equal layers, of which the first and the last have little more, and two micro-batches,
    # so that at most two ranks compute at the same time.
    model gpt 16 false | sed 's/^width.*/width = 128/; s/^sequence.*/sequence = 64/' > "$work/model.toml"
    kit even 20 --scheme 1f1b --devices 4 --micro-batches 2 --model "$work/model.toml"
    rm "$work/even/expected.json" # after so many iterations, losses differ by rounding
    variant even slow
    # Before all other processes, where that is allowed.
    if chrt -r 1 true 2> /dev/null; then train chrt -r 1; else train; fi
    local kit table named
    for kit in even even-slow; do
        "$bscope" import "$work/$kit/results" -o "$work/$kit.sqlite" > /dev/null
        table=$("$bscope" analyze "$work/$kit.sqlite" --stragglers | sed '1,/^device  straggler/d')
        echo "$table"
        awk '$1 == 1 { exit !($7 - $5 > 8) }' <<< "$table" \
            && skip "the times of rank 1 differ by more than 8 %: other processes use the cores"
        named=$(awk '$2 == "yes" { print $1 }' <<< "$table")
        [ "$kit:$named" = even: ] || [ "$kit:$named" = even-slow:1 ] || fail "$kit: stragglers: ${named:-none}"
    done
}

failures() {
    model gpt 4 false > "$work/model.toml"
    local folder=$work/kit port=$((20000 + RANDOM % 20000))
    "$bscope" kit --scheme 1f1b --devices 2 --micro-batches 4 --model "$work/model.toml" -o "$folder" > /dev/null
    rank() { # RANK OPTIONS...
        inside env RANK="$1" LOCAL_RANK="$1" WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port USE_LIBUV=0 \
            OMP_NUM_THREADS=1 python3 "$seen/kit/train.py" --profile 0 --timeout 5 "${@:2}"
    }
    # Forwards of device 0 that come after the backwards that need them: a deadlock.
    cp "$folder/schedule.csv" "$work/good.csv"
    awk -F, 'NR > 1 && $1 == 0 && $3 == "F" && $6 == 1 { f = $0 } { row[NR] = $0 }
        END { for (i = 1; i <= NR; ++i) { if (row[i] == f) continue; print row[i]; if (row[i] ~ /^0,[0-9]+,B,0,0,1,/) print f } }' \
        "$work/good.csv" > "$folder/schedule.csv"
    expect "deadlocks" inside python3 "$seen/kit/train.py" --check
    expect "deadlocks" inside "$seen/kit/run.sh"
    sed '/^0,[0-9]*,B,0,0,1,/d' "$work/good.csv" > "$folder/schedule.csv"
    expect "has no complete backward of 0F1" inside python3 "$seen/kit/train.py" --check
    cp "$work/good.csv" "$folder/schedule.csv"
    for change in 's/^heads.*/heads = 5/:is not a multiple of heads 5' 's/^width.*/width = "x"/:must be a whole number' 's/^layers.*/layers = =/:is not TOML'; do
        sed "${change%%:*}" "$work/kit/model.toml" > "$work/kit/wrong.toml"
        expect "${change#*:}" inside python3 "$seen/kit/train.py" --check --model "$seen/kit/wrong.toml"
    done
    expect "need 2 rank(s), not 0" inside python3 "$seen/kit/train.py"
    # One rank needs torchrun, too; without it, a stack trace named RANK.
    "$bscope" kit --scheme 1f1b --devices 1 --micro-batches 2 --model "$work/model.toml" -o "$work/one" > /dev/null
    expect "need 1 rank(s), not 0" inside python3 "$seen/one/train.py"
    # A node with fewer GPUs than ranks was reported as "CUDA error: invalid device ordinal".
    CUDA_VISIBLE_DEVICES='' expect "needs GPU 1 of its node, which has 0 GPU(s)" rank 1 --backend nccl
    # Two kits on one machine had the same port.
    inside "$seen/kit/run.sh" --profile 0 --results "$seen/other" > "$work/other.log" 2>&1 &
    inside "$seen/kit/run.sh" --profile 0 > "$work/run.log" 2>&1 \
        || fail "run.sh ends with $?: $(tail -n 3 "$work/run.log")"
    wait $! || fail "a second run.sh ends with $?: $(tail -n 3 "$work/other.log")"
    # One rank has another version of PyTorch, dies, or never comes back from an op. A hang of PyTorch's
    # runtime, which has a group of its own, was reported after gloo's 30 minutes.
    cat > "$work/faulty.py" <<'PYTHON'
import os, runpy, signal, sys, time
import torch
fault, sys.argv = sys.argv[1], sys.argv[2:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
import runtime
if fault == "version":
    torch.__version__ = "2.6.0"
else:
    runtime.loss_of = lambda *_: os.kill(os.getpid(), signal.SIGKILL) if fault == "die" else time.sleep(60)
runpy.run_path(sys.argv[0], run_name="__main__")
PYTHON
    local fault runtime text
    while read -r fault runtime text; do
        port=$((port + 1))
        inside env RANK=1 LOCAL_RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port USE_LIBUV=0 OMP_NUM_THREADS=1 \
            timeout 20 python3 "$seen/faulty.py" "$fault" "$seen/kit/train.py" --profile 0 --timeout 5 --runtime "$runtime" \
            > "$work/faulty.log" 2>&1 &
        expect "$text" rank 0 --runtime "$runtime"
        wait || true
    done <<'FAULTS'
version kit ranks differ: PyTorch of rank 0
die kit rank 0 stopped in iteration 0, 0RECV_B0
hang kit rank 0 stopped in iteration 0, 0RECV_B0
hang torch Timed out waiting 5000ms for recv
FAULTS
    echo "all faults are reported"
}

case $test in
schemes-2) schemes 2 ;;
schemes-4) schemes 4 ;;
families | import | stragglers | failures) "$test" ;;
*) fail "unknown test $test" ;;
esac
