#!/usr/bin/env bash
#SBATCH --job-name=@SCHEME@
#SBATCH --nodes=@NODES@
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=@RANKS_PER_NODE@
#SBATCH --exclusive
# sbatch slurm.sh [options of train.py]. One task per node starts run.sh there.
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
FIRST_NODE=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export FIRST_NODE NODES=$SLURM_NNODES JOB_ID=$SLURM_JOB_ID
srun ./run.sh "$@"
