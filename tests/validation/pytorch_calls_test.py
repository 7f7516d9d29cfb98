# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the call of every family on the processor, where PyTorch is installed: arguments, shapes, gradients."""

import unittest

try:
    import torch
    import pytorch_calls
except ImportError:
    torch = None

import op_key

CONV = "n2c4h9w7k6r3s3u2p1"
WAYS = ("fprop", "dgrad", "wgrad")
CONVS = [f"conv_{way}/cudnn/fp32/{layout}/{CONV}" for way in WAYS for layout in ("nhwc", "nchw")]
GEMMS = [f"gemm_{way}/cublaslt/fp32/row/m6n5k4" for way in (*WAYS, "fprop+bias")]
OTHERS = [
    "batchnorm_fwd/cuda/fp32/nhwc/n2c4h3w3", "batchnorm_bwd/cuda/fp32/nchw/n2c4h3w3",
    "layernorm_fwd/cuda/fp32/row/m4n8", "layernorm_bwd/cuda/bf16/row/m4n8",
    "relu_fwd/cuda/fp32/flat/e9", "relu_bwd/cuda/bf16/flat/e9",
    "gelu_fwd/cuda/fp32/flat/e9", "gelu_bwd/cuda/fp32/flat/e9", "add/cuda/bf16-fp32/flat/e9",
    "cast/cuda/fp32-bf16/flat/e9", "copy/cuda/int64/flat/e9", "scale/cuda/fp32/flat/e9", "zero/cuda/bf16/flat/e9",
    "increment/cuda/int64/flat/e1", "permute/cuda/bf16/flat/a2b3c4", "bias_add/cuda/bf16/row/m4n8",
    "bias_grad/cuda/bf16/row/m4n8", "maxpool_fwd/cuda/fp32/nhwc/n2c4h8w8r3u2p1",
    "maxpool_bwd/cuda/fp32/nchw/n2c4h8w8r3u2p1", "avgpool_fwd/cuda/fp32/nhwc/n2c4h7w7r7u1p0",
    "avgpool_bwd/cuda/fp32/nhwc/n2c4h7w7r7u1p0", "cross_entropy_fwd/cuda/bf16-fp32/row/m4n8",
    "cross_entropy_bwd/cuda/bf16/row/m4n8", "sgd/cuda/fp32/flat/e40t3",
]


@unittest.skipIf(torch is None, "PyTorch is not installed")
class CallsTest(unittest.TestCase):
    """pytorch_calls.Maker on the processor."""

    def setUp(self):
        torch.set_grad_enabled(False)
        self.maker = pytorch_calls.Maker("cpu")

    def result(self, text):
        """What the first variant returns."""
        return self.maker.variants(op_key.parse(text))[0][1]()

    def test_every_family_runs(self):
        for text in OTHERS + CONVS + GEMMS:
            with self.subTest(text):
                for _, call in self.maker.variants(op_key.parse(text)):
                    call()

    def test_every_family_has_a_call(self):
        for family in op_key.LETTERS:
            names = {"_" + family, "_" + family.rpartition("_")[0]}
            self.assertTrue(any(hasattr(self.maker, name) for name in names), family)

    def test_shapes_and_layouts(self):
        y = self.result(f"conv_fprop/cudnn/fp32/nhwc/{CONV}")
        self.assertEqual(tuple(y.shape), (2, 6, 5, 4))
        self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))
        dx, dw, _ = self.result(f"conv_dgrad/cudnn/fp32/nchw/{CONV}")
        self.assertEqual((tuple(dx.shape), dw, dx.is_contiguous()), ((2, 4, 9, 7), None, True))
        dx, dw, _ = self.result(f"conv_wgrad/cudnn/fp32/nhwc/{CONV}")
        self.assertEqual((dx, tuple(dw.shape)), (None, (6, 4, 3, 3)))
        self.assertEqual(tuple(self.result("gemm_fprop+bias/cublaslt/fp32/row/m6n5k4").shape), (6, 5))
        self.assertEqual(tuple(self.result("gemm_dgrad/cublaslt/fp32/row/m6n5k4").shape), (6, 4))
        self.assertEqual(tuple(self.result("gemm_wgrad/cublaslt/fp32/row/m6n5k4").shape), (5, 4))

    def test_types(self):
        self.assertEqual(self.result("cast/cuda/fp32-bf16/flat/e9").dtype, torch.bfloat16)
        self.assertEqual(self.result("add/cuda/bf16-fp32/flat/e9").dtype, torch.float32)
        self.assertEqual(self.result("cross_entropy_fwd/cuda/bf16-fp32/row/m4n8")[0].dtype, torch.float32)
        self.assertEqual(self.result("cross_entropy_bwd/cuda/bf16/row/m4n8").dtype, torch.bfloat16)

    def test_attention_lies_as_the_layout_says(self):
        for layout, strides in (("bshd", (60, 4, 12, 1)), ("sbhd", (12, 4, 24, 1))):
            key = op_key.parse(f"attention_fwd/cudnn/fp32/{layout}/b2h3s5d4")
            view = self.maker._heads(key)
            self.assertEqual((tuple(view.shape), view.stride()), ((2, 3, 5, 4), strides))

    def test_both_optimizers_take_a_step(self):
        variants = self.maker.variants(op_key.parse("sgd/cuda/fp32/flat/e40t3"))
        self.assertEqual([name for name, _ in variants], ["SGD(foreach=True)", "SGD(fused=True)"])

    def test_fused_epilogues_have_no_counterpart(self):
        with self.assertRaises(op_key.NoCounterpart):
            self.maker.variants(op_key.parse("gemm_fprop+bias_gelu/cublaslt/fp32/row/m6n5k4"))


if __name__ == "__main__":
    unittest.main()
