#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""How near a profile's ops come to the ceilings of their own run.

  python3 tests/validation/limits.py profiles/a

Lists our own memory-bound kernels (provider cuda) on tensors of 256 MiB and more by their share of
the bandwidth of their mix, and every cold row above 100 % of a ceiling. Exit code 1 where a share
is below --least, or above 1.
"""

import argparse
import bisect
import csv
import math
import pathlib
import re
import sys

MATRIX = ("conv_", "gemm_", "attention_")
BYTES = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "int64": 8, "uint8": 1, "e4m3": 1}


def table(file):
    with open(file, encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def bandwidths(ceilings, run):
    """(written share, bytes a second) of a run's bandwidth rows, by share; of equal shares the best."""
    rates = {}
    for row in ceilings:
        if row["run"] != run:
            continue
        share = None
        if row["name"] == "copy_bandwidth":
            share = 0.5
        elif row["name"].startswith("bandwidth_r"):
            reads, writes = map(int, row["name"][len("bandwidth_r"):].split("w"))
            share = writes / (reads + writes)
        if share is not None:
            rates[share] = max(rates.get(share, 0), float(row["value"]))
    return sorted(rates.items())


def tensor_mib(key):
    """The size of the main tensor of an op that is no matrix product."""
    types, shape = key.split("/")[2], key.split("/")[4]
    sizes = {letter: int(number) for letter, number in re.findall(r"([a-z])(\d+)", shape)}
    count = math.prod(sizes[letter] for letter in "ncmhweab" if letter in sizes)
    if "a" in sizes and "b" in sizes:
        count = sizes["a"] * sizes["b"] * sizes["c"]
    return count * max(BYTES[name] for name in types.split("-")) / 2**20


def bandwidth_at(rates, share):
    """The time of a byte is interpolated between the two nearest mixes, as core/bandwidth.cpp does."""
    shares = [s for s, _ in rates]
    i = bisect.bisect_left(shares, share)
    if i == 0:
        return rates[0][1]
    if i == len(rates):
        return rates[-1][1]
    (s0, r0), (s1, r1) = rates[i - 1], rates[i]
    part = (share - s0) / (s1 - s0)
    return 1 / ((1 - part) / r0 + part / r1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("profile")
    parser.add_argument("--least", type=float, default=0.92)
    parser.add_argument("--tensor-mib", type=float, default=256)
    args = parser.parse_args()
    folder = pathlib.Path(args.profile)
    ceilings = table(folder / "ceilings.csv")
    matrix = {(row["run"], row["dtype"]): float(row["value"]) for row in ceilings if row["name"] == "matrix_rate"}
    rates = {run: bandwidths(ceilings, run) for run in {row["run"] for row in ceilings}}
    low, above, near = [], [], []
    for row in table(folder / "ops.csv"):
        if row["status"] != "ok" or row["cache"] != "cold":
            continue
        family, provider, types = row["key"].split("/")[:3]
        time, least = float(row["median_s"]), float(row["least_bytes"])
        share = least / time / bandwidth_at(rates[row["run"]], float(row["written_bytes"]) / least)
        if family.startswith(MATRIX):
            rate = matrix.get((row["run"], types.split("-")[0]))
            share = max(share, float(row["flop"]) / time / rate) if rate else share
        if share > 1:
            above.append((share, row["key"]))
        elif provider == "cuda" and tensor_mib(row["key"]) >= args.tensor_mib:
            near.append((share, row["key"]))
            if share < args.least:
                low.append((share, row["key"]))
    for title, part in (("own kernels on large tensors", sorted(near)), ("above a ceiling", sorted(above)[::-1])):
        print(f"{title}: {len(part)}")
        for share, key in part[:60]:
            print(f"  {share:.1%} {key}")
    print(f"below {args.least:.0%}: {len(low)}; above 100 %: {len(above)}")
    return 1 if low or above else 0


if __name__ == "__main__":
    sys.exit(main())
