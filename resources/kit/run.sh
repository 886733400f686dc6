#!/usr/bin/env bash
# Trains on @RANKS@ ranks: @NODES@ node(s) x @RANKS_PER_NODE@. Run the same command on every node:
#     NODES=@NODES@ FIRST_NODE=node-1 ./run.sh [options of train.py]
# Environment: NODES, RANKS_PER_NODE, PYTHON; for several nodes FIRST_NODE (host name or address), PORT, JOB_ID.
set -euo pipefail
cd "$(dirname "$0")"
nodes=${NODES:-@NODES@}
ranks_per_node=${RANKS_PER_NODE:-@RANKS_PER_NODE@}
python=${PYTHON:-python3}

# Libraries may print warnings first.
version=$("$python" -c 'import torch; print(torch.__version__)' | tail -n 1) || {
    echo "run.sh: $python cannot import torch: install PyTorch 2.6 or later, or set PYTHON" >&2
    exit 1
}
"$python" - "$version" <<'CHECK' || { echo "run.sh: PyTorch 2.6 or later is needed, not $version" >&2; exit 1; }
import sys
sys.exit(tuple(int(part) for part in sys.argv[1].split(".")[:2]) < (2, 6))
CHECK
"$python" train.py --check > /dev/null

# Each process computes on its own core or GPU.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
arguments=(train.py @ARGUMENTS@ "$@")
# Two kits on one machine have different ports; kits that share a first node and a port, different ids.
rendezvous=(--standalone)
id=$(printf '%s ' @ARGUMENTS@ | cksum)
[ "$nodes" = 1 ] || rendezvous=(--nnodes "$nodes" --rdzv-backend c10d --rdzv-id "${JOB_ID:-${id%% *}}"
    --rdzv-endpoint "${FIRST_NODE:-localhost}:${PORT:-29500}")
if "$python" -c 'import torch.distributed as d; d.TCPStore("localhost", 0, is_master=True)' 2> /dev/null; then
    exec "$python" -m torch.distributed.run "${rendezvous[@]}" --nproc-per-node "$ranks_per_node" "${arguments[@]}"
fi

# torchrun needs a PyTorch with libuv (Debian's has none): on one node the ranks are started without it.
[ "$nodes" = 1 ] || { echo "run.sh: this PyTorch has no libuv, which torchrun needs" >&2; exit 1; }
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
export USE_LIBUV=0 WORLD_SIZE=$ranks_per_node MASTER_ADDR=localhost MASTER_PORT=$port
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
for ((rank = 0; rank < ranks_per_node; ++rank)); do
    RANK=$rank LOCAL_RANK=$rank "$python" "${arguments[@]}" &
done
for ((rank = 0; rank < ranks_per_node; ++rank)); do
    wait -n || exit 1
done
