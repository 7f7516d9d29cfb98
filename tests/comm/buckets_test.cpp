// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/buckets.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "core/error.hpp"

namespace stepcast {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes payloads(const std::vector<Bucket>& buckets) {
  Sizes sizes;
  for (const Bucket& bucket : buckets) {
    sizes.push_back(static_cast<std::int64_t>(bucket.payload.count()));
  }
  return sizes;
}

/// ResNet-18's parameters in fp32 bytes, last registered first. Convolutions have no bias; each is
/// followed by a batch norm's weight and bias.
Sizes resnet18_reversed() {
  Sizes elements;
  const auto conv = [&elements](std::int64_t in, std::int64_t out, std::int64_t window) {
    elements.insert(elements.end(), {in * out * window * window, out, out});
  };
  conv(3, 64, 7);
  std::int64_t in = 64;
  for (const std::int64_t out : {64, 128, 256, 512}) {
    conv(in, out, 3);
    conv(out, out, 3);
    if (in != out) conv(in, out, 1);
    conv(out, out, 3);
    conv(out, out, 3);
    in = out;
  }
  elements.insert(elements.end(), {512 * 1000, 1000});
  Sizes bytes(elements.rbegin(), elements.rend());
  for (std::int64_t& size : bytes) size *= 4;
  return bytes;
}

// The lists that pytorch/pytorch#48880 reports from a real run of the ImageNet example.
TEST(Buckets, Resnet18HasTheBucketsOfARealRun) {
  EXPECT_EQ(payloads(assign_buckets(resnet18_reversed())), (Sizes{2052000, 28852224, 15853824}));
  EXPECT_EQ(payloads(assign_buckets(resnet18_reversed(), {mib(1), mib(35)})),
            (Sizes{2052000, 38297600, 6408448}));
}

TEST(Buckets, TensorThatReachesTheCapClosesTheBucket) {
  const BucketOptions options{Bytes(10), Bytes(20)};
  EXPECT_EQ(payloads(assign_buckets(Sizes{10, 19, 1, 5}, options)), (Sizes{10, 20, 5}));
}

TEST(Buckets, BucketOvershootsByUpToOneTensor) {
  const BucketOptions options{Bytes(10), Bytes(20)};
  EXPECT_EQ(payloads(assign_buckets(Sizes{9, 100, 19, 100}, options)), (Sizes{109, 119}));
}

TEST(Buckets, SmallTensorsShareOneBucket) {
  EXPECT_EQ(payloads(assign_buckets(Sizes{1, 2, 3})), (Sizes{6}));
}

TEST(Buckets, NoTensorsMakeNoBuckets) { EXPECT_TRUE(assign_buckets({}).empty()); }

TEST(Buckets, EachTensorIsInOneBucketInOrder) {
  const Sizes sizes = resnet18_reversed();
  std::vector<std::int64_t> seen;
  double total = 0;
  for (const Bucket& bucket : assign_buckets(sizes)) {
    double payload = 0;
    for (const std::int64_t tensor : bucket.tensors) {
      seen.push_back(tensor);
      payload += static_cast<double>(sizes[static_cast<std::size_t>(tensor)]);
    }
    EXPECT_EQ(bucket.payload.count(), payload);
    total += payload;
  }
  std::vector<std::int64_t> all(sizes.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
  EXPECT_EQ(total, 11689512.0 * 4.0);  // torchvision's parameter count of resnet18
}

TEST(Buckets, SizesAndCapsThatAreNotPositiveAreRefused) {
  EXPECT_THROW((void)assign_buckets(Sizes{4, 0}), DataError);
  EXPECT_THROW((void)assign_buckets(Sizes{-4}), DataError);
  EXPECT_THROW((void)assign_buckets(Sizes{4}, {Bytes(0), mib(25)}), DataError);
  EXPECT_THROW((void)assign_buckets(Sizes{4}, {mib(1), Bytes(-1)}), DataError);
  EXPECT_THROW(
      (void)assign_buckets(Sizes{4}, {mib(1), Bytes(std::numeric_limits<double>::quiet_NaN())}),
      DataError);
}

}  // namespace
}  // namespace stepcast
