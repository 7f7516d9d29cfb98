# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
"""How many elements each parameter of a model has, which a multi-tensor optimizer's time depends on."""


def resnet152_sizes():
    """Elements of each parameter, in the order of torchvision's model."""
    sizes = [64 * 3 * 49, 64, 64]
    inputs = 64
    for width, blocks in ((64, 3), (128, 8), (256, 36), (512, 3)):
        for block in range(blocks):
            sizes += [width * inputs, width, width, width * width * 9, width, width, 4 * width * width]
            sizes += [4 * width, 4 * width]
            if block == 0:
                sizes += [4 * width * inputs, 4 * width, 4 * width]
            inputs = 4 * width
    return sizes + [1000 * 2048, 1000]


def vit_b_16_sizes():
    """Elements of each parameter of torchvision's model."""
    width = 768
    sizes = [width, width * 3 * 16 * 16, width, 197 * width]
    for _ in range(12):
        sizes += [width, width, 3 * width * width, 3 * width, width * width, width]
        sizes += [width, width, 4 * width * width, 4 * width, 4 * width * width, width]
    return sizes + [width, width, 1000 * width, 1000]


def tensor_sizes(elements, tensors):
    """The sizes of a known model with so many elements and tensors; even ones if there is none."""
    for sizes in (resnet152_sizes(), vit_b_16_sizes()):
        if (sum(sizes), len(sizes)) == (elements, tensors):
            return sizes
    return [elements // tensors + (i < elements % tensors) for i in range(tensors)]
