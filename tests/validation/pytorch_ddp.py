#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Times real PyTorch DDP training steps, for the predictions of `stepcast predict` to stand beside.

Each case (model, precision, layout, batch) is torchvision's model under autocast, wrapped in
DistributedDataParallel, trained by SGD with momentum on random images that stay on the GPU, with
cudnn.benchmark on. Two modes:

  eager  the step as a user runs it. step_ms: median time between the events that begin two steps;
         wall_ms: the same by the host's clock over all steps; host_ms: host time to issue one step.
  graph  the same step captured as one CUDA graph (no host in it). fp16 keeps a fixed loss scale and the
         unscale kernel, since the scaler's read on the host cannot be captured.

One process is one rank. Alone it makes a group of one; under torchrun it takes RANK, LOCAL_RANK, WORLD_SIZE.
Rank 0 appends a row a case and mode to --out, and the buckets that DDP rebuilt to --buckets.

  python3 tests/validation/pytorch_ddp.py --models resnet152 --batches 16,128 --out steps.csv
"""

import argparse
import csv
import gc
import os
import statistics
import sys
import time

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29533")
# A captured collective cannot be watched by the process group's own thread.
os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0")

import torch
import torch.distributed as dist
import torchvision

STEP_COLUMNS = (
    "gpu,torch,cudnn,model,precision,layout,batch,ranks,ddp,mode,step_ms,step_p25_ms,step_p75_ms,"
    "wall_ms,host_ms,images_per_s,memory_gib,steps,source"
).split(",")
BUCKET_COLUMNS = "torch,model,precision,ranks,cap_mib,bucket,payload_bytes,source".split(",")
HALF = {"fp16": torch.float16, "bf16": torch.bfloat16}
LOSS_SCALE = 1024.0
WARM_UP_STEPS = 12


class Case:
    """One model in one precision, layout and batch on this rank, ready to step."""

    def __init__(self, name, precision, layout, batch, device, ddp):
        tf32 = precision == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        torch.manual_seed(1)
        memory_format = torch.channels_last if layout == "nhwc" else torch.contiguous_format
        self.precision = precision
        self.batch = batch
        self.module = torchvision.models.get_model(name).to(device, memory_format=memory_format)
        self.module.train()
        if ddp:
            self.module = torch.nn.parallel.DistributedDataParallel(
                self.module, device_ids=[device.index]
            )
        self.optimizer = torch.optim.SGD(self.module.parameters(), lr=0.1, momentum=0.9)
        self.scaler = torch.amp.GradScaler("cuda", enabled=precision == "fp16")
        self.images = torch.randn(batch, 3, 224, 224, device=device).to(memory_format=memory_format)
        self.labels = torch.randint(0, 1000, (batch,), device=device)

    def loss(self):
        with torch.autocast(
            "cuda", dtype=HALF.get(self.precision), enabled=self.precision in HALF
        ):
            return torch.nn.functional.cross_entropy(self.module(self.images), self.labels)

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(self.loss()).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def capturable_step(self):
        """The step with a loss scale that the host need not read."""
        self.optimizer.zero_grad(set_to_none=True)
        if self.precision == "fp16":
            (self.loss() * LOSS_SCALE).backward()
            gradients = [p.grad for p in self.module.parameters() if p.grad is not None]
            torch._amp_foreach_non_finite_check_and_unscale_(
                gradients, self.found_inf, self.inverse_scale
            )
        else:
            self.loss().backward()
        self.optimizer.step()


def milliseconds_between(events):
    return [a.elapsed_time(b) for a, b in zip(events, events[1:])]


def time_eager(case, steps):
    for _ in range(WARM_UP_STEPS):
        case.step()
    torch.cuda.synchronize()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
    host = []
    began = time.perf_counter()
    for i in range(steps):
        events[i].record()
        issued = time.perf_counter()
        case.step()
        host.append((time.perf_counter() - issued) * 1e3)
    events[steps].record()
    torch.cuda.synchronize()
    wall_ms = (time.perf_counter() - began) * 1e3 / steps
    return milliseconds_between(events), wall_ms, statistics.median(host)


def time_issue(case, repeats=10):
    """Host time to issue a step into an empty queue, so that a full queue does not hold it up."""
    host = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        issued = time.perf_counter()
        case.step()
        host.append((time.perf_counter() - issued) * 1e3)
    torch.cuda.synchronize()
    return statistics.median(host)


def time_graph(make_case, steps):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        case = make_case()  # DDP must be built on the stream that it is captured on
        case.found_inf = torch.zeros((), device="cuda")
        case.inverse_scale = torch.full((), 1 / LOSS_SCALE, device="cuda")
        for _ in range(WARM_UP_STEPS):
            case.capturable_step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        case.capturable_step()
    for _ in range(3):
        graph.replay()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
    torch.cuda.synchronize()
    began = time.perf_counter()
    for i in range(steps):
        events[i].record()
        graph.replay()
    events[steps].record()
    torch.cuda.synchronize()
    wall_ms = (time.perf_counter() - began) * 1e3 / steps
    return milliseconds_between(events), wall_ms


def rebuilt_buckets(case):
    """Bytes of the buckets that DDP rebuilt in the order of ready gradients, from its logging data."""
    data = case.module._get_ddp_logging_data()
    text = data.get("rebuilt_bucket_sizes") or ""
    return [int(size) for size in text.replace(",", " ").split()]


def append(path, kind, columns, rows):
    new = not os.path.exists(path)
    with open(path, "a", newline="") as file:
        if new:
            file.write(f"# stepcast {kind} schema 1\n")
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(columns)
        writer.writerows(rows)


def step_row(args, name, precision, layout, batch, mode, times, wall_ms, host_ms):
    quartiles = statistics.quantiles(times, n=4)
    step_ms = statistics.median(times)
    ranks = dist.get_world_size()
    return [
        torch.cuda.get_device_name(), torch.__version__, torch.backends.cudnn.version(), name,
        precision, layout, batch, ranks, int(args.ddp), mode, f"{step_ms:.3f}",
        f"{quartiles[0]:.3f}", f"{quartiles[2]:.3f}", f"{wall_ms:.3f}",
        "" if host_ms is None else f"{host_ms:.3f}", f"{ranks * batch / step_ms * 1e3:.1f}",
        f"{torch.cuda.max_memory_allocated() / 2**30:.2f}", len(times),
        "tests/validation/pytorch_ddp.py",
    ]


def run_case(args, name, precision, layout, batch, device):
    rank = dist.get_rank()

    def make_case():
        return Case(name, precision, layout, batch, device, args.ddp)

    for mode in args.modes:
        torch.cuda.reset_peak_memory_stats()
        host_ms = None
        if mode == "eager":
            case = make_case()
            times, wall_ms, _ = time_eager(case, args.steps)
            host_ms = time_issue(case)
            if args.ddp and rank == 0 and args.buckets:
                sizes = rebuilt_buckets(case)
                append(args.buckets, "buckets", BUCKET_COLUMNS,
                       [[torch.__version__, name, precision, dist.get_world_size(), 25, i, size,
                         "tests/validation/pytorch_ddp.py"] for i, size in enumerate(sizes)])
            del case
        else:
            times, wall_ms = time_graph(make_case, args.steps)
        if rank == 0:
            row = step_row(args, name, precision, layout, batch, mode, times, wall_ms, host_ms)
            append(args.out, "steps", STEP_COLUMNS, [row])
            print(" ".join(str(cell) for cell in row[3:16]), flush=True)
        gc.collect()
        torch.cuda.empty_cache()


def cases(args):
    for name in args.models:
        layouts = ["nchw"] if name.startswith("vit") else args.layouts
        for precision in args.precisions:
            for layout in layouts:
                for batch in args.batches:
                    yield name, precision, layout, batch


def parse_arguments():
    def words(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--models", type=words, default=["resnet152", "vit_b_16"])
    parser.add_argument("--precisions", type=words, default=["fp16", "bf16"])
    parser.add_argument("--layouts", type=words, default=["nhwc"], help="ViT is always nchw")
    parser.add_argument("--batches", type=lambda t: [int(b) for b in t.split(",")], default=[128])
    parser.add_argument("--modes", type=words, default=["eager", "graph"])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--out", required=True, help="CSV of steps; rows are appended")
    parser.add_argument("--buckets", help="CSV of rebuilt buckets; rows are appended")
    parser.add_argument("--no-ddp", dest="ddp", action="store_false", help="the plain model")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no case after this long")
    return parser.parse_args()


def main():
    args = parse_arguments()
    began = time.monotonic()
    rank = int(os.environ.get("RANK", "0"))
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    torch.backends.cudnn.benchmark = True
    dist.init_process_group("nccl", rank=rank, world_size=int(os.environ.get("WORLD_SIZE", "1")),
                            device_id=device)
    skipped = []
    for case in cases(args):
        if time.monotonic() - began > args.seconds:
            skipped.append(case)
            continue
        run_case(args, *case, device)
    dist.destroy_process_group()
    for case in skipped:
        print("not run, out of time:", *case)
    return 1 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
