# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Times of stepcast over times of PyTorch: the rows that keep them, and what follows from the rows.

A row's ratio is the median over rounds of stepcast's cold median over PyTorch's of the same round; ratio_low and
ratio_high are the lowest and highest round. stepcast_s and torch_s are medians over rounds.
"""

import csv
import dataclasses
import io
import math
import os
import random
import statistics

import op_key

COLUMNS = (
    "family,direction,key,rounds,stepcast_s,torch_s,ratio,ratio_low,ratio_high,stepcast_noise,torch_noise,"
    "stepcast_plan,plan_rank,first_heuristic_s,torch_backend,torch,cudnn,cublaslt,gpu_uuid,boot_id,source"
).split(",")
SCHEMA = "# stepcast layers schema 1\n"
SLOWER = 1.05  # ratios above are listed
RESAMPLES = 2000
SEED = 20260


def noise(samples):
    """Half the interquartile range over the median, quartiles as core/statistics.cpp takes them."""
    if len(samples) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / 2 / middle if middle else 0.0


def append(path, row):
    """Adds a row (a dictionary), and first the header if the file is new; on disk when it returns."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    with open(path, "a", newline="", encoding="utf-8") as file:
        if file.tell() == 0:
            text.write(SCHEMA)
            writer.writeheader()
        writer.writerow(row)
        file.write(text.getvalue())
        file.flush()
        os.fsync(file.fileno())


def read(path):
    """The rows of a file, as dictionaries of text; a last line that was cut off is left out.

    Raises ValueError that names the file if it is of another kind.
    """
    with open(path, newline="", encoding="utf-8") as file:
        text = file.read()
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("#")]
    if lines and not lines[-1].endswith("\n"):
        lines.pop()
    if not text.startswith(SCHEMA.strip()) or not lines:
        raise ValueError(f"{path}: the first line is not '{SCHEMA.strip()}'")
    rows = list(csv.DictReader(lines))
    missing = set(COLUMNS) - set(rows[0] if rows else COLUMNS)
    if missing:
        raise ValueError(f"{path}: no column {', '.join(sorted(missing))}")
    return rows


def drop_cut_line(path):
    """Takes off a last line that an interrupt has cut, so that rows can be appended."""
    with open(path, "rb+") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)


@dataclasses.dataclass
class Group:
    """The ops of one family, provider, precision and layout, and what their ratios come to."""

    name: tuple
    n: int
    mean: float
    upper: float
    worst: float
    worst_key: str


def geometric_mean(ratios):
    """exp of the mean logarithm."""
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))


def upper_limit(rows, name="", resamples=RESAMPLES):
    """One-sided upper 95 % limit of the geometric mean, by a bootstrap over ops and over rounds.

    Each resample draws as many ops with replacement and, for each, three rounds with replacement of which it takes
    the median. With three rounds (low, median, high are all of them) that median is the lowest or the highest in 7
    of 27 cases each. The generator's seed is fixed and is the group's own, so that a table does not depend on which
    groups stand in it.
    """
    logs = [tuple(math.log(float(row[column])) for column in ("ratio_low", "ratio", "ratio_high")) for row in rows]
    generator = random.Random(f"{SEED}/{name}")
    means = []
    for _ in range(resamples):
        total = 0.0
        for _ in logs:
            low, middle, high = logs[int(generator.random() * len(logs))]
            place = generator.random() * 27
            total += low if place < 7 else high if place >= 20 else middle
        means.append(total / len(logs))
    means.sort()
    return math.exp(means[min(len(means) - 1, math.ceil(0.95 * len(means)) - 1)])


def fastest(rows):
    """Of the rows of one op by several of our providers the fastest: PyTorch has one implementation to set beside."""
    best = {}
    for row in rows:
        head, _, rest = row["key"].split("/", 2)
        known = best.get((head, rest))
        if known is None or float(row["stepcast_s"]) < float(known["stepcast_s"]):
            best[head, rest] = row
    return list(best.values())


def group_of(name, rows):
    """What the rows' ratios come to."""
    worst = max(rows, key=lambda row: float(row["ratio"]))
    mean = geometric_mean([float(row["ratio"]) for row in rows])
    return Group(name, len(rows), mean, upper_limit(rows, "/".join(name)), float(worst["ratio"]), worst["key"])


def groups(rows):
    """The rows by family with epilogue, provider, precision and layout, in the order in which they were first met.

    Ops that several providers were timed for are another group, of the provider `fastest`.
    """
    members = {}
    for row in rows:
        key = op_key.parse(row["key"])
        head = key.text.split("/")[0]
        members.setdefault((head, key.provider, key.types, key.layout), []).append(row)
    for name in list(members):
        several = [row for other in members if other[0::2] == name[0::2] and other[3] == name[3]
                   for row in members[other] if other[1] != "fastest"]
        best = fastest(several)
        if len(best) < len(several):
            members[name[0], "fastest", name[2], name[3]] = best
    return [group_of(name, group) for name, group in members.items()]


def families(rows):
    """One group a family, which has one direction, over all precisions and layouts, by the fastest provider."""
    members = {}
    for row in fastest(rows):
        members.setdefault(row["family"], []).append(row)
    return [group_of((family,), part) for family, part in members.items()]


def table(head, found):
    """Groups as aligned lines; `head` names what a group's name is made of."""
    head = (*head, "n", "geo_mean", "upper_95", "worst", "worst op")
    cells = [head] + [
        (*group.name, str(group.n), f"{group.mean:.3f}", f"{group.upper:.3f}", f"{group.worst:.3f}",
         group.worst_key.partition("/")[2] if len(group.name) == 1 else group.worst_key.rpartition("/")[2])
        for group in found
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    numbers = range(len(head) - 5, len(head) - 1)
    return ["  ".join(cell.rjust(width) if i in numbers else cell.ljust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in cells]


def summary(rows):
    """The tables of families and of groups, then the ops that stepcast is slower at, as text."""
    if not rows:
        return "no row"
    lines = ["stepcast's time over PyTorch's, cold: under 1 stepcast is faster"]
    lines += table(("family",), families(rows)) + [""]
    lines += table(("family", "provider", "precision", "layout"), groups(rows))
    ops = fastest(rows)
    slower = sorted((row for row in ops if float(row["ratio"]) > SLOWER), key=lambda row: -float(row["ratio"]))
    lines += ["", f"ratio above {SLOWER} by the fastest provider: {len(slower)} of {len(ops)} ops"]
    for row in slower:
        ratio, low, high = (float(row[column]) for column in ("ratio", "ratio_low", "ratio_high"))
        our_us, their_us = (float(row[column]) * 1e6 for column in ("stepcast_s", "torch_s"))
        lines.append(f"{ratio:.3f} ({low:.3f} to {high:.3f})  {our_us:.1f} us over {their_us:.1f} us  {row['key']}  "
                     f"[{row['stepcast_plan']}] over [{row['torch_backend']}]")
    return "\n".join(lines)
