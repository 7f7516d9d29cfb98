#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Compares two profiles of one machine, measured one after the other: do they say the same?

  python3 tests/validation/repeat.py profiles/a profiles/b --out data/measured/h200_repeat.csv

Exit code 1 where the two differ by more than the goals that are printed.
"""

import argparse
import csv
import json
import pathlib
import statistics
import sys

COLUMNS = "key,cache,first_s,second_s,difference,first_error,second_error,unstable,source".split(",")
GOALS = {"within_1_percent": 0.95, "unstable": 0.02, "noise": 0.005, "unmarked": 0}


def rows(folder):
    """The fastest plan's rows of a profile by key and cache mode, and how many were not timed."""
    with open(pathlib.Path(folder) / "ops.csv", encoding="utf-8") as file:
        table = list(csv.DictReader(line for line in file if not line.startswith("#")))
    best, failed = {}, 0
    for row in table:
        if row["status"] != "ok":
            failed += row["status"] != "unsupported"
            continue
        best[row["key"], row["cache"]] = row  # the best plan's rows come last
    return best, failed


def compare(first, second, source):
    """A row for each key and cache mode that both have."""
    table = []
    for place in sorted(first.keys() & second.keys()):
        a, b = first[place], second[place]
        times = float(a["median_s"]), float(b["median_s"])
        unstable = int(a["unstable"] == "1" or b["unstable"] == "1")
        table.append([*place, *times, times[1] / times[0] - 1, a["median_error"], b["median_error"], unstable, source])
    return table


def summary(table, first, second):
    """The figures of the goals, and how many cold and hot rows there are."""
    differences = [abs(row[4]) for row in table]
    unmarked = [row for row in table if abs(row[4]) > 0.03 and not row[7]]
    noises = [float(row["noise"]) for rows_ in (first, second) for row in rows_.values()]
    return {
        "rows": len(table),
        "within_1_percent": sum(d <= 0.01 for d in differences) / len(differences),
        "within_3_percent": sum(d <= 0.03 for d in differences) / len(differences),
        "unstable": sum(row[7] for row in table) / len(table),
        "unmarked": len(unmarked),
        "noise": statistics.median(noises),
        "median_error": statistics.median(float(row[5]) for row in table),
    }, unmarked


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--out", help="CSV with a row for each key and cache mode")
    args = parser.parse_args()
    (first, failed_a), (second, failed_b) = rows(args.first), rows(args.second)
    runs = json.loads((pathlib.Path(args.first) / "run.json").read_text(encoding="utf-8"))["runs"]
    source = f"tests/validation/repeat.py, {runs[-1]['gpu']['uuid']}"
    table = compare(first, second, source)
    if not table:
        sys.exit("the two profiles have no timed op in common")
    if args.out:
        with open(args.out, "w", encoding="utf-8", newline="") as file:
            file.write("# stepcast repeat schema 1\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for key, cache, a, b, difference, first_error, second_error, unstable, source_ in table:
                errors = (f"{float(error):.5f}" for error in (first_error, second_error))
                writer.writerow([key, cache, f"{a:.6g}", f"{b:.6g}", f"{difference:.5f}", *errors, unstable, source_])
    figures, unmarked = summary(table, first, second)
    for cache in ("cold", "hot"):
        part = [row for row in table if row[1] == cache]
        print(f"{cache}: {len(part)} rows, within 1 %: {sum(abs(r[4]) <= 0.01 for r in part) / max(1, len(part)):.4f}")
    for name, value in figures.items():
        goal = f"  (goal {GOALS[name]})" if name in GOALS else ""
        print(f"{name}: {value:.4g}{goal}")
    print(f"failed or throttled: {failed_a}, {failed_b}; in one only: {len(first.keys() ^ second.keys())}")
    for row in sorted(table, key=lambda row: -abs(row[4]))[:15]:
        print(f"  {row[4]:+.3%} {row[1]} {row[0]} {row[2] * 1e6:.2f} us{' unstable' if row[7] else ''}")
    alike = not failed_a and not failed_b and first.keys() == second.keys()
    good = (alike and not unmarked and figures["within_1_percent"] >= GOALS["within_1_percent"]
            and figures["unstable"] <= GOALS["unstable"] and figures["noise"] <= GOALS["noise"])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
