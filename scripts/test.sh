#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and tests; the last line is CTest's. Tests that need a GPU skip where there is none, and fail
# instead with STEPCAST_REQUIRE_GPU=1.
#
# usage: scripts/test.sh [--cuda auto|on|off] [--deps DIR] [--jobs N] [options of ctest]
#   --cuda      auto: both halves if a CUDA toolkit is found; on: both, fetching a toolkit if there is none; off: CPU half
#   --deps DIR  build offline with what scripts/fetch-deps.sh put into DIR
#   --jobs N    compile N files, and run N tests, at a time (default: one a core)
# Environment: STEPCAST_CUDA_ARCHITECTURES (default 80;90); STEPCAST_GPU_LIBRARIES, a site-packages folder.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
# shellcheck source=scripts/cuda-toolkit.sh
source "$root/scripts/cuda-toolkit.sh"

how_to_fetch="--cuda on fetches a toolkit"
cuda=auto
deps=""
extra=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --cuda)
      cuda=$(value_of "$@")
      shift
      ;;
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
if [[ ! $cuda =~ ^(auto|on|off)$ ]]; then
  fail "--cuda takes auto, on or off, not '$cuda'"
fi

if [[ -n $deps ]]; then
  use_dependencies "$deps"
  select_toolkit "$cuda" "$deps/cuda"
else
  install_packages base tests
  select_toolkit "$cuda" "$root/.deps/cuda"
  if [[ $gpu_half == ON ]]; then
    install_packages cuda
    fetch_cudnn_frontend "$root/build/deps/cudnn-frontend"
  fi
fi
preset=cpu
if [[ $gpu_half == ON ]]; then
  preset=cuda
fi

cd "$root"
log=build/test.log
mkdir -p build
say "building preset $preset"
cmake --no-warn-unused-cli --preset "$preset" "-DSTEPCAST_CUDA_ARCHITECTURES=${STEPCAST_CUDA_ARCHITECTURES:-80;90}" "${cmake_arguments[@]}"
cmake --build --preset "$preset" --parallel "$jobs"
say "testing preset $preset"
status=0
ctest --preset "$preset" --parallel "$jobs" --no-tests=error "${extra[@]}" | tee "$log" || status=$?
grep -E '^[0-9]+% tests passed' "$log" | tail -1 || fail "CTest ran no test"
exit "$status"
