#!/usr/bin/env bash
# A training run as one SLURM job, with a scheduler, a worker for each task, and `rh run`:   sbatch slurm.sh train.rh
# Queue, memory and time are those of your site; `dask` and `rh` must be on the PATH of the compute nodes.
#SBATCH --job-name=rh
#SBATCH --ntasks=16
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=02:00:00
set -euo pipefail

program=$1
folder=$(mktemp -d "$PWD/rh-cluster.XXXXXX")
file=$folder/scheduler.json
export OMP_NUM_THREADS=1

# The scheduler and the workers end with the job, however it ends.
finish() {
  kill $(jobs -p) 2>/dev/null || true
  wait || true
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 143' TERM INT

dask scheduler --port 0 --dashboard-address :0 --scheduler-file "$file" &
srun dask worker --scheduler-file "$file" --nworkers 1 --nthreads 1 --memory-limit 2GB --local-directory /tmp --death-timeout 120 &

until [[ -s $file ]]; do
  sleep 1
done
address=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["address"])' "$file")

{ printf '%%cluster %s\n' "$address"; cat "$program"; } | rh run -
