# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of "as fast as PyTorch, layer by layer": the fastest call of a key, and its time."""

import ctypes
import statistics

import torch

import pytorch_calls
import pytorch_stopwatch

CHOICE_SAMPLES = 20  # of each variant, before the fastest is timed


def use_precision(key):
    """TF32 for a tf32 key, IEEE fp32 for all others, in cuDNN and cuBLAS alike."""
    tf32 = key.in_type == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32


def version_text(version, major_step, minor_step):
    """A library's number as core/cuda/versions.cpp writes it."""
    return f"{version // major_step}.{version % major_step // minor_step}.{version % minor_step}"


class TorchSide:
    """PyTorch on the first GPU; the driver knows nothing else of it."""

    def __init__(self):
        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
        torch.cuda.set_device(0)
        torch.set_grad_enabled(False)
        torch.backends.cudnn.benchmark = True
        torch.ones(64, 64, device="cuda") @ torch.ones(64, 64, device="cuda")  # loads cuBLAS
        self._maker = pytorch_calls.Maker()
        self._stopwatch = pytorch_stopwatch.Stopwatch()
        self.version = torch.__version__

    def gpu_uuid(self):
        """`GPU-...`, as nvidia-smi spells it."""
        uuid = str(torch.cuda.get_device_properties(0).uuid)
        return uuid if uuid.startswith("GPU-") else "GPU-" + uuid

    def libraries(self):
        """The versions that are loaded, named as in a run record."""
        found = {"cudnn": version_text(torch.backends.cudnn.version(), 10000, 100)}
        if path := pytorch_stopwatch.loaded_library("libcublasLt"):
            get_version = ctypes.CDLL(path).cublasLtGetVersion
            get_version.restype = ctypes.c_size_t
            found["cublaslt"] = version_text(get_version(), 10000, 100)
        if path := pytorch_stopwatch.loaded_library("libcudart"):
            version = ctypes.c_int()
            if ctypes.CDLL(path).cudaRuntimeGetVersion(ctypes.byref(version)) == 0:
                found["cuda_runtime"] = version_text(version.value, 1000, 10)
        return found

    def prepare(self, key):
        """The fastest call of a key, warmed up.

        Raises op_key.NoCounterpart, RuntimeError if none runs.
        """
        use_precision(key)
        timed = []
        variants = self._maker.variants(key)
        faults = self._maker.faults
        for name, call in variants:
            candidate = pytorch_stopwatch.Timed(name, call)
            try:
                self._stopwatch.warm_up(candidate)
                timed.append(candidate)
            except RuntimeError as error:
                torch.cuda.synchronize()  # goes on only if the device has survived it
                faults.append(f"{name}: {pytorch_calls.first_line(error)}")
        if not timed:
            raise RuntimeError("; ".join(faults) or "no variant of it can be made")
        if len(timed) == 1:
            return timed[0]
        return min(timed, key=lambda one: statistics.median(self._stopwatch.series(one, CHOICE_SAMPLES)))

    def series(self, timed, samples):
        """Cold times in seconds; un-held calls come first, since the other side has just had the GPU."""
        self._stopwatch.warm_up(timed)
        return self._stopwatch.series(timed, samples)

    def is_alive(self):
        """Whether the device still works: a fault inside a kernel ends the process's use of it."""
        try:
            torch.cuda.synchronize()
        except RuntimeError:
            return False
        return True

    def release(self):
        """Gives memory back that the next key, on either side, may need."""
        torch.cuda.empty_cache()
