#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Fills a folder with what a build needs, for a machine without a network or without root: build there with --deps DIR.
#
# usage: scripts/fetch-deps.sh DIR [--cuda]
#   DIR     the folder; copy it to the other machine
#   --cuda  a CUDA 13.0 toolkit with cuDNN, cuBLAS and NCCL too (1.8 GB), for machines without one
# Needs apt-get, dpkg-deb and python3 with pip, but no root. Fetch on the distribution that the other machine has.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
# shellcheck source=scripts/cuda-toolkit.sh
source "$root/scripts/cuda-toolkit.sh"

headers=(libfmt-dev nlohmann-json3-dev libcli11-dev libfccp-dev libgtest-dev libgmock-dev libbenchmark-dev)

# The shared libraries behind -dev packages, whose names carry versions of their own.
libraries_of() {
  "${apt_cache[@]}" depends "$@" | sed -n 's/^ *Depends: \(libfmt[0-9.]*\|libbenchmark[0-9].*\)$/\1/p' | sort -u
}

# fetch_packages DIR: the packages, unpacked under DIR/root. Package lists of our own make root unnecessary.
fetch_packages() {
  local folder=$1 work libraries archive
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/archives"
  local options=(-o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=)
  apt_cache=(apt-cache "${options[@]}")
  say "reading the package lists"
  apt-get -qq "${options[@]}" update >&2 || fail "apt-get could not read the package lists"
  mapfile -t libraries < <(libraries_of "${headers[@]}")
  say "fetching ${headers[*]} ${libraries[*]}"
  (cd "$work/archives" && apt-get -qq "${options[@]}" download "${headers[@]}" "${libraries[@]}" >&2) ||
    fail "apt-get could not download the packages"
  rm -rf "$folder/root"
  mkdir -p "$folder/root"
  for archive in "$work"/archives/*.deb; do
    dpkg-deb -x "$archive" "$folder/root"
  done
  rm -rf "$work"
}

# fetch_tools DIR: CMake and Ninja in DIR/tools/bin.
fetch_tools() {
  local folder=$1 work
  work=$(mktemp -d)
  say "fetching CMake and Ninja"
  download_wheels "$root/scripts/build-tools.txt" "$work/wheels"
  unpack_wheels "$work/wheels" "$work/unpacked"
  rm -rf "$folder/tools"
  mkdir -p "$folder/tools"
  cp -r "$work/unpacked/cmake/data/." "$folder/tools"
  cp "$work"/unpacked/ninja-*.data/scripts/ninja "$folder/tools/bin/"
  chmod +x "$folder"/tools/bin/*
  rm -rf "$work"
}

folder=""
cuda=no
while [[ $# -gt 0 ]]; do
  case $1 in
    --cuda) cuda=yes ;;
    -h | --help)
      show_help
      exit
      ;;
    -*) fail "unknown option $1 (--help lists them)" ;;
    *) folder=$1 ;;
  esac
  shift
done
if [[ -z $folder ]]; then
  fail "which folder? usage: scripts/fetch-deps.sh DIR [--cuda]"
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
fetch_packages "$folder"
fetch_tools "$folder"
fetch_cudnn_frontend "$folder/cudnn-frontend"
if [[ $cuda == yes ]]; then
  make_toolkit "$folder/cuda"
fi
say "done: $(du -sh "$folder" | cut -f1) in $folder. Copy it to the other machine and run scripts/quickstart.sh --deps DIR"
