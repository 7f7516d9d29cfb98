// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/error.hpp"
#include "tests/reference/families.hpp"
#include "tests/reference/image_index.hpp"

namespace stepcast {
namespace {

constexpr double kBatchNormEps = 1e-5;
constexpr double kBatchNormMomentum = 0.1;
constexpr double kLayerNormEps = 1e-6;

struct Moments {
  double mean, variance;  // biased
};

/// Mean and variance of the values at `places`.
Moments moments(const std::vector<double>& values, const std::vector<std::size_t>& places) {
  const auto count = static_cast<double>(places.size());
  double sum = 0;
  for (const std::size_t i : places) sum += values[i];
  const double mean = sum / count;
  double squares = 0;
  for (const std::size_t i : places) squares += (values[i] - mean) * (values[i] - mean);
  return {mean, squares / count};
}

/// The places of a channel's values.
std::vector<std::size_t> channel_places(const ImageShape& s, Layout layout, std::int64_t c) {
  const ImageIndex index{layout, s.c, s.h, s.w};
  std::vector<std::size_t> places;
  for (std::int64_t n = 0; n < s.n; ++n) {
    for (std::int64_t h = 0; h < s.h; ++h) {
      for (std::int64_t w = 0; w < s.w; ++w) places.push_back(index(n, c, h, w));
    }
  }
  return places;
}

/// The places of a row's values.
std::vector<std::size_t> row_places(const MatrixShape& s, std::size_t row) {
  std::vector<std::size_t> places(static_cast<std::size_t>(s.n));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = row * places.size() + i;
  return places;
}

void batchnorm_forward(const Op& op, const ImageShape& shape, NamedTensors& tensors) {
  const auto& x = tensors["x"];
  const auto& gamma = tensors["gamma"];
  const auto& beta = tensors["beta"];
  auto& y = tensors["y"];
  for (std::size_t c = 0; c < gamma.size(); ++c) {
    const auto places = channel_places(shape, op.layout, static_cast<std::int64_t>(c));
    const auto count = static_cast<double>(places.size());
    if (places.size() < 2) throw DataError(key(op) + ": a channel of one value has no variance");
    const auto [mean, variance] = moments(x, places);
    const double invstd = 1.0 / std::sqrt(variance + kBatchNormEps);
    for (const std::size_t i : places) {
      y[i] = (x[i] - mean) * invstd * gamma[c] + beta[c];
      if (op.epilogue == Epilogue::add_relu) y[i] += tensors["z"][i];
      if (op.epilogue != Epilogue::none && y[i] < 0.0) y[i] = 0.0;
    }
    tensors["save_mean"][c] = mean;
    tensors["save_invstd"][c] = invstd;
    double& running_mean = tensors["running_mean"][c];
    double& running_var = tensors["running_var"][c];
    running_mean += kBatchNormMomentum * (mean - running_mean);
    running_var += kBatchNormMomentum * (variance * count / (count - 1.0) - running_var);
  }
}

void batchnorm_backward(const Op& op, const ImageShape& shape, NamedTensors& tensors) {
  const auto& dy = tensors["dy"];
  const auto& x = tensors["x"];
  const auto& gamma = tensors["gamma"];
  auto& dx = tensors["dx"];
  for (std::size_t c = 0; c < gamma.size(); ++c) {
    const auto places = channel_places(shape, op.layout, static_cast<std::int64_t>(c));
    const auto count = static_cast<double>(places.size());
    const double mean = tensors["save_mean"][c];
    const double invstd = tensors["save_invstd"][c];
    const auto gradient = [&](std::size_t i) {
      return op.epilogue == Epilogue::none || tensors["y"][i] > 0 ? dy[i] : 0.0;
    };
    double dbeta = 0;
    double dgamma = 0;
    for (const std::size_t i : places) {
      dbeta += gradient(i);
      dgamma += gradient(i) * (x[i] - mean) * invstd;
    }
    for (const std::size_t i : places) {
      const double normal = (x[i] - mean) * invstd;
      dx[i] = gamma[c] * invstd * (gradient(i) - dbeta / count - normal * dgamma / count);
      if (op.epilogue == Epilogue::add_relu) tensors["dz"][i] = gradient(i);
    }
    tensors["dgamma"][c] = dgamma;
    tensors["dbeta"][c] = dbeta;
  }
}

void layernorm_forward(const MatrixShape& shape, NamedTensors& tensors) {
  const auto& x = tensors["x"];
  const auto& gamma = tensors["gamma"];
  const auto& beta = tensors["beta"];
  auto& y = tensors["y"];
  for (std::size_t m = 0; m < tensors["mean"].size(); ++m) {
    const auto places = row_places(shape, m);
    const auto [mean, variance] = moments(x, places);
    const double invstd = 1.0 / std::sqrt(variance + kLayerNormEps);
    for (std::size_t n = 0; n < places.size(); ++n) {
      y[places[n]] = (x[places[n]] - mean) * invstd * gamma[n] + beta[n];
    }
    tensors["mean"][m] = mean;
    tensors["invstd"][m] = invstd;
  }
}

void layernorm_backward(const MatrixShape& shape, NamedTensors& tensors) {
  const auto& dy = tensors["dy"];
  const auto& x = tensors["x"];
  const auto& gamma = tensors["gamma"];
  auto& dx = tensors["dx"];
  auto& dgamma = tensors["dgamma"];
  auto& dbeta = tensors["dbeta"];
  dgamma.assign(gamma.size(), 0.0);
  dbeta.assign(gamma.size(), 0.0);
  for (std::size_t m = 0; m < tensors["mean"].size(); ++m) {
    const auto places = row_places(shape, m);
    const double mean = tensors["mean"][m];
    const double invstd = tensors["invstd"][m];
    const auto count = static_cast<double>(places.size());
    double mean_g = 0;
    double mean_gx = 0;
    for (std::size_t n = 0; n < places.size(); ++n) {
      const double normal = (x[places[n]] - mean) * invstd;
      mean_g += dy[places[n]] * gamma[n] / count;
      mean_gx += dy[places[n]] * gamma[n] * normal / count;
      dgamma[n] += dy[places[n]] * normal;
      dbeta[n] += dy[places[n]];
    }
    for (std::size_t n = 0; n < places.size(); ++n) {
      const double normal = (x[places[n]] - mean) * invstd;
      dx[places[n]] = invstd * (dy[places[n]] * gamma[n] - mean_g - normal * mean_gx);
    }
  }
}

}  // namespace

void reference_batchnorm(const Op& op, const ImageShape& shape, NamedTensors& tensors) {
  op.family == Family::batchnorm_fwd ? batchnorm_forward(op, shape, tensors)
                                     : batchnorm_backward(op, shape, tensors);
}

void reference_layernorm(const Op& op, const MatrixShape& shape, NamedTensors& tensors) {
  op.family == Family::layernorm_fwd ? layernorm_forward(shape, tensors)
                                     : layernorm_backward(shape, tensors);
}

}  // namespace stepcast
