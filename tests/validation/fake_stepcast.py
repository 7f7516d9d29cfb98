# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Stands for stepcast-bench (`--keys -`) and `stepcast list ops` in tests: made-up times, no GPU.

A key's first answer is that of a search: the heuristic's first plan at 20 us, the best at 1 us (too good: it must not
count), hot. Later ones are 10, 11, 12 us. The shape says what else happens: e404 is unsupported, e405 failed, e500
ends the process. FAKE_CUDNN is the version that it claims, FAKE_LOG a file that it adds a line to for each key.
"""

import csv
import json
import os
import sys

COLUMNS = (
    "key,cache,plan_rank,run,status,reason,median_s,p25_s,p75_s,min_s,p95_s,samples,noise,flop,least_bytes,"
    "sm_clock_mhz,plans_timed,workspace_bytes,plan"
).split(",")
OPS = """\
key,class,count,kernels,gflop,least_mb
conv_fprop/cudnn/{0}/{1}/n128c64h56w56k64r3s3u1p1,conv,1,1,0,0
gemm_fprop+bias/cublaslt/{0}/row/m128n1000k768,gemm,1,1,0,0
batchnorm_fwd/native/{0}/{1}/n128c64h56w56,norm,1,3,0,0
sgd/native/fp32/flat/e12t3,optimizer,1,15,0,0
"""


def row(writer, key, cache, rank, median_s, samples, status="ok", reason=""):
    """Writes one row, without the columns that nothing reads."""
    cells = dict.fromkeys(COLUMNS, "")
    cells |= {"key": key, "cache": cache, "plan_rank": rank, "status": status, "reason": reason}
    if status == "ok":
        cells |= {"median_s": median_s, "noise": 0.01, "samples": samples, "plan": f"plan, {rank}"}
    writer.writerow(cells.values())


def serve(samples):
    """Answers keys until standard input ends."""
    run = {"libraries": {"cudnn": os.environ.get("FAKE_CUDNN", "9.19.0"), "cublaslt": "13.1.0", "cuda_driver": "13.0.0",
                         "cuda_runtime": "13.0.0"}, "gpu": {"uuid": "GPU-0"}}
    print("# stepcast ops schema 1")
    print("# run", json.dumps(run))
    print(",".join(COLUMNS), flush=True)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    asked = {}
    for line in sys.stdin:
        key = line.strip()
        if "FAKE_LOG" in os.environ:
            with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
                log.write(f"S {key}\n")
        asked[key] = asked.get(key, 0) + 1
        if key.endswith("/e500"):
            sys.exit(7)
        if key.endswith("/e666") and f"{key}:2" not in sys.argv:
            lost = dict.fromkeys(COLUMNS, "") | {"key": key, "cache": "cold", "plan_rank": 2, "status": "failed"}
            lost |= {"reason": "the GPU was lost: a kernel failed", "plan": "eng2"}
            writer.writerow(lost.values())
            print(flush=True)
            sys.exit(4)
        if key.endswith("/e404"):
            row(writer, key, "cold", 0, "", samples, "unsupported", "the library says, no")
        elif key.endswith("/e405"):
            row(writer, key, "cold", 0, "", samples, "failed", "the hold ran out")
        elif asked[key] == 1:
            row(writer, key, "cold", 0, 20e-6, samples)
            row(writer, key, "cold", 3, 1e-6, samples)
            row(writer, key, "hot", 3, 0.5e-6, samples)
        else:
            row(writer, key, "cold", 3, (8 + asked[key]) * 1e-6, samples)
            row(writer, key, "hot", 3, 0.5e-6, samples)
        print(flush=True)


def main():
    """Which program it stands for follows from the first argument."""
    arguments = sys.argv[1:]
    if arguments[:2] == ["list", "ops"]:
        precision, layout = (arguments[arguments.index(option) + 1] for option in ("--precision", "--layout"))
        print(OPS.format(precision, layout), end="")
    else:
        serve(int(arguments[arguments.index("--samples") + 1]))


if __name__ == "__main__":
    main()
