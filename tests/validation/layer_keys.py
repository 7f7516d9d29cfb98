# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Which ops are compared: the distinct ops of both models, as `stepcast list ops` prints them, by sets.

Only what stepcast offers as fast is in a set by default: cuDNN, cuBLASLt and our own `cuda` kernels. `native` kernels,
which copy eager PyTorch's launches, are compared where a file of keys asks for them.
"""

import csv
import subprocess

import op_key

SETS = ("convs", "linear", "attention", "norms", "elementwise", "optimizer")
LARGE_GEMM = "gemm_fprop/cublaslt/bf16/row/m8192n8192k8192"
ELEMENTWISE = ("relu_fwd", "relu_bwd", "gelu_fwd", "gelu_bwd", "add", "cast", "cross_entropy_fwd", "cross_entropy_bwd")


class Listing:
    """The distinct ops of a step, asked of the program `stepcast`."""

    def __init__(self, program, batch):
        self._program = program
        self._batch = batch
        self._known = {}

    def keys(self, model, precision, recipe="eager", layout="nchw"):
        """The parsed keys of a step.

        Raises RuntimeError with what the program said.
        """
        case = (model, precision, recipe, layout)
        if case not in self._known:
            command = [self._program, "list", "ops", "--model", model, "--precision", precision, "--recipe", recipe,
                       "--layout", layout, "--batch", str(self._batch), "--format", "csv"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
            lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
            self._known[case] = [op_key.parse(row["key"]) for row in csv.DictReader(lines)]
        return self._known[case]


def keys_of_set(name, listing, precisions, layouts):
    """The keys of a set, in the order in which they are worth timing, each once."""
    make = {"convs": convs, "linear": linear, "attention": attention, "norms": norms, "elementwise": elementwise,
            "optimizer": optimizer}[name]
    return list(dict.fromkeys(key.text for key in make(listing, precisions, layouts)))


def convs(listing, precisions, layouts):
    """ResNet-152's convolutions."""
    for layout in layouts:
        for precision in precisions:
            for key in listing.keys("resnet152", precision, layout=layout):
                if key.family in op_key.CONV:
                    yield key


def linear(listing, precisions, layouts):
    """Linear layers of both models, forward with and without bias, the patch embedding, and one large product."""
    if "bf16" in precisions:
        yield op_key.parse(LARGE_GEMM)
    for precision in precisions:
        for model in ("vit_b_16", "resnet152"):
            for key in listing.keys(model, precision):
                if key.family == "gemm_fprop":
                    yield key.replaced(epilogue="bias")
                    yield key.replaced(epilogue="")
                elif key.family in op_key.GEMM:
                    yield key
    for layout in layouts:
        for precision in precisions:
            recipe = "eager" if layout == "nchw" else "fused"  # eager vision transformers are nchw
            for key in listing.keys("vit_b_16", precision, recipe, layout):
                if key.family in op_key.CONV:
                    yield key


def attention(listing, precisions, _layouts):
    """Attention in the half types, in both orders of tokens and images."""
    for precision in precisions:
        for recipe, layout in (("fused", "nhwc"), ("eager", "nchw")):
            for key in listing.keys("vit_b_16", precision, recipe, layout):
                if key.family in op_key.ATTENTION and key.provider == "cudnn":
                    yield key


def norms(listing, precisions, layouts):
    """Layer norm, then ResNet-152's batch norms through our own kernels and through cuDNN."""
    for precision in precisions:
        for recipe, layout in (("eager", "nchw"), ("fused", "nhwc")):
            for key in listing.keys("vit_b_16", precision, recipe, layout):
                if key.family in op_key.LAYERNORM:
                    yield key.replaced(provider="cuda")
    for layout in layouts:
        for precision in precisions:
            for key in listing.keys("resnet152", precision, layout=layout):
                if key.family in op_key.BATCHNORM:
                    yield key.replaced(provider="cuda")
                    yield key.replaced(provider="cudnn")


def elementwise(listing, precisions, _layouts):
    """Activations, residual sums, casts of weights and the loss, through our own kernels."""
    for precision in precisions:
        for model in ("vit_b_16", "resnet152"):
            for recipe in ("eager", "fused"):
                for key in listing.keys(model, precision, recipe, "nhwc" if recipe == "fused" else "nchw"):
                    is_wanted = key.family in ELEMENTWISE and (key.family != "cast" or key.in_type == "fp32")
                    if is_wanted and not key.epilogue:
                        yield key.replaced(provider="cuda")


def optimizer(listing, precisions, _layouts):
    """SGD over each model's parameters, which are fp32 in every precision."""
    for model in ("resnet152", "vit_b_16"):
        for key in listing.keys(model, precisions[0]):
            if key.family == "sgd":
                yield key.replaced(provider="cuda")
