// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far a result may be from the reference in double: tight enough that a wrong sign, a zero or a
// neighbour's value in a single element is seen, loose enough for every engine that is right.
//
// The data is uniform in [-1, 1] (rms 1/sqrt 3), so a product of two operands has an rms of 1/3 and
// a sum of K of them has one of sqrt(K)/3: its typical size, `typical` below. u is the unit
// roundoff of a type, the largest relative error of rounding to nearest: 2^-24, 2^-11 (fp16), 2^-8
// (bf16). A shape has up to 4e8 results, of which the worst is 6 standard deviations out; 8 are
// allowed.
//
//   result    Rounding to the output's type: u |want|, doubled for a second rounding on the way.
//             Partial sums that are kept in a half type (split K, Winograd, beta = 1) are each
//             rounded at about their own size, and so are the results of Winograd's transforms:
//             4 u typical; 16 u where the sum is longer than one run (see below) and so surely in
//             many parts. cuDNN splits the 1.6 million terms of a stem's weight gradient so that
//             its fp16 result is off by 7 u typical (H200).
//   operands  fp16 and bf16 are exact. tf32 keeps 11 bits: rounded (2^-11) or, where the hardware
//             drops what it does not read, cut (up to 2^-10, half of it on average, in both
//             factors: the sum shrinks by up to 2^-10). What is random adds up to 0.29 2^-10 in
//             each factor: 8 standard deviations are 2.4 2^-10 typical.
//   sums      In fp32, one after another: each addition rounds the sum so far, whose size grows as
//             the root of its length. Over K terms this is 0.41 u sqrt(K) typical; 8 times as much
//             is allowed. Tensor cores cut instead of rounding, at each step of 4 terms or more:
//             each step loses up to 2 u of the sum so far, always towards zero, or
//             (2/3) K/4 2 u typical. No engine sums more than 2^16 terms in one run: the grid would
//             be idle. Longer sums are made of such runs, whose losses are random.
//             In e4m3, runs of 128 terms are summed with 13 bits: 2^-9 typical is allowed.
//   engines   Winograd and FFT in fp32 transform their data and lose up to 8 bits more.
//
// Attention rounds the probabilities, and where scores are stored those too, to the operands' type.
// Everything else is arithmetic in fp32 on values of order one, rounded once.

#include "layers/op.hpp"
#include "layers/operands.hpp"

namespace stepcast {

/// An element may be off by relative |want| + absolute; {0, 0} is equality.
struct Allowance {
  double relative = 0;
  double absolute = 0;
};

/// Unit roundoff of a type as it is stored; 0 for whole numbers.
double unit_roundoff(DType stored);

/// For a sum of `terms` products of the rms `rms`, of factors of type `in`, summed in fp32 and
/// stored as `out`. Longest runs, engines and tensor cores as above.
Allowance sum_allowance(double terms, double rms, DType in, DType out);

/// For an operand that the op writes.
Allowance allowance(const Op& op, const Operand& operand);

}  // namespace stepcast
