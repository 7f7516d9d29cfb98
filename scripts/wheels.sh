# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154 # root comes from common.sh
# Python wheels as archives: downloaded by pip at the pinned version and hash, unpacked, never installed. Sourced.

# download_wheels REQUIREMENTS FOLDER: the wheels of a pinned requirements file, for this machine's processor. The
# headers inside do not depend on the Python that a wheel is for, so one Python version is asked for everywhere.
download_wheels() {
  local requirements=$1 folder=$2 processor platform
  local platforms=()
  processor=$(uname -m)
  for platform in manylinux_2_28 manylinux_2_27 manylinux_2_18 manylinux_2_17 manylinux2014 manylinux_2_12 manylinux2010; do
    platforms+=(--platform "${platform}_${processor}")
  done
  if ! python3 -m pip --version >/dev/null 2>&1; then
    fail "python3 with pip is needed to fetch $(basename "$requirements"). Install it: apt-get install python3-pip"
  fi
  python3 -m pip download --quiet --disable-pip-version-check --no-cache-dir --retries 2 \
    --no-deps --only-binary=:all: --require-hashes \
    --python-version 3.11 --implementation cp --abi cp311 "${platforms[@]}" \
    --dest "$folder" --requirement "$requirements" ||
    fail "could not fetch the wheels of ${requirements#"$root"/}. Without a network, run scripts/fetch-deps.sh DIR on" \
      "a machine that has one, and give --deps DIR here."
}

# unpack_wheels FROM TO: unpacks each wheel of a folder into another.
unpack_wheels() {
  local wheel
  mkdir -p "$2"
  for wheel in "$1"/*.whl; do
    python3 -m zipfile -e "$wheel" "$2"
  done
}

# fetch_cudnn_frontend FOLDER: FOLDER/include/cudnn_frontend.h and what it includes, unless they are there already.
fetch_cudnn_frontend() {
  local folder=$1 work
  if cmp --silent "$root/scripts/cudnn-frontend.txt" "$folder/wheel.txt"; then
    return
  fi
  say "fetching the headers of the cuDNN frontend into ${folder#"$root"/}"
  work=$(mktemp -d)
  download_wheels "$root/scripts/cudnn-frontend.txt" "$work/wheels"
  unpack_wheels "$work/wheels" "$work/unpacked"
  rm -rf "$folder"
  mkdir -p "$folder"
  mv "$work/unpacked/include" "$folder/include"
  cp "$work"/unpacked/*.dist-info/licenses/* "$folder/"
  cp "$root/scripts/cudnn-frontend.txt" "$folder/wheel.txt"
  rm -rf "$work"
}
