#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, and predicts how ResNet-152 and ViT-B/16 scale over 1, 2, 4 and 8 GPUs: from a short profile of
# this machine's GPU or, without one, from the recorded H200 profile.
#
# usage: scripts/quickstart.sh [--cuda] [--deps DIR] [--jobs N] [options of stepcast predict]
#   --cuda      build the GPU half even without a GPU; fetches a CUDA 13.0 toolkit where there is none
#   --deps DIR  build offline with what scripts/fetch-deps.sh put into DIR
#   --jobs N    compile N files at a time (default: one a core)
# What is left goes to both predictions, such as --format csv or --ranks 1,16.
# Environment: STEPCAST_GPU_LIBRARIES, a site-packages folder whose cuDNN, cuBLAS and NCCL are used;
# STEPCAST_CUDA_ARCHITECTURES, such as 90 (default: the GPU's own).
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
# shellcheck source=scripts/cuda-toolkit.sh
source "$root/scripts/cuda-toolkit.sh"

build=$root/build/quickstart
programs=$build/bin

# The compute capabilities of the GPUs here, such as 90 or 80;90; nothing without a GPU.
gpu_architectures() {
  if command -v nvidia-smi >/dev/null; then
    (nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true) |
      sed -n 's/^\([0-9]*\)\.\([0-9]*\)$/\1\2/p' | sort -u | paste -sd ';'
  fi
}

# predict MODEL LAYOUT: its scaling tables; options given to this script take the place of those here.
predict() {
  local options=() defaults=(--precision bf16 --layout "$2" --batch 128 --ranks "1,2,4,8") i
  for ((i = 0; i < ${#defaults[@]}; i += 2)); do
    if [[ " ${extra[*]} " != *" ${defaults[i]}"[\ =]* ]]; then
      options+=("${defaults[@]:i:2}")
    fi
  done
  show_and_run stepcast predict "$profile" --model "$1" "${options[@]}" "${allreduce[@]}" "${extra[@]}"
}

cuda=auto
deps=""
extra=()
allreduce=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --cuda) cuda=on ;;
    --deps)
      deps=$(value_of "$@")
      shift
      ;;
    --jobs)
      jobs=$(value_of "$@")
      shift
      ;;
    -h | --help)
      show_help
      exit
      ;;
    *) extra+=("$1") ;;
  esac
  shift
done

gpus=$(gpu_architectures)
if [[ -z $gpus && $cuda == auto ]]; then
  say "no GPU found: building the CPU half (--cuda builds the GPU half too)"
  cuda=off
fi
if [[ -n $deps ]]; then
  use_dependencies "$deps"
  select_toolkit "$cuda" "$deps/cuda"
else
  install_packages base
  select_toolkit "$cuda" "$root/.deps/cuda"
  if [[ $gpu_half == ON ]]; then
    install_packages cuda
    fetch_cudnn_frontend "$root/build/deps/cudnn-frontend"
  fi
fi
architectures=${STEPCAST_CUDA_ARCHITECTURES:-${gpus:-80;90}}
targets=(stepcast)
release="-O3 -DNDEBUG"
if [[ $gpu_half == ON ]]; then
  targets+=(stepcast-bench stepcast-comm)
else
  # Predicting takes a moment at any level of optimization; compiling does not.
  release="-O1 -DNDEBUG"
fi

mkdir -p "$build"
say "configuring ${build#"$root"/}"
cmake --no-warn-unused-cli -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=$release" -DBUILD_TESTING=OFF \
  "-DSTEPCAST_CUDA_ARCHITECTURES=$architectures" "${cmake_arguments[@]}" >"$build.log" ||
  { cat "$build.log" >&2; fail "CMake could not configure (see above)"; }
say "building ${targets[*]}"
cmake --build "$build" --parallel "$jobs" --target "${targets[@]}" >"$build.log" ||
  { tail -40 "$build.log" >&2; fail "the build failed (see above; all of it is in ${build#"$root"/}.log)"; }

cd "$root"
export PATH=$programs:$PATH
profile=data/profiles/h200-sxm
if [[ -n $gpus && $gpu_half == ON ]]; then
  profile=profiles/local
  say "measuring this machine's GPU into $profile (under two minutes)"
  show_and_run stepcast measure --quick --out "$profile"
  if [[ $(nvidia-smi --list-gpus | wc -l) == 1 && " ${extra[*]} " != *" --allreduce"[\ =]* ]]; then
    say "one GPU here cannot time an allreduce: the times of two H200 on NVLink stand in for it"
    allreduce=(--allreduce data/profiles/h200-sxm/allreduce.csv)
  fi
else
  say "predicting from the recorded profile of an H200, $profile"
fi
predict resnet152 nhwc
predict vit_b_16 nchw
