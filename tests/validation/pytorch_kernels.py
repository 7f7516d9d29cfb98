#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Lists the GPU kernels of one real eager PyTorch step: name, launches, total time.

The recipe `eager` claims to launch what PyTorch launches; this is what it is checked against.

  python3 tests/validation/pytorch_kernels.py --model vit_b_16 --precision bf16 --out kernels.csv
"""

import argparse
import collections
import sys

import torch
import torch.distributed as dist

import pytorch_ddp

COLUMNS = "torch,model,precision,layout,batch,ddp,kernel,launches,total_us,source".split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--precision", default="bf16")
    parser.add_argument("--layout", default="nhwc")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--ddp", action="store_true")
    parser.add_argument("--out", required=True, help="CSV; rows are appended")
    args = parser.parse_args()

    device = torch.device("cuda", 0)
    torch.cuda.set_device(device)
    torch.backends.cudnn.benchmark = True
    if args.ddp:
        dist.init_process_group("nccl", rank=0, world_size=1, device_id=device)
    case = pytorch_ddp.Case(args.model, args.precision, args.layout, args.batch, device, args.ddp)
    for _ in range(5):
        case.step()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        case.step()
        torch.cuda.synchronize()
    launches, total_us = collections.Counter(), collections.Counter()
    for event in profiler.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            launches[event.name] += 1
            total_us[event.name] += event.device_time
    rows = [
        [torch.__version__, args.model, args.precision, args.layout, args.batch, int(args.ddp), name,
         launches[name], f"{microseconds:.1f}", "tests/validation/pytorch_kernels.py"]
        for name, microseconds in total_us.most_common()
    ]
    pytorch_ddp.append(args.out, "kernels", COLUMNS, rows)
    print(args.model, args.precision, "kernels", sum(launches.values()),
          "sum_ms", round(sum(total_us.values()) / 1e3, 2))
    if args.ddp:
        dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
