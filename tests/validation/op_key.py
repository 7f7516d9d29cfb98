# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Op keys, as layers/op.hpp spells them: family[+epilogue]/provider/types/layout/shape."""

import dataclasses
import re

CONV = ("conv_fprop", "conv_dgrad", "conv_wgrad")
GEMM = ("gemm_fprop", "gemm_dgrad", "gemm_wgrad")
ATTENTION = ("attention_fwd", "attention_bwd")
BATCHNORM = ("batchnorm_fwd", "batchnorm_bwd")
LAYERNORM = ("layernorm_fwd", "layernorm_bwd")
POOL = ("maxpool_fwd", "maxpool_bwd", "avgpool_fwd", "avgpool_bwd")
MATRIX = LAYERNORM + ("bias_add", "bias_grad", "cross_entropy_fwd", "cross_entropy_bwd")
FLAT = ("relu_fwd", "relu_bwd", "gelu_fwd", "gelu_bwd", "add", "cast", "copy", "scale", "zero", "increment")
OPTIMIZER = ("sgd", "unscale")

# The letters of each family's shape, in order; g is left out of a key where it is 1.
LETTERS = (
    dict.fromkeys(CONV, "nchwkrsupg")
    | dict.fromkeys(GEMM, "mnk")
    | dict.fromkeys(ATTENTION, "bhsd")
    | dict.fromkeys(BATCHNORM, "nchw")
    | dict.fromkeys(POOL, "nchwrup")
    | dict.fromkeys(MATRIX, "mn")
    | dict.fromkeys(FLAT, "e")
    | dict.fromkeys(OPTIMIZER, "et")
    | {"permute": "abc"}
)
TYPES = ("fp32", "tf32", "fp16", "bf16", "int64", "uint8")
DIRECTIONS = {"fprop": "forward", "fwd": "forward", "dgrad": "data gradient", "wgrad": "weight gradient",
              "bwd": "backward"}


class NoCounterpart(Exception):
    """PyTorch has no operation that does what a key says; the text says why."""


@dataclasses.dataclass(frozen=True)
class OpKey:
    """A key and its parts."""

    text: str
    family: str
    epilogue: str  # "" if none
    provider: str
    in_type: str
    out_type: str
    layout: str
    shape: dict

    @property
    def types(self):
        """`bf16`, or `fp32-bf16`: the key's third part."""
        return self.text.split("/")[2]

    @property
    def direction(self):
        """forward, data gradient, weight gradient or backward; empty for a family that has none."""
        return DIRECTIONS.get(self.family.rpartition("_")[2], "")

    def __getitem__(self, letter):
        return self.shape[letter]

    def __hash__(self):
        return hash(self.text)

    def replaced(self, provider=None, epilogue=None):
        """The same op through another provider, or with another epilogue ("" for none)."""
        _, own_provider, types, layout, shape = self.text.split("/")
        epilogue = self.epilogue if epilogue is None else epilogue
        head = self.family + ("+" + epilogue if epilogue else "")
        return parse("/".join([head, provider or own_provider, types, layout, shape]))


def parse(text):
    """The parts of a key.

    Raises ValueError that names the key and the part of it that is wrong.
    """
    parts = text.split("/")
    if len(parts) != 5:
        raise ValueError(f"{text}: a key has five parts, family/provider/types/layout/shape")
    head, provider, types, layout, shape_text = parts
    family, _, epilogue = head.partition("+")
    if family not in LETTERS:
        raise ValueError(f"{text}: family '{family}' is not known")
    in_type, dash, out_type = types.partition("-")
    out_type = out_type if dash else in_type
    if in_type not in TYPES or out_type not in TYPES:
        raise ValueError(f"{text}: types '{types}' are not known")
    if not re.fullmatch(r"([a-z][0-9]+)+", shape_text):
        raise ValueError(f"{text}: shape '{shape_text}' is not letters with numbers")
    fields = re.findall(r"([a-z])([0-9]+)", shape_text)
    letters = "".join(letter for letter, _ in fields)
    wanted = LETTERS[family]
    if letters != wanted and (wanted[-1] != "g" or letters != wanted[:-1]):
        raise ValueError(f"{text}: shape '{shape_text}' has not the letters {' '.join(wanted)}")
    shape = {letter: int(number) for letter, number in fields}
    if wanted[-1] == "g":
        shape.setdefault("g", 1)
    return OpKey(text, family, epilogue, provider, in_type, out_type, layout, shape)


def no_counterpart(key):
    """Why eager PyTorch has no operation that does the same in one; empty if it has one."""
    same = key.in_type == key.out_type
    if key.epilogue and (key.family, key.epilogue) != ("gemm_fprop", "bias"):
        return f"PyTorch does not fuse {key.epilogue} into {key.family}"
    if key.family == "add":
        widest = "fp32" if "fp32" in (key.in_type, key.out_type) else key.in_type
        return "" if key.out_type == widest else "the sum would be promoted to another type"
    if key.family == "cast":
        return ""
    if key.family == "cross_entropy_fwd":
        return "" if key.out_type == "fp32" else "the loss is fp32"
    return "" if same else "input and output differ in type"
