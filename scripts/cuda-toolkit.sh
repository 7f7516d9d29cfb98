# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154 # root and offline come from common.sh
# Finds the CUDA toolkit that builds the GPU half, or makes one of pinned wheels. Sourced.

# How a script's user asks for a toolkit to be fetched.
how_to_fetch="--cuda fetches a toolkit"

# find_nvcc: the path of nvcc, or nothing.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" /usr/local/cuda/bin/nvcc; do
    if [[ -n $candidate && -x $candidate ]]; then
      printf '%s' "$candidate"
      return
    fi
  done
}

# why_unusable NVCC: what this toolkit lacks, or nothing.
why_unusable() {
  local nvcc=$1 major header
  major=$("$nvcc" --version | sed -n 's/^.*release \([0-9]*\)\..*$/\1/p')
  if [[ ${major:-0} -lt 12 ]]; then
    printf 'it is CUDA %s, and 12 is the least' "${major:-?}"
    return
  fi
  if [[ -n ${STEPCAST_GPU_LIBRARIES:-} ]]; then
    return
  fi
  for header in cudnn.h nccl.h cublasLt.h; do
    if ! "$nvcc" -E -x cu - <<<"#include <$header>" >/dev/null 2>&1; then
      printf 'it has no %s (STEPCAST_GPU_LIBRARIES can name a site-packages folder that has one)' "$header"
      return
    fi
  done
}

# make_toolkit FOLDER: the wheels of cuda-wheels.txt as a toolkit in FOLDER/nvidia/cu13, with cuDNN and NCCL beside it.
make_toolkit() {
  local folder=$1 toolkit work library link
  if cmp --silent "$root/scripts/cuda-wheels.txt" "$folder/wheels.txt"; then
    return
  fi
  if [[ -n $offline ]]; then
    fail "$folder has no toolkit. Fill the folder with scripts/fetch-deps.sh DIR --cuda"
  fi
  say "fetching a CUDA 13.0 toolkit with cuDNN, cuBLAS and NCCL into ${folder#"$root"/} (1.1 GB to fetch, 1.8 GB on disk)"
  mkdir -p "$(dirname "$folder")"
  work=$(mktemp -d "$folder.XXXXXX")
  download_wheels "$root/scripts/cuda-wheels.txt" "$work/wheels"
  unpack_wheels "$work/wheels" "$work/unpacked"
  toolkit=$work/unpacked/nvidia/cu13
  chmod +x "$toolkit"/bin/* "$toolkit"/nvvm/bin/*
  ln -s lib "$toolkit/lib64"
  for library in "$toolkit"/lib/lib*.so.*; do
    link=${library%%.so.*}.so
    if [[ ! -e $link ]]; then
      ln -s "$(basename "$library")" "$link"
    fi
  done
  cp "$root/scripts/cuda-wheels.txt" "$work/unpacked/wheels.txt"
  rm -rf "$folder"
  mv "$work/unpacked" "$folder"
  rm -rf "$work"
}

# select_toolkit auto|on|off FOLDER: decides whether the GPU half is built, and with what. Sets gpu_half to ON or OFF,
# CUDACXX and cmake_arguments. Where the machine has none, `on` makes a toolkit in FOLDER, and `auto` takes one made
# there before or builds the CPU half.
select_toolkit() {
  local wanted=$1 folder=$2 nvcc reason
  gpu_half=OFF
  if [[ $wanted != off ]]; then
    nvcc=$(find_nvcc)
    if [[ -z $nvcc ]]; then
      reason="no CUDA toolkit found"
    else
      reason=$(why_unusable "$nvcc")
      reason=${reason:+the CUDA toolkit of $nvcc cannot be used: $reason}
    fi
    if [[ -z $reason ]]; then
      gpu_half=ON
    elif [[ $wanted == on || -e $folder/wheels.txt ]]; then
      say "$reason"
      make_toolkit "$folder"
      nvcc=$folder/nvidia/cu13/bin/nvcc
      STEPCAST_GPU_LIBRARIES=$folder
      cmake_arguments+=("-DCUDAToolkit_ROOT=$folder/nvidia/cu13")
      gpu_half=ON
    else
      say "$reason: building the CPU half ($how_to_fetch)"
    fi
  fi
  cmake_arguments+=("-DSTEPCAST_CUDA=$gpu_half")
  if [[ $gpu_half == ON ]]; then
    say "building the GPU half with $nvcc"
    export CUDACXX=$nvcc
    cmake_arguments+=("-DSTEPCAST_GPU_LIBRARIES=${STEPCAST_GPU_LIBRARIES:-}")
  fi
}
