# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""The PyTorch call that an op key means.

Calls are what a model's module or autograd dispatches to, below autograd: no graph is recorded. Where PyTorch has
several implementations of one operation (attention's backends, SGD's), all are variants. Batch norm keeps fp32
parameters beside half activations; layer norm, whose CUDA kernel takes one type only, has its input's.
"""

import torch
import torch.nn.functional as F

import model_tensors
import op_key

ATEN = torch.ops.aten
DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16,
          "int64": torch.int64, "uint8": torch.uint8}
EPS = 1e-5
MOMENTUM = 0.1
ALL = [True, True, True]


def first_line(error):
    """What an error says first."""
    return str(error).strip().split("\n")[0][:200]


class Maker:
    """Makes operands on one device and the calls of a key on them."""

    def __init__(self, device="cuda"):
        self.device = device
        self.faults = []  # why variants of the last key were left out

    def variants(self, key):
        """The calls that do what the key says: a list of (name, call without arguments).

        A variant is made here only; one that the GPU cannot run raises when it is called, or is left out.
        Raises op_key.NoCounterpart.
        """
        self.faults = []
        if why := op_key.no_counterpart(key):
            raise op_key.NoCounterpart(why)
        group = key.family if key.family in op_key.OPTIMIZER else key.family.rpartition("_")[0] or key.family
        make = getattr(self, "_" + (key.family if hasattr(self, "_" + key.family) else group))
        return make(key)

    # Operands, as docs/measuring.md fills them.

    def _uniform(self, shape, dtype, low=-1.0, high=1.0):
        return torch.empty(shape, dtype=dtype, device=self.device).uniform_(low, high)

    def _flat(self, key, type_name=None):
        dtype = DTYPES[type_name or key.in_type]
        if dtype.is_floating_point:
            return self._uniform((key["e"],), dtype)
        return torch.zeros(key["e"], dtype=dtype, device=self.device)

    def _image(self, shape, key):
        memory_format = torch.channels_last if key.layout == "nhwc" else torch.contiguous_format
        empty = torch.empty(shape, dtype=DTYPES[key.in_type], device=self.device, memory_format=memory_format)
        return empty.uniform_(-1, 1)

    # Convolutions.

    def _conv_operands(self, key):
        n, c, h, w, k, r, s, u, p, g = (key[letter] for letter in "nchwkrsupg")
        x = self._image((n, c, h, w), key)
        weight = self._image((k, c // g, r, s), key)
        return x, weight, u, p, g

    def _conv_fprop(self, key):
        x, weight, u, p, g = self._conv_operands(key)
        return [("conv2d", lambda: F.conv2d(x, weight, None, u, p, 1, g))]

    def _conv_backward(self, key, mask):
        x, weight, u, p, g = self._conv_operands(key)
        height = (key["h"] + 2 * p - key["r"]) // u + 1
        width = (key["w"] + 2 * p - key["s"]) // u + 1
        dy = self._image((key["n"], key["k"], height, width), key)

        def call():
            return ATEN.convolution_backward(dy, x, weight, None, [u, u], [p, p], [1, 1], False, [0, 0], g, mask)

        return [("convolution_backward", call)]

    def _conv_dgrad(self, key):
        return self._conv_backward(key, [True, False, False])

    def _conv_wgrad(self, key):
        return self._conv_backward(key, [False, True, False])

    # Linear layers.

    def _gemm_fprop(self, key):
        dtype = DTYPES[key.in_type]
        x = self._uniform((key["m"], key["k"]), dtype)
        weight = self._uniform((key["n"], key["k"]), dtype)
        bias = self._uniform((key["n"],), dtype) if key.epilogue == "bias" else None
        return [("linear", lambda: F.linear(x, weight, bias))]

    def _gemm_dgrad(self, key):
        dtype = DTYPES[key.in_type]
        dy = self._uniform((key["m"], key["n"]), dtype)
        weight = self._uniform((key["n"], key["k"]), dtype)
        return [("mm", lambda: dy @ weight)]

    def _gemm_wgrad(self, key):
        dtype = DTYPES[key.in_type]
        dy = self._uniform((key["m"], key["n"]), dtype)
        x = self._uniform((key["m"], key["k"]), dtype)
        return [("mm", lambda: dy.t() @ x)]

    # Attention: b h s d views of tensors that lie as the key's layout says.

    def _heads(self, key):
        b, h, s, d = (key[letter] for letter in "bhsd")
        dtype = DTYPES[key.in_type]
        if key.layout == "bshd":
            return self._uniform((b, s, h, d), dtype).permute(0, 2, 1, 3)
        return self._uniform((s, b, h, d), dtype).permute(1, 2, 0, 3)

    def _attention_forwards(self, key):
        q, k, v = self._heads(key), self._heads(key), self._heads(key)
        return q, k, v, [
            ("cudnn", lambda: ATEN._scaled_dot_product_cudnn_attention(q, k, v, None, True, 0.0, False, False)),
            ("flash", lambda: ATEN._scaled_dot_product_flash_attention(q, k, v, 0.0, False, False)),
            ("efficient", lambda: ATEN._scaled_dot_product_efficient_attention(q, k, v, None, True, 0.0, False)),
        ]

    def _attention_fwd(self, key):
        return self._attention_forwards(key)[3]

    def _attention_bwd(self, key):
        q, k, v, forwards = self._attention_forwards(key)
        variants = []
        for name, forward in forwards:
            try:
                result = forward()
            except RuntimeError as error:
                self.faults.append(f"{name}: {first_line(error)}")
                continue
            variants.append((name, attention_backward(name, q, k, v, result)))
        return variants

    # Norms.

    def _batchnorm(self, key):
        n, c, h, w = (key[letter] for letter in "nchw")
        x = self._image((n, c, h, w), key)
        gamma = self._uniform((c,), torch.float32, 0.5, 1.5)
        beta = self._uniform((c,), torch.float32)
        mean = torch.zeros(c, device=self.device)
        variance = torch.ones(c, device=self.device)

        def forward():
            return ATEN._batch_norm_impl_index(x, gamma, beta, mean, variance, True, MOMENTUM, EPS,
                                               torch.backends.cudnn.enabled)

        _, save_mean, save_invstd, reserve, backend = forward()
        name = {0: "native", 1: "cudnn"}.get(backend, str(backend)) + "_batch_norm"
        if key.family == "batchnorm_fwd":
            return [(name, forward)]
        dy = self._image((n, c, h, w), key)

        def backward():
            if backend == 1:
                return ATEN.cudnn_batch_norm_backward(x, dy, gamma, mean, variance, save_mean, save_invstd, EPS,
                                                      reserve)
            return ATEN.native_batch_norm_backward(dy, x, gamma, mean, variance, save_mean, save_invstd, True, EPS,
                                                   ALL)

        return [(name + "_backward", backward)]

    def _layernorm(self, key):
        m, n = key["m"], key["n"]
        dtype = DTYPES[key.in_type]
        x = self._uniform((m, n), dtype)
        gamma = self._uniform((n,), dtype, 0.5, 1.5)
        beta = self._uniform((n,), dtype)

        def forward():
            return ATEN.native_layer_norm(x, [n], gamma, beta, EPS)

        if key.family == "layernorm_fwd":
            return [("native_layer_norm", forward)]
        _, mean, rstd = forward()
        dy = self._uniform((m, n), dtype)
        return [("native_layer_norm_backward",
                 lambda: ATEN.native_layer_norm_backward(dy, x, [n], mean, rstd, gamma, beta, ALL))]

    # Elementwise operations, copies and reductions.

    def _relu_fwd(self, key):
        x = self._flat(key)
        return [("relu", lambda: ATEN.relu(x))]

    def _relu_bwd(self, key):
        dy, y = self._flat(key), self._flat(key).relu_()
        return [("threshold_backward", lambda: ATEN.threshold_backward(dy, y, 0))]

    def _gelu_fwd(self, key):
        x = self._flat(key)
        return [("gelu", lambda: ATEN.gelu(x, approximate="none"))]

    def _gelu_bwd(self, key):
        dy, x = self._flat(key), self._flat(key)
        return [("gelu_backward", lambda: ATEN.gelu_backward(dy, x, approximate="none"))]

    def _add(self, key):
        a, b = self._flat(key), self._flat(key, key.out_type)
        return [("add", lambda: torch.add(a, b))]

    def _cast(self, key):
        x = self._flat(key)
        dtype = DTYPES[key.out_type]
        return [("to", lambda: x.to(dtype))]

    def _copy(self, key):
        x = self._flat(key)
        return [("clone", lambda: x.clone())]

    def _scale(self, key):
        x = self._flat(key)
        return [("mul", lambda: torch.mul(x, 0.5))]

    def _zero(self, key):
        y = self._flat(key)
        return [("zero_", lambda: y.zero_())]

    def _increment(self, key):
        y = self._flat(key)
        return [("add_", lambda: y.add_(1))]

    def _permute(self, key):
        shape = (key["a"], key["b"], key["c"])
        dtype = DTYPES[key.in_type]
        if dtype.is_floating_point:
            x = self._uniform(shape, dtype)
        else:
            x = torch.zeros(shape, dtype=dtype, device=self.device)
        view = x.permute(1, 0, 2)
        return [("contiguous", lambda: view.clone(memory_format=torch.contiguous_format))]

    def _bias_add(self, key):
        y = self._uniform((key["m"], key["n"]), DTYPES[key.in_type])
        bias = self._uniform((key["n"],), DTYPES[key.in_type]).mul_(1e-3)  # it is added over and over
        return [("add_", lambda: y.add_(bias))]

    def _bias_grad(self, key):
        dy = self._uniform((key["m"], key["n"]), DTYPES[key.in_type])
        return [("sum", lambda: dy.sum(0))]

    def _maxpool(self, key):
        x = self._image(tuple(key[letter] for letter in "nchw"), key)
        window = ([key["r"]] * 2, [key["u"]] * 2, [key["p"]] * 2, [1, 1], False)

        def forward():
            return ATEN.max_pool2d_with_indices(x, *window)

        if key.family == "maxpool_fwd":
            return [("max_pool2d_with_indices", forward)]
        y, indices = forward()
        dy = torch.empty_like(y).uniform_(-1, 1)
        return [("max_pool2d_with_indices_backward",
                 lambda: ATEN.max_pool2d_with_indices_backward(dy, x, *window, indices))]

    def _avgpool(self, key):
        n, c, h, w, r, p = (key[letter] for letter in "nchwrp")
        if not r == h == w or p:
            raise op_key.NoCounterpart("only global average pooling is mapped")
        x = self._image((n, c, h, w), key)
        if key.family == "avgpool_fwd":
            return [("mean", lambda: x.mean([2, 3], keepdim=True))]
        dy = self._image((n, c, 1, 1), key)
        return [("div", lambda: dy.expand(n, c, h, w) / (h * w))]

    # Loss.

    def _cross_entropy(self, key):
        """log_softmax and nll_loss; PyTorch's kernel reads halves itself in fp16 alone and casts bf16 first."""
        m, n = key["m"], key["n"]
        dtype = DTYPES[key.in_type]
        logits = self._uniform((m, n), dtype)
        label = torch.randint(0, n, (m,), device=self.device)
        reads_half = dtype == torch.float16 and logits.is_cuda
        is_cast = dtype != torch.float32 and not reads_half
        prefix = "to + " if is_cast else ""

        def forward():
            rows = logits.float() if is_cast else logits
            logprob = ATEN._log_softmax(rows, 1, reads_half)
            return logprob, *ATEN.nll_loss_forward(logprob, label, None, 1, -100)

        if key.family == "cross_entropy_fwd":
            return [(prefix + "log_softmax + nll_loss", forward)]
        logprob, _, total_weight = forward()
        one = torch.ones((), device=self.device)
        input_dtype = dtype if reads_half else torch.float32

        def backward():
            gradient = ATEN.nll_loss_backward(one, logprob, label, None, 1, -100, total_weight)
            gradient = ATEN._log_softmax_backward_data(gradient, logprob, 1, input_dtype)
            return gradient.to(dtype) if is_cast else gradient

        return [("nll_loss_backward + log_softmax_backward" + (" + to" if is_cast else ""), backward)]

    # Optimizer.

    def _gradients(self, key):
        return [self._uniform((size,), torch.float32) for size in model_tensors.tensor_sizes(key["e"], key["t"])]

    def _sgd(self, key):
        """A step of torch.optim.SGD with momentum, foreach and fused, each on tensors of its own."""
        gradients = self._gradients(key)
        variants = []
        for name in ("foreach", "fused"):
            parameters = [torch.nn.Parameter(torch.empty_like(gradient).uniform_(-1, 1)) for gradient in gradients]
            for parameter, gradient in zip(parameters, gradients):
                parameter.grad = gradient
            optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9, **{name: True})
            variants.append((f"SGD({name}=True)", optimizer.step))
        return variants

    def _unscale(self, key):
        gradients = self._gradients(key)
        found_inf = torch.zeros(1, device=self.device)
        inverse_scale = torch.full((1,), 1 / 1024, device=self.device)

        def call():
            torch._amp_foreach_non_finite_check_and_unscale_(gradients, found_inf, inverse_scale)

        return [("_amp_foreach_non_finite_check_and_unscale_", call)]


def attention_backward(name, q, k, v, result):
    """The backward call that belongs to what the forward of a backend returned."""
    out = result[0]
    do = torch.empty_like(out).uniform_(-1, 1)  # in the order of out's dimensions in memory
    if name == "cudnn":
        _, logsumexp, cum_q, cum_k, max_q, max_k, seed, offset, _ = result
        return lambda: ATEN._scaled_dot_product_cudnn_attention_backward(
            do, q, k, v, out, logsumexp, seed, offset, None, cum_q, cum_k, max_q, max_k, 0.0, False)
    if name == "flash":
        _, logsumexp, cum_q, cum_k, max_q, max_k, state, unused, _ = result
        return lambda: ATEN._scaled_dot_product_flash_attention_backward(
            do, q, k, v, out, logsumexp, cum_q, cum_k, max_q, max_k, 0.0, False, state, unused)
    _, logsumexp, seed, offset = result
    return lambda: ATEN._scaled_dot_product_efficient_attention_backward(
        do, q, k, v, None, out, logsumexp, seed, offset, 0.0, [True, True, True, False], False)
