#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the ops.csv of a profile whose runs were killed: every row whole, none twice, every key complete.

  python3 tests/validation/killed.py profiles/killed
"""

import collections
import csv
import json
import pathlib
import sys


def main():
    folder = pathlib.Path(sys.argv[1])
    lines = (folder / "ops.csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    torn = [row for row in rows if None in row or None in row.values()]
    counts = collections.Counter((row["key"], row["cache"], row["plan_rank"], row["status"]) for row in rows)
    twice = [place for place, count in counts.items() if count > 1]
    complete = {row["key"] for row in rows if row["cache"] == "hot" or row["status"] == "unsupported"}
    lacking = {row["key"] for row in rows} - complete
    runs = json.loads((folder / "run.json").read_text(encoding="utf-8"))["runs"]
    began = collections.Counter(row["run"] for row in rows)
    print(f"{len(rows)} rows of {len(complete)} keys from {len(began)} of {len(runs)} runs: {len(torn)} torn, "
          f"{len(twice)} twice, {len(lacking)} keys not complete")
    return 1 if torn or twice or lacking or len(began) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
