#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# What stepcast claims of a GPU, shown on the GPU in front of you, in parts that can be called one by one and
# that continue what an earlier call left.
#
# usage: scripts/validate-gpu.sh --part tests|profile|steps|kernels [--build DIR] [--out DIR] [--seconds N]
#   tests    the GPU tests; a skipped one is a failure
#   profile  a profile of both models: fp16 and bf16, NHWC and its NCHW twin, several batches
#   steps    real PyTorch DDP steps of the same cases, eager and as a CUDA graph, with DDP's rebuilt buckets
#   kernels  the kernels of one real step a precision, which the recipe `eager` is checked against
#   --build  folder of the built programs (default build/cuda)
#   --out    folder of the results (default build/validation)
#   --seconds  begin no new case after this long (steps and kernels)
# steps and kernels need a Python with PyTorch and torchvision.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/cuda
out=$root/build/validation
seconds=100000
part=""
batches=16,32,64,128

while [[ $# -gt 0 ]]; do
  case $1 in
    --part) part=$2 ;;
    --build) build=$2 ;;
    --out) out=$2 ;;
    --seconds) seconds=$2 ;;
    *)
      sed -n '4,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 2
      ;;
  esac
  shift 2
done
mkdir -p "$out"

case $part in
  tests)
    STEPCAST_REQUIRE_GPU=1 ctest --test-dir "$build" -L gpu --output-on-failure --no-tests=error
    ;;
  profile)
    for models in "resnet152 nhwc,nchw" "vit_b_16 nchw"; do
      read -r model layouts <<<"$models"
      "$build/bin/stepcast" measure --out "$out/profile" --models "$model" --layouts "$layouts" \
        --precisions fp16,bf16 --batches "$batches"
    done
    ;;
  steps)
    # Those cases first that the README shows, should the time run out.
    for case in "resnet152 nhwc 128" "vit_b_16 nchw 128" "resnet152 nhwc 16,64,32" "vit_b_16 nchw 16,64,32" \
      "resnet152 nchw 128,64,16,32"; do
      read -r model layout sizes <<<"$case"
      left=$((seconds - SECONDS))
      python3 "$root/tests/validation/pytorch_ddp.py" --models "$model" --layouts "$layout" --batches "$sizes" \
        --seconds "$left" --out "$out/pytorch_ddp.csv" --buckets "$out/pytorch_buckets.csv"
    done
    ;;
  kernels)
    for case in "resnet152 nhwc fp16" "resnet152 nhwc bf16" "vit_b_16 nchw bf16" "vit_b_16 nchw fp16"; do
      read -r model layout precision <<<"$case"
      if ((SECONDS < seconds)); then
        python3 "$root/tests/validation/pytorch_kernels.py" --model "$model" --layout "$layout" \
          --precision "$precision" --out "$out/pytorch_kernels.csv"
      fi
    done
    ;;
  *)
    echo "--part takes tests, profile, steps or kernels" >&2
    exit 2
    ;;
esac
