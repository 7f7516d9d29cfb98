# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Times a PyTorch call on the GPU as stepcast-bench --flush times an op, cold (docs/measuring.md).

A sample is a write of twice the L2 cache, two events, call, event. A series is enqueued behind a kernel that spins for
longer than the host needs for it, which is verified; PyTorch's stream offers no flag to spin on, so its length is
sized from the measured time to enqueue. The call's outputs come from the caching allocator; a series in which that
had to ask CUDA for memory is taken again.
"""

import contextlib
import ctypes
import gc
import re
import time

import torch

WARM_UPS = 3  # un-held; cudnn.benchmark chooses in the first
MOST_SAMPLES_BEHIND_HOLD = 150
LONGEST_HOLD_S = 1.5
FLUSH_L2 = 2.0
ATTEMPTS = 14


class NotHeld(RuntimeError):
    """The host could not enqueue a series before its hold ended, however long that was and short the series."""


def loaded_library(name):
    """The path of a shared library of this process, such as libcudart; None if it is not loaded."""
    pattern = re.compile(rf"/{name}\.so[.0-9]*$")
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            path = line.split(maxsplit=5)[-1].strip()
            if pattern.search(path):
                return path
    return None


@contextlib.contextmanager
def no_garbage_collection():
    """Keeps Python's collector from running while samples are enqueued."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Flush:
    """A write of twice the L2 cache: cudaMemsetAsync, as stepcast's; zero_() if the runtime cannot be reached."""

    def __init__(self):
        size = int(torch.cuda.get_device_properties(0).L2_cache_size * FLUSH_L2)
        self._buffer = torch.empty(size, dtype=torch.uint8, device="cuda")
        self._memset = None
        if path := loaded_library("libcudart"):
            self._memset = ctypes.CDLL(path).cudaMemsetAsync
            self._memset.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p)
            self._arguments = (self._buffer.data_ptr(), 0, size)

    def __call__(self):
        if self._memset is None:
            self._buffer.zero_()
        elif status := self._memset(*self._arguments, torch.cuda.current_stream().cuda_stream):
            raise RuntimeError(f"cudaMemsetAsync of the L2 flush: CUDA error {status}")


class Timed:
    """A call with what its series taught about enqueueing it."""

    def __init__(self, name, call):
        self.name = name
        self.call = call
        self.samples_behind_hold = MOST_SAMPLES_BEHIND_HOLD
        self.margin = 2.0  # length of the hold over the expected time to enqueue
        self.enqueue_s = None  # of one sample


class Stopwatch:
    """Takes series of cold samples on the current stream."""

    def __init__(self):
        self._flush = Flush()
        self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2 * MOST_SAMPLES_BEHIND_HOLD)]
        self._held = torch.cuda.Event(enable_timing=True)
        self._before = torch.cuda.Event(enable_timing=True)
        for event in (*self._events, self._held, self._before):
            event.record()  # an event is made when it is first recorded
        self._cycles_per_s = self._clock()

    def warm_up(self, timed):
        """Runs the call un-held, so that kernels are loaded, algorithms chosen and memory allocated."""
        for _ in range(WARM_UPS):
            timed.call()
        torch.cuda.synchronize()

    def series(self, timed, samples):
        """Times `samples` cold executions, in seconds, behind as many holds as they need.

        Raises NotHeld.
        """
        if timed.enqueue_s is None:
            timed.enqueue_s = self._enqueue_time(timed)
        seconds = []
        attempts = 0
        while len(seconds) < samples:
            fit = min(timed.samples_behind_hold, max(1, int(LONGEST_HOLD_S / (timed.enqueue_s * timed.margin))))
            count = min(fit, samples - len(seconds))
            taken, was_held, spent_s = self._hold(timed, count)
            if taken is not None:
                seconds += taken
                continue
            attempts += 1
            if attempts == ATTEMPTS:
                raise NotHeld(f"{timed.name}: no undisturbed hold over {count} samples, whose enqueueing took "
                              f"{spent_s * 1e3:.1f} ms and was expected to take {timed.enqueue_s * count * 1e3:.1f} ms")
            if not was_held:
                # Either the host was slow, or the stream's queue was full and the host waited for the hold.
                timed.samples_behind_hold = max(1, count // 2)
                timed.margin *= 1.2
        return seconds

    def _hold(self, timed, count):
        """One held series: its times, or None if it does not count; whether it was held; the time to enqueue."""
        mallocs = torch.cuda.memory_stats()["segment.all.allocated"]
        hold_s = max(0.001, timed.enqueue_s * timed.margin * count)
        torch.cuda.synchronize()
        with no_garbage_collection():
            torch.cuda._sleep(int(hold_s * self._cycles_per_s))
            self._held.record()
            began = time.perf_counter()
            for i in range(count):
                self._flush()
                self._before.record()  # the start then waits for no flush, as in stepcast
                self._events[2 * i].record()
                timed.call()
                self._events[2 * i + 1].record()
            spent_s = time.perf_counter() - began
            was_held = not self._held.query()
        torch.cuda.synchronize()
        if not was_held or torch.cuda.memory_stats()["segment.all.allocated"] != mallocs:
            return None, was_held, spent_s
        return [self._events[2 * i].elapsed_time(self._events[2 * i + 1]) * 1e-3 for i in range(count)], True, spent_s

    def _enqueue_time(self, timed):
        """Host time of one sample into an empty queue, the slower of a few."""
        spent = []
        for _ in range(4):
            torch.cuda.synchronize()
            began = time.perf_counter()
            self._flush()
            self._before.record()
            self._events[0].record()
            timed.call()
            self._events[1].record()
            spent.append(time.perf_counter() - began)
        torch.cuda.synchronize()
        return sorted(spent)[-2]  # the slowest may have been disturbed

    def _clock(self):
        """Cycles a second of the spinning kernel: the fastest of a few, since a hold must not be too short."""
        rates = []
        for _ in range(5):
            self._events[0].record()
            torch.cuda._sleep(20_000_000)
            self._events[1].record()
            torch.cuda.synchronize()
            rates.append(20_000_000 / (self._events[0].elapsed_time(self._events[1]) * 1e-3))
        return max(rates)
