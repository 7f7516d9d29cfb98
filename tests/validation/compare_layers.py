#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Compares stepcast's times with PyTorch's, layer by layer, on one GPU, both sides alternating in one run.

Of each op, stepcast-bench searches the fastest plan and PyTorch its own (cudnn.benchmark, attention's backends), with
those times thrown away. Then come --rounds rounds of a fresh cold series on one side and one of as many samples on the
other. Both must have loaded the same cuDNN, cuBLASLt and CUDA runtime and run on the same GPU. A row an op is appended
to --out; a table closes the run. Columns and statistics: layer_ratios.py; ops: layer_keys.py.

  python3 tests/validation/compare_layers.py --set convs,linear --out layers.csv --seconds 500
  python3 tests/validation/compare_layers.py --set convs,linear --out layers.csv --resume
  python3 tests/validation/compare_layers.py --summarise layers.csv

Exit code: 0, or 1 if a key was not timed that should have been (failure, out of time), 2 for a wrong command line,
3 if the two sides are unlike.
"""

import argparse
import os
import statistics
import sys
import time

import layer_keys
import layer_ratios
import op_key
import stepcast_child

SOURCE = "tests/validation/compare_layers.py"
LIBRARIES = ("cudnn", "cublaslt", "cuda_runtime")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNLIKE = 3
GIVE_UP = 3  # keys in a row that the child did not survive


class Unlike(Exception):
    """The two sides cannot be compared."""


class Sides:
    """stepcast and PyTorch, checked for likeness, and what every row says of them."""

    def __init__(self, stepcast, torch_side, allow_unlike=False):
        self.stepcast = stepcast
        self.torch = torch_side
        ours = stepcast.run.get("libraries", {})
        ours = dict(ours, cuda_runtime=ours.get("cuda_runtime", ours.get("cuda")))
        theirs = torch_side.libraries()
        uuids = stepcast.run.get("gpu", {}).get("uuid"), torch_side.gpu_uuid()
        if uuids[0] != uuids[1]:
            raise Unlike(f"stepcast runs on {uuids[0]}, PyTorch on {uuids[1]}")
        faults = [f"{name}: stepcast has loaded {ours.get(name)}, PyTorch {theirs.get(name)}"
                  for name in LIBRARIES if ours.get(name) is None or ours.get(name) != theirs.get(name)]
        if faults and not allow_unlike:
            raise Unlike("; ".join(faults) + " (--allow-unlike compares all the same)")
        for fault in faults:
            print("unlike:", fault, flush=True)
        self.constant = {
            "torch": torch_side.version,
            "cudnn": both(ours.get("cudnn"), theirs.get("cudnn")),
            "cublaslt": both(ours.get("cublaslt"), theirs.get("cublaslt")),
            "gpu_uuid": uuids[0],
            "boot_id": boot_id(),
            "source": SOURCE,
        }

    def compare(self, key, rounds, samples):
        """The row of one key.

        Raises op_key.NoCounterpart, stepcast_child.Unsupported, stepcast_child.ChildError, RuntimeError.
        """
        if why := op_key.no_counterpart(key):
            raise op_key.NoCounterpart(why)
        searched = self.stepcast.rows(key.text)
        stepcast_child.best_cold(searched)  # raises if there is nothing to compare with
        try:
            timed = self.torch.prepare(key)
            ours, theirs, their_noise = [], [], []
            for _ in range(rounds):
                best = stepcast_child.best_cold(self.stepcast.rows(key.text))
                ours.append(best)
                seconds = self.torch.series(timed, int(best.get("samples") or samples))
                theirs.append(statistics.median(seconds))
                their_noise.append(layer_ratios.noise(seconds))
            backend = timed.name
        finally:
            timed = None
            self.torch.release()
        our_s = [float(row["median_s"]) for row in ours]
        ratios = [a / b for a, b in zip(our_s, theirs)]
        first_s = stepcast_child.first_heuristic_s(searched)
        return self.constant | {
            "family": key.family,
            "direction": key.direction,
            "key": key.text,
            "rounds": rounds,
            "stepcast_s": f"{statistics.median(our_s):.6e}",
            "torch_s": f"{statistics.median(theirs):.6e}",
            "ratio": f"{statistics.median(ratios):.5f}",
            "ratio_low": f"{min(ratios):.5f}",
            "ratio_high": f"{max(ratios):.5f}",
            "stepcast_noise": f"{statistics.median(float(row['noise']) for row in ours):.5f}",
            "torch_noise": f"{statistics.median(their_noise):.5f}",
            "stepcast_plan": " ".join(ours[-1].get("plan", "").split()),
            "plan_rank": ours[-1]["plan_rank"],
            "first_heuristic_s": "" if first_s is None else f"{first_s:.6e}",
            "torch_backend": backend,
        }


def both(ours, theirs):
    """One version, or both where they are unlike."""
    return ours if ours == theirs else f"stepcast {ours}, torch {theirs}"


def boot_id():
    """Which boot of which machine this is."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def compare_all(sides, keys, args):
    """Compares every key that is not in the file yet; what could not be is a list of (key, why, is a failure)."""
    done = set()
    if os.path.exists(args.out) and os.path.getsize(args.out):
        layer_ratios.drop_cut_line(args.out)
        done = {row["key"] for row in layer_ratios.read(args.out)}
    left = [key for key in keys if key not in done]
    print(f"{len(left)} keys to compare, {len(keys) - len(left)} in {args.out} already", flush=True)
    skipped = []
    deaths = 0
    began = time.monotonic()
    for place, text in enumerate(left):
        if time.monotonic() - began > args.seconds:
            skipped += [(later, "not begun, out of time", True) for later in left[place:]]
            break
        try:
            row = sides.compare(op_key.parse(text), args.rounds, args.samples)
        except op_key.NoCounterpart as why:
            skipped.append((text, f"no counterpart: {why}", False))
        except stepcast_child.Unsupported as why:
            skipped.append((text, str(why), why.is_failure))
        except stepcast_child.ChildError as error:
            skipped.append((text, str(error), True))
            deaths += 1
            if deaths == GIVE_UP:
                skipped += [(later, "not begun, stepcast-bench does not run", True) for later in left[place + 1:]]
                break
            continue
        except RuntimeError as error:
            skipped.append((text, "PyTorch: " + str(error).strip().split("\n")[0], True))
            if not sides.torch.is_alive():
                skipped += [(later, "not begun, PyTorch's device is lost", True) for later in left[place + 1:]]
                break
        else:
            layer_ratios.append(args.out, row)
            print(f"{row['ratio']} ({row['ratio_low']} to {row['ratio_high']}) {text} [{row['torch_backend']}]",
                  flush=True)
        deaths = 0
    return skipped


def chosen_keys(args):
    """The keys that the command line asks for, each once."""
    keys = []
    if args.keys:
        with open(args.keys, encoding="utf-8") as file:
            lines = [line.partition("#")[0].strip() for line in file]
        keys += [op_key.parse(line).text for line in lines if line]
    listing = layer_keys.Listing(args.stepcast, args.batch)
    for name in args.set:
        keys += layer_keys.keys_of_set(name, listing, args.precisions, args.layouts)
    return list(dict.fromkeys(keys))


def bench_command(args):
    """The child's command line."""
    return [args.bench, "--keys", "-", "--flush", "--samples", str(args.samples), *args.bench_options.split()]


def make_torch_side():
    """PyTorch, imported only where it is needed."""
    import pytorch_layers  # pylint: disable=import-outside-toplevel

    return pytorch_layers.TorchSide()


def parse_arguments(arguments):
    """The command line; wrong ones exit with 2."""
    def words(allowed):
        def split(text):
            found = list(allowed) if text == "all" else text.split(",")
            if wrong := [word for word in found if word not in allowed]:
                raise argparse.ArgumentTypeError(f"'{wrong[0]}' is none of {', '.join(allowed)}, all")
            return found
        return split

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=words(layer_keys.SETS), default=[], help=",".join(layer_keys.SETS) + " or all")
    parser.add_argument("--keys", help="file of op keys, one a line")
    parser.add_argument("--out", help="CSV of ratios; rows are appended")
    parser.add_argument("--resume", action="store_true", help="go on with --out: keys in it are skipped")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no key after this long")
    parser.add_argument("--summarise", metavar="FILE", help="print the table of a CSV, and nothing else; needs no GPU")
    parser.add_argument("--list", action="store_true", help="print the keys, and nothing else; needs no GPU")
    parser.add_argument("--precisions", type=words(("fp16", "bf16", "tf32", "fp32")), default=["fp16", "bf16", "tf32"])
    parser.add_argument("--layouts", type=words(("nhwc", "nchw")), default=["nhwc", "nchw"])
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=100, help="cold samples of a series, on either side")
    parser.add_argument("--bench", default=os.path.join(ROOT, "build", "cuda", "bin", "stepcast-bench"))
    parser.add_argument("--bench-options", default="", help="more options of stepcast-bench, in one text")
    parser.add_argument("--stepcast", help="the program that lists ops (default: beside --bench)")
    parser.add_argument("--reply-seconds", type=float, default=600, help="longest that stepcast-bench may be silent")
    parser.add_argument("--allow-unlike", action="store_true", help="compare unlike library versions all the same")
    args = parser.parse_args(arguments)
    args.stepcast = args.stepcast or os.path.join(os.path.dirname(os.path.abspath(args.bench)), "stepcast")
    if not args.summarise:
        if not args.set and not args.keys:
            parser.error("--set or --keys is needed")
        if not args.list and not args.out:
            parser.error("--out is needed")
        if args.out and os.path.exists(args.out) and not args.resume:
            parser.error(f"--out: {args.out} exists; --resume goes on with it")
        if args.samples < 2 or args.rounds < 1:
            parser.error("--samples takes 2 or more, --rounds 1 or more")
    return args


def run(args, torch_side_maker):
    """Does what the command line asks for; the exit code."""
    if args.summarise:
        print(layer_ratios.summary(layer_ratios.read(args.summarise)))
        return 0
    keys = chosen_keys(args)
    if args.list:
        print("\n".join(keys))
        return 0
    torch_side = torch_side_maker()
    with stepcast_child.Stepcast(bench_command(args), args.reply_seconds) as stepcast:
        try:
            sides = Sides(stepcast, torch_side, args.allow_unlike)
        except Unlike as fault:
            print(f"unlike: {fault}", file=sys.stderr)
            return UNLIKE
        skipped = compare_all(sides, keys, args)
    if os.path.exists(args.out):
        print("\n" + layer_ratios.summary(layer_ratios.read(args.out)))
    if skipped:
        print(f"\nnot compared: {len(skipped)}")
        for key, why, _ in skipped:
            print(f"{key}: {why}")
    return 1 if any(is_failure for _, _, is_failure in skipped) else 0


def main(arguments=None, torch_side_maker=make_torch_side):
    """The program; its exit code."""
    args = parse_arguments(arguments)
    try:
        return run(args, torch_side_maker)
    except (ValueError, OSError, ImportError) as error:  # a key, a file, a program or PyTorch that is not there
        print(error, file=sys.stderr)
        return 2
    except (RuntimeError, stepcast_child.ChildError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
