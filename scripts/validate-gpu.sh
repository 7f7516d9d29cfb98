#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# What stepcast claims of a GPU, shown on the GPU in front of you, in parts that can be called one by one and
# that continue what an earlier call left.
#
# usage: scripts/validate-gpu.sh --part PART [--build DIR] [--out DIR] [--seconds N]
#   tests     the GPU tests; a skipped one is a failure
#   sanitize  the same programs under compute-sanitizer: memcheck, and racecheck for our own kernels
#   repeat    a quick profile twice, and where the two differ
#   kill      a quick profile that is killed at random moments and continued, and what it has lost
#   profile   a profile of both models: four precisions, NHWC and NCHW; fp16 and bf16 at more batches, those by --quick
#   layers    each layer beside PyTorch's, both sides alternating
#   steps     real PyTorch DDP steps of the same cases, eager and as a CUDA graph, with DDP's rebuilt buckets
#   kernels   the kernels of one real step a precision, which the recipe `eager` is checked against
#   --build   folder of the built programs (default build/cuda)
#   --out     folder of the results (default build/validation)
#   --seconds begin no new case after this long (layers, steps and kernels)
# layers, steps and kernels need a Python with PyTorch and torchvision, and the libraries that it loads.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/cuda
out=$root/build/validation
seconds=100000
part=""
batches=16,32,64,256,512

while [[ $# -gt 0 ]]; do
  case $1 in
    --part) part=$2 ;;
    --build) build=$2 ;;
    --out) out=$2 ;;
    --seconds) seconds=$2 ;;
    *)
      sed -n '4,21s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 2
      ;;
  esac
  shift 2
done
mkdir -p "$out"

case $part in
  tests)
    STEPCAST_REQUIRE_GPU=1 ctest --test-dir "$build" -L gpu -j8 --output-on-failure --no-tests=error
    ;;
  sanitize)
    # Own kernels are those of plans with no library behind them; libraries' races are their own affair. Tests that
    # time something cannot pass under a sanitizer.
    check() {
      local tool=$1 test=$2 name filter="-Stopwatches.*:KernelNames.*Conversions*"
      name=$(basename "$test")
      STEPCAST_REQUIRE_GPU=1 compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 \
        --log-file "$out/${tool}_$name.txt" "$test" --gtest_brief=1 "--gtest_filter=$filter" >"$out/${tool}_$name.out" 2>&1 ||
        echo "$tool $name: exit code $?"
      echo "$tool $name: $(tail -1 "$out/${tool}_$name.txt"), $(grep -E '(PASSED|FAILED)' "$out/${tool}_$name.out" | head -1)"
    }
    export -f check
    export out
    programs() {
      local test
      for test in batchnorm bias elementwise layernorm loss optimizer permute pool; do
        echo "racecheck $build/bin/stepcast_plans_${test}_test"
      done
      # Two of them never reach the GPU, which the sanitizer calls an error.
      for test in "$build"/bin/stepcast_{verify,plans}_*_test "$build/bin/stepcast_core_cuda_test"; do
        [[ $test == *_comparison_test || $test == *_make_plan_test ]] || echo "memcheck $test"
      done
    }
    # shellcheck disable=SC2016 # the arguments are the inner shell's
    programs | xargs -P "$(nproc)" -L 1 bash -c 'check "$@"' check | tee "$out/sanitize.txt"
    if grep -q 'exit code' "$out/sanitize.txt"; then exit 1; fi
    ;;
  repeat)
    for side in a b; do "$build/bin/stepcast-bench" --quick --no-blocks --profile "$out/repeat_$side"; done
    python3 "$root/tests/validation/repeat.py" "$out/repeat_a" "$out/repeat_b" --out "$out/repeat.csv"
    ;;
  kill)
    rm -rf "$out/killed"
    # Seven seconds pass before the first op: what comes up to then is killed too.
    for moment in 9 10 8 11 9; do
      timeout --signal KILL "$moment" "$build/bin/stepcast-bench" --quick --no-blocks --models vit_b_16 --recipes fused \
        --profile "$out/killed" || true
      grep -c . "$out/killed/ops.csv"
    done
    "$build/bin/stepcast-bench" --quick --no-blocks --models vit_b_16 --recipes fused --profile "$out/killed"
    python3 "$root/tests/validation/killed.py" "$out/killed"
    ;;
  profile)
    measure() { "$build/bin/stepcast" measure --out "$out/profile" "$@"; }
    measure --models resnet152 --layouts nhwc,nchw --precisions fp32,tf32,fp16,bf16 --batches 128
    measure --models vit_b_16 --layouts nchw --precisions fp32,tf32,fp16,bf16,e4m3 --batches 128
    measure --quick --recipes eager,fused --models resnet152 --layouts nhwc,nchw --precisions fp16,bf16 --batches "$batches"
    measure --quick --recipes eager,fused --models vit_b_16 --layouts nchw --precisions fp16,bf16 --batches "$batches,1024"
    python3 "$root/tests/validation/limits.py" "$out/profile"
    ;;
  layers)
    python3 "$root/tests/validation/compare_layers.py" --set all --bench "$build/bin/stepcast-bench" --resume \
      --bench-options "--max-candidates 40" --seconds "$seconds" --out "$out/pytorch_layers.csv"
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
    echo "--part takes tests, sanitize, repeat, kill, profile, layers, steps or kernels" >&2
    exit 2
    ;;
esac
