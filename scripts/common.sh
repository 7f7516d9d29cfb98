# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # the variables are for the scripts that source this
# What the scripts share. Sourced; messages go to stderr, so that a script's stdout is what its programs print.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)
# Filled by setup.sh and cuda-toolkit.sh, given to every configure of CMake.
cmake_arguments=()
# Set where nothing may be fetched.
offline=""

say() { printf '==> %s\n' "$*" >&2; }

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# The comment block at the top of a script, as its help.
show_help() {
  sed -n '/^# usage:/,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
}

# value_of OPTION [VALUE]: VALUE, or an error that names the option.
value_of() {
  if [[ $# -lt 2 || -z $2 ]]; then
    fail "$1 takes a value"
  fi
  printf '%s' "$2"
}

# Shows a command as one could type it, then runs it.
show_and_run() {
  printf '\n$ %s\n' "$*"
  "$@"
}
