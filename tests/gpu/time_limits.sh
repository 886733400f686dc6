#!/usr/bin/env bash
# The time limits of run_all.sh.
set -euo pipefail
root="$1" work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/pack"
cat >"$work/pack/bscope" <<SH
#!/usr/bin/env bash
[ "\$1" = run ] || exit 0
trap '' TERM
echo \$\$ >"$work/pid"
while :; do sleep 1; done
SH
chmod +x "$work/pack/bscope"

run() { # STAGE LIMIT
    OUT="$work/out" "$root/tests/gpu/run_all.sh" --rehearse --stage "$1" --limit "$2" --pack "$work/pack" >"$work/table" 2>&1 || true
    cat "$work/table"
}
has() { grep -q "$1" "$work/table" || { echo "no row: $1"; exit 1; }; }

# A program that does not end, as with a GPU that hangs, is gone when the time of its check is over. It once outlived
# the shell that had started it, and every later check shared the GPU with it.
run first 16 # enough for the first check, and too few seconds for the others
has 'First one device *SKIPPED *the time of this stage was over after 1[0-9] s'
pid="$(cat "$work/pid")"
state="$(sed -n 's/^State:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null || true)"
case "$state" in
"" | Z*) ;; # a zombie where nothing waits for orphans
*) echo "the program still runs: $state"; kill -KILL "$pid"; exit 1 ;;
esac

# PyTorch compiles until the time of the stage is over. The comparison of what was timed before was then left out.
run 2 0
has 'P6 ours gpt2-124m 3 *SKIPPED *no time left'
has 'P6 ours against PyTorch *SKIPPED *neither side has a time'
