# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the comparison without a GPU and without PyTorch: keys, statistics, resuming, the protocol with a child."""

import contextlib
import io
import os
import shlex
import sys
import tempfile
import unittest
from unittest import mock

import compare_layers
import layer_ratios
import model_tensors
import op_key
import stepcast_child

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_stepcast.py")
RELU = "relu_fwd/cuda/bf16/flat/e1000"
GELU = "gelu_fwd/cuda/bf16/flat/e1000"
UNSUPPORTED = "gelu_fwd/cuda/bf16/flat/e404"
FAILED = "gelu_fwd/cuda/bf16/flat/e405"
LETHAL = "relu_fwd/cuda/fp16/flat/e666"
DEADLY = "gelu_fwd/cuda/bf16/flat/e500"
FUSED = "batchnorm_fwd+relu/cuda/bf16/nhwc/n128c64h56w56"


class FakeTimed:
    """What FakeTorch prepares."""

    name = "fake backend"


class FakeTorch:
    """Stands for pytorch_layers.TorchSide: every op takes 10 us."""

    version = "2.11.0"

    def __init__(self, log=None):
        self.log = log
        self.released = 0

    def libraries(self):
        """As the fake child has them."""
        return {"cudnn": "9.19.0", "cublaslt": "13.1.0", "cuda_runtime": "13.0.0"}

    def gpu_uuid(self):
        """The fake child's."""
        return "GPU-0"

    def is_alive(self):
        """Always."""
        return True

    def prepare(self, key):
        """Nothing to prepare."""
        self._say(f"prepare {key.text}")
        return FakeTimed()

    def series(self, _timed, samples):
        """As many times as asked for."""
        self._say(f"P {samples}")
        return [10e-6] * samples

    def release(self):
        """Counts."""
        self.released += 1

    def _say(self, text):
        if self.log:
            with open(self.log, "a", encoding="utf-8") as log:
                log.write(text + "\n")


class InFolder(unittest.TestCase):
    """A folder with a bench and a stepcast in it, both fake, for one test."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        for name in ("stepcast-bench", "stepcast"):
            path = self.path(name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(FAKE)} "$@"\n')
            os.chmod(path, 0o755)
        self.out = self.path("layers.csv")
        self.torch = FakeTorch(self.path("log"))

    def path(self, name):
        """A file of the folder."""
        return os.path.join(self.folder, name)

    def child_command(self):
        """The fake bench, as the driver would start it."""
        return [self.path("stepcast-bench"), "--keys", "-", "--flush", "--samples", "7"]

    def run_main(self, keys, *options, **environment):
        """Compares keys; exit code, what was printed, and what was said on stderr."""
        with open(self.path("keys"), "w", encoding="utf-8") as file:
            file.write("# keys\n" + "\n".join(keys) + "\n")
        arguments = ["--bench", self.path("stepcast-bench"), "--keys", self.path("keys"), "--out", self.out,
                     "--samples", "7", *options]
        return self.call_main(arguments, **environment)

    def call_main(self, arguments, **environment):
        """Any command line."""
        printed, complained = io.StringIO(), io.StringIO()
        with mock.patch.dict(os.environ, FAKE_LOG=self.path("log"), **environment), \
                contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
            try:
                code = compare_layers.main(arguments, lambda: self.torch)
            except SystemExit as end:
                code = end.code
        return code, printed.getvalue(), complained.getvalue()


class OpKeyTest(unittest.TestCase):
    """op_key.parse and what follows from it."""

    def test_parts_of_a_key(self):
        key = op_key.parse("conv_dgrad/cudnn/bf16/nhwc/n32c64h56w56k64r3s3u1p1")
        self.assertEqual((key.family, key.epilogue, key.provider, key.layout), ("conv_dgrad", "", "cudnn", "nhwc"))
        self.assertEqual((key["n"], key["k"], key["p"], key["g"]), (32, 64, 1, 1))
        self.assertEqual(key.direction, "data gradient")
        key = op_key.parse("gemm_fprop+bias/cublaslt/fp16/row/m25216n3072k768")
        self.assertEqual((key.family, key.epilogue, key["m"]), ("gemm_fprop", "bias", 25216))
        key = op_key.parse("cast/native/fp32-bf16/flat/e2359296")
        self.assertEqual((key.in_type, key.out_type, key.types, key.direction), ("fp32", "bf16", "fp32-bf16", ""))

    def test_groups_of_a_convolution(self):
        self.assertEqual(op_key.parse("conv_fprop/cudnn/fp16/nchw/n1c8h9w9k8r3s3u1p1g4")["g"], 4)

    def test_wrong_keys_are_named(self):
        for text in ("relu_fwd/cuda/bf16/e1", "swish/cuda/bf16/flat/e1", "relu_fwd/cuda/fp8/flat/e1",
                     "relu_fwd/cuda/bf16/flat/e", "relu_fwd/cuda/bf16/flat/e1t2",
                     "gemm_fprop/cublaslt/bf16/row/m1k1n1"):
            with self.assertRaisesRegex(ValueError, text):
                op_key.parse(text)

    def test_replaced(self):
        key = op_key.parse("gemm_fprop+bias/cublaslt/fp16/row/m1n2k3")
        self.assertEqual(key.replaced(epilogue="").text, "gemm_fprop/cublaslt/fp16/row/m1n2k3")
        self.assertEqual(key.replaced(provider="cuda").text, "gemm_fprop+bias/cuda/fp16/row/m1n2k3")

    def test_counterparts(self):
        for text in (RELU, "gemm_fprop+bias/cublaslt/fp16/row/m1n2k3", "add/cuda/fp16-fp32/flat/e1",
                     "cast/cuda/fp32-fp16/flat/e1", "cross_entropy_fwd/cuda/bf16-fp32/row/m1n2"):
            self.assertEqual(op_key.no_counterpart(op_key.parse(text)), "")
        for text in ("gemm_fprop+bias_gelu/cublaslt/fp16/row/m1n2k3", "gemm_dgrad+dgelu/cublaslt/fp16/row/m1n2k3",
                     "gemm_wgrad+bgrad/cublaslt/fp16/row/m1n2k3", FUSED, "add/cuda/fp32-fp16/flat/e1",
                     "layernorm_fwd/cuda/fp32-fp16/row/m1n2", "gemm_fprop/cublaslt/fp16-fp32/row/m1n2k3"):
            self.assertNotEqual(op_key.no_counterpart(op_key.parse(text)), "")


class ModelTensorsTest(unittest.TestCase):
    """The tensors behind e..t.. of the optimizer's keys."""

    def test_sizes_of_the_models(self):
        self.assertEqual((sum(model_tensors.resnet152_sizes()), len(model_tensors.resnet152_sizes())), (60192808, 467))
        self.assertEqual((sum(model_tensors.vit_b_16_sizes()), len(model_tensors.vit_b_16_sizes())), (86567656, 152))

    def test_other_sizes_are_even(self):
        self.assertEqual(model_tensors.tensor_sizes(11, 3), [4, 4, 3])


def ratio_row(key, low, ratio, high):
    """A row with what statistics read."""
    row = dict.fromkeys(layer_ratios.COLUMNS, "")
    return row | {"key": key, "ratio_low": str(low), "ratio": str(ratio), "ratio_high": str(high), "stepcast_s": "1e-5",
                  "torch_s": "1e-5"}


class RatiosTest(unittest.TestCase):
    """Statistics of rows."""

    def test_noise_is_half_the_quartiles_range_over_the_median(self):
        self.assertAlmostEqual(layer_ratios.noise([1.0, 2.0, 3.0, 4.0, 5.0]), 1.0 / 3.0)
        self.assertEqual(layer_ratios.noise([1.0]), 0.0)

    def test_geometric_mean(self):
        self.assertAlmostEqual(layer_ratios.geometric_mean([0.5, 2.0, 1.0]), 1.0)

    def test_limit_of_like_ops_is_their_ratio(self):
        rows = [ratio_row(RELU, 0.9, 0.9, 0.9)] * 5
        self.assertAlmostEqual(layer_ratios.upper_limit(rows), 0.9)

    def test_limit_of_one_op_is_what_its_rounds_allow(self):
        # The median of three rounds drawn from three is the highest in 7 of 27 cases: more than 5 %.
        self.assertAlmostEqual(layer_ratios.upper_limit([ratio_row(RELU, 0.8, 0.9, 1.2)]), 1.2)

    def test_limit_over_ops_is_that_of_the_normal_approximation(self):
        # Half the ops at 1.1, half at 1/1.1: mean 1, and 1.645 standard errors of the mean logarithm above it.
        rows = [ratio_row(RELU, r, r, r) for r in (1.1, 1 / 1.1)] * 200
        expected = 1.1 ** (1.645 / 20)
        self.assertAlmostEqual(layer_ratios.upper_limit(rows, resamples=800), expected, delta=1e-3)

    def test_limit_repeats(self):
        rows = [ratio_row(RELU, 0.8, r, 1.4) for r in (0.9, 1.0, 1.3)]
        self.assertEqual(layer_ratios.upper_limit(rows, "a"), layer_ratios.upper_limit(rows, "a"))

    def test_summary_groups_and_lists_the_slower(self):
        other = "conv_fprop/cudnn/fp16/nhwc/n1c8h9w9k8r3s3u1p1"
        text = layer_ratios.summary([ratio_row(RELU, 0.9, 0.95, 1.0), ratio_row(other, 1.1, 1.2, 1.3),
                                     ratio_row(other.replace("nhwc", "nchw"), 1.0, 1.0, 1.0)])
        self.assertIn("ratio above 1.05 by the fastest provider: 1 of 3 ops", text)
        self.assertIn("1.200 (1.100 to 1.300)", text)
        self.assertEqual(len(layer_ratios.groups([ratio_row(RELU, 1, 1, 1), ratio_row(other, 1, 1, 1)])), 2)


    def test_ops_of_several_providers_are_judged_by_the_fastest(self):
        norm = "batchnorm_fwd/{}/fp16/nhwc/n1c8h9w9"
        rows = [ratio_row(norm.format("cuda"), 1.2, 1.2, 1.2), ratio_row(norm.format("cudnn"), 1.0, 1.0, 1.0)]
        rows[0]["stepcast_s"], rows[1]["stepcast_s"] = "1.2e-5", "1.0e-5"
        found = {group.name[1]: group.mean for group in layer_ratios.groups(rows)}
        self.assertEqual({name: round(mean, 9) for name, mean in found.items()},
                         {"cuda": 1.2, "cudnn": 1.0, "fastest": 1.0})
        self.assertIn("by the fastest provider: 0 of 1 ops", layer_ratios.summary(rows))


class ChildTest(InFolder):
    """The protocol."""

    def test_rows_of_a_key(self):
        with stepcast_child.StepcastChild(self.child_command()) as child:
            self.assertEqual(child.run["libraries"]["cudnn"], "9.19.0")
            searched = child.rows(RELU)
            self.assertEqual(stepcast_child.first_heuristic_s(searched), 20e-6)
            best = stepcast_child.best_cold(searched)
            self.assertEqual((best["plan_rank"], best["median_s"], best["samples"]), ("3", "1e-06", "7"))
            self.assertAlmostEqual(float(stepcast_child.best_cold(child.rows(RELU))["median_s"]), 10e-6)

    def test_unsupported_says_why(self):
        with stepcast_child.StepcastChild(self.child_command()) as child:
            with self.assertRaisesRegex(stepcast_child.Unsupported, "the library says, no") as caught:
                stepcast_child.best_cold(child.rows(UNSUPPORTED))
            self.assertFalse(caught.exception.is_failure)

    def test_a_dead_child_is_replaced(self):
        with stepcast_child.Stepcast(self.child_command()) as stepcast:
            with self.assertRaisesRegex(stepcast_child.ChildError, "ended with 7"):
                stepcast.rows(DEADLY)
            self.assertEqual(len(stepcast.rows(RELU)), 3)

    def test_a_plan_that_ends_the_use_of_the_gpu_is_left_out(self):
        with stepcast_child.Stepcast(self.child_command()) as stepcast:
            rows = stepcast.rows(LETHAL)
            self.assertEqual(stepcast_child.best_cold(rows)["plan_rank"], "3")
            self.assertEqual(len(stepcast.rows(LETHAL)), 2)  # the new child goes on

    def test_silence_ends(self):
        with self.assertRaisesRegex(stepcast_child.ChildError, "said nothing"):
            stepcast_child.StepcastChild(["sleep", "60"], timeout_s=0.2)

    def test_another_program_is_refused(self):
        with self.assertRaisesRegex(stepcast_child.ChildError, "not the header"):
            stepcast_child.StepcastChild(["echo", "hello"])


class CompareTest(InFolder):
    """The program, with both sides fake."""

    def test_rounds_alternate_and_the_search_does_not_count(self):
        code, _, _ = self.run_main([RELU])
        self.assertEqual(code, 0)
        with open(self.path("log"), encoding="utf-8") as log:
            said = log.read().splitlines()
        self.assertEqual(said, [f"S {RELU}", f"prepare {RELU}"] + [f"S {RELU}", "P 7"] * 3)
        row = layer_ratios.read(self.out)[0]
        self.assertEqual((row["ratio"], row["ratio_low"], row["ratio_high"]), ("1.10000", "1.00000", "1.20000"))
        self.assertEqual((row["stepcast_plan"], row["plan_rank"]), ("plan, 3", "3"))
        self.assertEqual(row["torch_backend"], "fake backend")
        self.assertEqual(float(row["first_heuristic_s"]), 20e-6)
        self.assertEqual((row["cudnn"], row["cublaslt"], row["gpu_uuid"]), ("9.19.0", "13.1.0", "GPU-0"))
        self.assertEqual(self.torch.released, 1)

    def test_what_cannot_be_compared_is_listed(self):
        code, printed, _ = self.run_main([FUSED, UNSUPPORTED, RELU])
        self.assertEqual(code, 0)
        self.assertIn(f"{FUSED}: no counterpart: PyTorch does not fuse relu", printed)
        self.assertIn(f"{UNSUPPORTED}: stepcast: unsupported: the library says, no", printed)
        self.assertEqual(len(layer_ratios.read(self.out)), 1)

    def test_failures_are_listed_and_others_go_on(self):
        code, printed, _ = self.run_main([DEADLY, FAILED, RELU])
        self.assertEqual(code, 1)
        self.assertIn("ended with 7", printed)
        self.assertIn("failed: the hold ran out", printed)
        self.assertEqual([row["key"] for row in layer_ratios.read(self.out)], [RELU])

    def test_a_failure_of_pytorch_is_listed(self):
        self.torch.prepare = mock.Mock(side_effect=RuntimeError("out of memory\nmore"))
        code, printed, _ = self.run_main([RELU])
        self.assertEqual(code, 1)
        self.assertIn(f"{RELU}: PyTorch: out of memory\n", printed)

    def test_resume_skips_what_is_there(self):
        self.run_main([RELU])
        with open(self.out, "a", encoding="utf-8") as file:
            file.write("gelu_fwd,forw")  # an interrupt
        code, _, complained = self.run_main([RELU, GELU])
        self.assertEqual(code, 2)
        self.assertIn("--resume", complained)
        code, printed, _ = self.run_main([RELU, GELU], "--resume")
        self.assertEqual(code, 0)
        self.assertIn("1 keys to compare, 1 in", printed)
        self.assertEqual([row["key"] for row in layer_ratios.read(self.out)], [RELU, GELU])

    def test_no_key_begins_out_of_time(self):
        code, printed, _ = self.run_main([RELU], "--seconds", "0")
        self.assertEqual(code, 1)
        self.assertIn(f"{RELU}: not begun, out of time", printed)
        self.assertFalse(os.path.exists(self.out))

    def test_unlike_libraries_are_refused(self):
        code, _, complained = self.run_main([RELU], FAKE_CUDNN="9.20.0")
        self.assertEqual(code, 3)
        self.assertIn("cudnn: stepcast has loaded 9.20.0, PyTorch 9.19.0", complained)
        self.assertFalse(os.path.exists(self.out))

    def test_unlike_libraries_are_recorded_where_allowed(self):
        code, _, _ = self.run_main([RELU], "--allow-unlike", FAKE_CUDNN="9.20.0")
        self.assertEqual(code, 0)
        self.assertEqual(layer_ratios.read(self.out)[0]["cudnn"], "stepcast 9.20.0, torch 9.19.0")

    def test_another_gpu_is_always_refused(self):
        self.torch.gpu_uuid = lambda: "GPU-1"
        self.assertEqual(self.run_main([RELU], "--allow-unlike")[0], 3)

    def test_summarise_needs_the_file_alone(self):
        self.run_main([RELU, GELU])
        code, printed, _ = self.call_main(["--summarise", self.out])
        self.assertEqual(code, 0)
        self.assertIn("ratio above 1.05 by the fastest provider: 2 of 2 ops", printed)

    def test_sets_are_listed(self):
        code, printed, _ = self.call_main(["--bench", self.path("stepcast-bench"), "--list", "--set", "all",
                                           "--precisions", "fp16", "--layouts", "nhwc"])
        self.assertEqual(code, 0)
        keys = printed.split()
        self.assertEqual(len(keys), len(set(keys)))
        for key in ("conv_fprop/cudnn/fp16/nhwc/n128c64h56w56k64r3s3u1p1", "gemm_fprop/cublaslt/fp16/row/m128n1000k768",
                    "gemm_fprop+bias/cublaslt/fp16/row/m128n1000k768", "batchnorm_fwd/cudnn/fp16/nhwc/n128c64h56w56",
                    "batchnorm_fwd/cuda/fp16/nhwc/n128c64h56w56", "sgd/cuda/fp32/flat/e12t3"):
            self.assertIn(key, keys)

    def test_wrong_command_lines(self):
        self.assertEqual(self.call_main(["--set", "everything", "--out", self.out])[0], 2)
        self.assertEqual(self.call_main(["--out", self.out])[0], 2)
        self.assertEqual(self.run_main(["swish/cuda/bf16/flat/e1"])[0], 2)


if __name__ == "__main__":
    unittest.main()
