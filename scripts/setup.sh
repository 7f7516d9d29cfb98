#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Installs what a build needs and this machine lacks (Debian 12, Ubuntu 24.04). The other scripts call it.
#
# usage: scripts/setup.sh [--tests] [--cuda] [--mpi] [--ci]
#   --tests  GoogleTest too
#   --cuda   what the GPU half needs beside a CUDA toolkit: Google Benchmark and the cuDNN frontend's headers
#   --mpi    Open MPI
#   --ci     clang-format, clang-tidy, shellcheck
# As root, or with sudo that asks no password, packages are installed; otherwise they are listed.
set -euo pipefail

# Sourced by the others for its functions; run for its options.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/wheels.sh
source "$root/scripts/wheels.sh"

# need_command COMMAND PACKAGE, need_library PACKAGE: add to `missing` what is not there.
missing=()
need_command() {
  if ! command -v "$1" >/dev/null; then
    missing+=("$2")
  fi
}
need_library() {
  if ! dpkg-query --show --showformat='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; then
    missing+=("$1")
  fi
}

# As root if we are, or may become, root; 1 otherwise.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
  else
    return 1
  fi
}

# find_missing PART...: fills `missing` for the parts base, tests, cuda, mpi, ci.
find_missing() {
  local part package
  missing=()
  for part in "$@"; do
    case $part in
      base)
        need_command g++ build-essential
        need_command cmake cmake
        need_command ninja ninja-build
        for package in libfmt-dev nlohmann-json3-dev libcli11-dev libfccp-dev; do
          need_library "$package"
        done
        ;;
      tests) need_library libgtest-dev ;;
      cuda)
        need_library libbenchmark-dev
        if ! python3 -m pip --version >/dev/null 2>&1; then
          missing+=(python3-pip)
        fi
        ;;
      mpi)
        need_library libopenmpi-dev
        need_library openmpi-bin
        ;;
      ci)
        need_command clang-format clang-format
        need_command clang-tidy clang-tidy
        need_command shellcheck shellcheck
        ;;
    esac
  done
}

# install_packages PART...: installs what is missing, or says what to install and ends.
install_packages() {
  find_missing "$@"
  if [[ ${#missing[@]} -gt 0 ]]; then
    if ! command -v apt-get >/dev/null; then
      fail "this machine has no apt-get. Install what these Debian packages hold: ${missing[*]}"
    fi
    if ! as_root true; then
      fail "not root, and no sudo without a password. Install these, then run this again (or give --deps DIR, see docs/building.md):" \
        "apt-get install ${missing[*]}"
    fi
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get -qq -o DPkg::Lock::Timeout=120 update >&2 || true
    as_root apt-get -qq -o DPkg::Lock::Timeout=120 install --no-install-recommends "${missing[@]}" >&2 ||
      fail "apt-get could not install ${missing[*]}. Without a network, run scripts/fetch-deps.sh DIR on a machine" \
        "that has one, and give --deps DIR here."
  fi
  check_cmake
}

check_cmake() {
  local version
  version=$(cmake --version | sed -n '1s/[^0-9]*//p')
  if [[ $(printf '%s\n3.25\n' "$version" | sort -V | head -1) != 3.25 ]]; then
    fail "CMake 3.25 or newer is needed, and this is $version. scripts/fetch-deps.sh DIR fetches one for --deps DIR."
  fi
}

# use_dependencies DIR: builds with what fetch-deps.sh put there; installs nothing.
use_dependencies() {
  local folder file name
  folder=$(cd "$1" 2>/dev/null && pwd) || fail "--deps: no folder $1"
  if [[ ! -d $folder/root/usr/include ]]; then
    fail "--deps: $folder was not filled by scripts/fetch-deps.sh"
  fi
  say "building with the dependencies in $folder; installing nothing"
  # shellcheck disable=SC2034 # cuda-toolkit.sh asks for it
  offline=yes
  export PATH=$folder/tools/bin:$PATH
  cmake_arguments+=("-DCMAKE_PREFIX_PATH=$folder/root/usr" "-DSTEPCAST_CUDNN_FRONTEND=$folder/cudnn-frontend")
  # Debian's multiarch folders are not searched by a CMake on another system, so each package is named.
  while IFS= read -r file; do
    name=$(basename "$file" .cmake)
    name=${name%Config}
    cmake_arguments+=("-D${name%-config}_DIR=$(dirname "$file")")
  done < <(find "$folder/root/usr" -path '*/cmake/*' \( -name '*Config.cmake' -o -name '*-config.cmake' \))
  if ! command -v g++ >/dev/null; then
    fail "--deps brings no compiler, and g++ is not on PATH"
  fi
  check_cmake
}

main() {
  local parts=(base) frontend=no
  while [[ $# -gt 0 ]]; do
    case $1 in
      --tests) parts+=(tests) ;;
      --cuda)
        parts+=(cuda)
        frontend=yes
        ;;
      --mpi) parts+=(mpi) ;;
      --ci) parts+=(ci) ;;
      -h | --help)
        show_help
        return
        ;;
      *) fail "unknown option $1 (--help lists them)" ;;
    esac
    shift
  done
  install_packages "${parts[@]}"
  if [[ $frontend == yes ]]; then
    fetch_cudnn_frontend "$root/build/deps/cudnn-frontend"
  fi
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi
