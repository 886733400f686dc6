#!/usr/bin/env bash
# Hours of bad luck, on demand: tests/torture/torture.sh BUILD [kill|disk|calls|fuzz|signals|limits|locks|pages|window ...]
# BUILD is a build folder with tests. ROUNDS (default 100) is the number of kills and of full disks, FILES (default
# 1000) that of mutated files per reader, SECONDS_OF_INPUT (default 3600) the time of random input to the window.
# Prints one line per part; the last result is in RESULTS.md.
set -uo pipefail

build=$(realpath "${1:?usage: torture.sh BUILD [PART ...]}")
shift
bscope="$build/bin/bscope"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

report() { # PART TEXT FAILED
    printf '%-8s %s\n' "$1" "$2"
    [ "$3" -eq 0 ] || failures=$((failures + 1))
}

# The command of a small run; not a function, because a signal to its job must reach bscope itself.
training=("$bscope" run --layers 8 --warmup 0 --width 32 --heads 2 --sequence 16 --progress jsonl)

# The number of iterations that a run has; -1 if it cannot be read.
iterations() {
    "$bscope" export "$1" --format json 2>/dev/null |
        python3 -c 'import json, sys; print(sum(i["phase"] != "replay" for i in json.load(sys.stdin)["iterations"]))' 2>/dev/null || echo -1
}

# Kills a run at random moments: every iteration that was reported is in the file.
part_kill() {
    local lost=0 unreadable=0 round
    for ((round = 0; round < ${ROUNDS:-100}; ++round)); do
        rm -f r.sqlite*
        "${training[@]}" --iterations 400 -o r.sqlite >/dev/null 2>events &
        local id=$!
        sleep "0.$(printf '%03d' $((RANDOM % 1000)))"
        kill -9 "$id" 2>/dev/null
        wait "$id" 2>/dev/null
        [ -e r.sqlite ] || continue
        local reported kept
        reported=$(grep -c '"event":"iteration"' events)
        [ "$reported" -gt 0 ] || continue
        kept=$(iterations r.sqlite)
        [ "$kept" -ge 0 ] || unreadable=$((unreadable + 1))
        [ "$kept" -ge "$reported" ] || lost=$((lost + 1))
    done
    report kill "$round kills: $lost runs lost a reported iteration, $unreadable cannot be read" $((lost + unreadable))
}

# Records onto disks that become full: the run says so and keeps what was reported.
part_disk() {
    local silent=0 lost=0 round
    mkdir -p disk
    for ((round = 0; round < ${ROUNDS:-100}; ++round)); do
        mount -t tmpfs -o "size=$((100 + RANDOM % 4000))k" tmpfs disk 2>/dev/null || {
            report disk "SKIPPED: a small disk can only be mounted by root" 0
            return
        }
        "${training[@]}" --iterations 400 -o disk/r.sqlite >/dev/null 2>events
        local status=$?
        [ "$status" -ne 0 ] || grep -q '"outcome":"finished"' events || silent=$((silent + 1))
        local reported kept
        reported=$(grep -c '"event":"iteration"' events)
        if [ "$reported" -gt 0 ]; then
            cp disk/r.sqlite* . 2>/dev/null
            kept=$(iterations r.sqlite)
            [ "$kept" -ge "$reported" ] || lost=$((lost + 1))
            rm -f r.sqlite*
        fi
        umount disk
    done
    report disk "$round disks: $silent ended without an error, $lost runs lost a reported iteration" $((silent + lost))
}

# Fails system calls of a run one by one (strace). The run ends with one line or goes on, its file is not left "running",
# and no other file is left behind, unless it could not be deleted or has rows of the run (-wal).
part_calls() {
    command -v strace >/dev/null || { report calls "SKIPPED: strace is not installed" 0; return; }
    local bad=0 tried=0 call error when
    for call in openat write pwrite64 fdatasync fsync ftruncate rename unlink lseek pread64 clone3 mmap; do
        rm -rf runs && mkdir runs
        strace -f -qq -o calls -e "trace=$call" "${training[@]}" --iterations 3 -o runs/r.sqlite >/dev/null 2>&1
        local count
        count=$(wc -l <calls)
        for ((when = 1 + RANDOM % 3; when <= count; when += 1 + count / ${CALLS:-14})); do
            error=$([ $((RANDOM % 2)) -eq 0 ] && echo EIO || echo ENOSPC)
            case $call in clone3) error=EAGAIN ;; mmap) error=ENOMEM ;; esac
            rm -rf runs && mkdir runs
            timeout 60 strace -f -qq -o /dev/null -e "inject=$call:error=$error:when=$when" \
                "${training[@]}" --iterations 3 -o runs/r.sqlite >events 2>log
            local status=$? left outcome=""
            tried=$((tried + 1))
            left=$(find runs -mindepth 1 ! -name r.sqlite ! -name r.sqlite-wal ! -name r.sqlite-shm | wc -l)
            [ "$call" != unlink ] || left=0
            [ ! -e runs/r.sqlite ] || outcome=$("$bscope" analyze runs/r.sqlite --json 2>&1 | grep -c '"outcome": "running"')
            if [ "$status" -gt 2 ] && [ "$status" -ne 127 ] || [ "$left" -ne 0 ] || [ "${outcome:-0}" != 0 ] ||
                [ "$(grep -c '^bscope' log)" -gt 1 ]; then
                echo "$call $when of $count $error: status $status, $left other files, $outcome running: $(head -c 300 log)"
                bad=$((bad + 1))
            fi
        done
    done
    report calls "$tried failing system calls: $bad crashed, left files or a run that seems to go on" "$bad"
}

part_fuzz() {
    local program="$build/asan/bin/test_fuzz" # which ctest builds
    [ -x "$program" ] || ctest --test-dir "$build" -R '^fuzz' >/dev/null
    BUBBLESCOPE_FUZZ_SEED=$RANDOM BUBBLESCOPE_FUZZ_ROUNDS=${FILES:-1000} "$program" >fuzz.txt 2>&1
    local status=$?
    report fuzz "${FILES:-1000} mutated files per reader: $(tail -n 2 fuzz.txt | head -n 1)" "$status"
}

# Every signal that asks a program to end leaves a run with its iterations, and no other file.
part_signals() {
    local bad=0 round signal
    set -m # otherwise a shell starts background processes with SIGINT ignored
    for ((round = 0; round < ${ROUNDS:-100}; ++round)); do
        for signal in INT TERM HUP QUIT USR1 XCPU ABRT SEGV; do
            rm -rf runs && mkdir runs
            "${training[@]}" --iterations 400 -o runs/r.sqlite >/dev/null 2>events &
            local id=$!
            sleep "0.$(printf '%03d' $((RANDOM % 1000)))"
            kill "-$signal" "$id" 2>/dev/null
            wait "$id" 2>/dev/null
            local others
            others=$(find runs -mindepth 1 ! -name r.sqlite | wc -l)
            [ "$others" -eq 0 ] || bad=$((bad + 1))
        done
    done
    set +m
    report signals "$((8 * round)) signals: $bad left other files behind" "$bad"
}

# Limits of the system, closed pipes and a parent that died: one line says what to do, and no file is left behind.
part_limits() {
    local bad=0 status
    expect() { # WHAT TEXT: the last program failed with one line that has the text
        [ "$status" -eq 1 ] && grep -q "$2" log && [ "$(grep -c "^bscope" log)" -le 1 ] &&
            [ -z "$(find . -name '*.bscope-*')" ] || { echo "$1: status $status: $(head -c 300 log)"; bad=$((bad + 1)); }
    }
    ( ulimit -f 20; "${training[@]}" --iterations 400 -o large.sqlite ) >/dev/null 2>log
    status=$?
    expect "a file size limit" "ulimit -f"
    ( ulimit -v 60000; timeout 60 "$bscope" study chunks -o study --threads 2 ) >/dev/null 2>log
    status=$?
    expect "no more threads" "no more threads\|out of memory"
    timeout 60 bash -c '"$1" analyze --definitions | true; exit "${PIPESTATUS[0]}"' - "$bscope" >/dev/null 2>log
    [ $? -ne 124 ] || { echo "a closed pipe: no end"; bad=$((bad + 1)); }
    # The parent of a worker dies: the worker ends within two seconds.
    bash -c '"$@" >/dev/null 2>&1 & echo $!; sleep 60' - "${training[@]}" --iterations 100000 -o orphan.sqlite >orphan &
    local parent=$!
    sleep 1
    kill -9 "$parent"
    wait "$parent" 2>/dev/null
    sleep 2
    ! kill -0 "$(cat orphan)" 2>/dev/null || { echo "a worker outlives its parent"; bad=$((bad + 1)); kill -9 "$(cat orphan)"; }
    report limits "$bad limits end without an answer, or leave files behind" "$bad"
}

# Many writers of one name: one of them writes, the others are refused, and the file is whole.
part_locks() {
    local bad=0 round
    for ((round = 0; round < ${ROUNDS:-100} / 10; ++round)); do
        rm -f r.sqlite
        local i
        for ((i = 0; i < 20; ++i)); do
            "${training[@]}" --iterations 3 --force -o r.sqlite >/dev/null 2>&1 &
        done
        wait
        [ "$(iterations r.sqlite)" -eq 3 ] || bad=$((bad + 1))
        [ "$(find . -maxdepth 1 -name '.r.sqlite*' | wc -l)" -eq 0 ] || bad=$((bad + 1))
    done
    report locks "$((20 * round)) simultaneous writers: $bad files damaged or left behind" "$bad"
}

# 500 cycles of opening and closing, 200 runs open at once, and a run of a million ops.
part_pages() {
    [ -x "$build/bin/random_input" ] || {
        report pages "build the target random_input first" 1
        return
    }
    local -a tabs=()
    local i
    "$bscope" simulate --scheme 1f1b -o a.sqlite >/dev/null
    "$bscope" simulate --scheme bitpipe -o b.sqlite >/dev/null
    "$bscope" simulate --scheme 1f1b -D 16 -N 16384 -o million.sqlite >/dev/null
    for ((i = 0; i < 200; ++i)); do
        cp a.sqlite "tab$i.sqlite"
        tabs+=("$work/tab$i.sqlite")
    done
    pages() { # ROUNDS FILE ...
        QT_QPA_PLATFORM=offscreen HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_CACHE_HOME=$work \
            "$build/bin/random_input" pages "$@" >pages.txt 2>pages-errors.txt
        local status=$?
        report pages "$(tail -n 1 pages.txt) $([ "$status" -le 1 ] || tail -n 1 pages-errors.txt)" "$status"
    }
    pages "${CYCLES:-500}" "$work/a.sqlite" "$work/b.sqlite"
    pages 1 "${tabs[@]}"
    pages 3 "$work/million.sqlite"
}

part_window() {
    [ -x "$build/bin/random_input" ] || {
        report window "build the target random_input first" 1
        return
    }
    "$bscope" simulate --scheme 1f1b -o a.sqlite >/dev/null
    "$bscope" simulate --scheme bitpipe -o b.sqlite >/dev/null
    # The input may start runs of any size and save files.
    ( ulimit -v $((12 << 20)) && QT_QPA_PLATFORM=offscreen HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_CACHE_HOME=$work \
        "$build/bin/random_input" "${SECONDS_OF_INPUT:-3600}" a.sqlite b.sqlite >window.txt 2>window-errors.txt )
    local status=$?
    report window "$(tail -n 1 window.txt) $([ "$status" -le 1 ] || tail -n 1 window-errors.txt)" "$status"
}

[ "$#" -gt 0 ] || set -- kill disk calls fuzz signals limits locks pages window
for part in "$@"; do
    declare -F "part_$part" >/dev/null || { echo "torture.sh: unknown part $part" >&2; exit 2; }
    "part_$part"
done
[ "$failures" -eq 0 ]
