# shellcheck shell=bash disable=SC2154
# Stage 0: the machine. Sourced by run_all.sh, whose variables and functions it uses.

environment() {
    local gpu driver nvcc
    nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap,mig.mode.current --format=csv 2>&1
    nvidia-smi -q -d CLOCK,PERFORMANCE 2>&1 | head -n 60
    uname -srm
    getconf GNU_LIBC_VERSION
    nvcc --version 2>&1 | tail -n 2
    python3 -c 'import torch; print("torch", torch.__version__)' 2>&1 | tail -n 1
    command -v compute-sanitizer ncu cuobjdump
    [ -x "$pack/bscope" ] && ours bscope devices 2>&1
    cat "$pack/PACK.txt" 2>/dev/null
    gpu="$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)"
    driver="$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
    nvcc="$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
    if [ -z "$gpu" ]; then
        printf 'ROW\tP0 environment\tSKIPPED\tno GPU: nvidia-smi finds none; nvcc %s\n' "${nvcc:-is missing}"
    else
        printf 'ROW\tP0 environment\tPASS\t%s, driver %s, nvcc %s\n' "$gpu" "$driver" "${nvcc:-missing}"
    fi
}
export -f environment

# Wheels have libcublasLt.so.13 and no libcublasLt.so.
library_name() { # cublasLt
    local folder file
    while read -r folder; do
        for file in "$folder/lib$1.so" "$folder/lib$1.so".*; do
            [ -e "$file" ] && { echo ":$(basename "$file")"; return; }
        done
    done < <(cuda_folders lib)
    echo "$1"
}

# build_probe NAME LIBRARY...: into $work.
build_probe() {
    local name="$1" library folder capability
    local -a flags=(-O2 -std=c++17)
    shift
    capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sed -n '1s/^\([0-9]*\)\.\([0-9]\)$/\1\2/p')"
    flags+=("-arch=sm_${capability:-90}")
    while read -r folder; do flags+=("-I$folder"); done < <(cuda_folders include)
    while read -r folder; do flags+=("-L$folder" -Xlinker "-rpath=$folder"); done < <(cuda_folders lib)
    for library in "$@"; do flags+=("-l$(library_name "$library")"); done
    nvcc "${flags[@]}" -o "$work/$name" "$here/probes/$name.cu" >"$logs/build_$name.log" 2>&1
}

probe() { # check-name seconds program
    local check_name="$1" seconds="$2" program="$3"
    if ! command -v nvcc >/dev/null; then
        row "$check_name" SKIPPED "nvcc is not installed here, and probes are built where they run"
    elif [ -x "$work/$program" ]; then
        check "$check_name" "$seconds" "$work/$program"
    else
        row "$check_name" FAIL "does not build: $(grep -m 1 -iE 'error|cannot' "$logs/build_$program.log" | cut -c1-140)"
    fi
}

stage_0() {
    local program
    if command -v nvcc >/dev/null; then # all at once, while the environment is looked at
        for program in partitions copies graphs "capture cupti" "epilogues cublasLt" "matmuls cublasLt"; do
            # shellcheck disable=SC2086 # a name and its libraries
            build_probe $program &
        done
    fi
    check "P0 environment" 60 bash -c environment
    wait
    probe "P1 partitions" 60 partitions
    probe "P1 copies" 60 copies
    probe "P2 graphs" 60 graphs
    probe "P3 capture" 90 capture
    probe "P4 epilogues" 60 epilogues
    local connections
    for connections in 8 32; do
        export CUDA_DEVICE_MAX_CONNECTIONS=$connections
        probe "P4 interference $connections" 150 matmuls
        unset CUDA_DEVICE_MAX_CONNECTIONS
    done
}
