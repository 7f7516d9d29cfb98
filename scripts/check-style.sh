#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Checks formatting, shell scripts and headers, and runs clang-tidy over the CPU half.
#
# usage: scripts/check-style.sh [--fast]
#   --fast  without clang-tidy
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# sources PATTERN...: the project's files, tracked or, without a git history, found.
sources() {
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -C "$root" ls-files -- "$@"
  else
    local pattern names=()
    for pattern in "$@"; do
      names+=(-o -name "$pattern")
    done
    (cd "$root" && find . \( -path ./build -o -path ./.deps -o -path ./dist \) -prune -o -type f \( "${names[@]:1}" \) -print)
  fi
}

tidy=yes
case ${1:-} in
  --fast) tidy=no ;;
  -h | --help)
    show_help
    exit
    ;;
  "") ;;
  *) fail "unknown option $1 (--help lists them)" ;;
esac
install_packages base tests ci
cd "$root"

say "clang-format"
sources '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs clang-format --dry-run --Werror
say "shellcheck"
# shellcheck disable=SC2046 # no path here holds a blank
shellcheck -x $(sources '*.sh') .ci/run
if [[ $tidy == yes ]]; then
  say "clang-tidy"
  # Over the compile commands alone, which takes less than the preset's build: nothing is compiled.
  cmake --preset tidy >/dev/null
  if ! run-clang-tidy -quiet -j "$jobs" -p build/tidy "^$root/(bench|comm|core|layers|roofline|tests)/" \
    >build/tidy.log 2>&1; then
    grep -A 4 -E '(error|warning):' build/tidy.log >&2 || tail -20 build/tidy.log >&2
    fail "clang-tidy found something (see above)"
  fi
fi
say "style: nothing found"
