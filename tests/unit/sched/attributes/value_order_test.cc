// SPDX-License-Identifier: MIT
#include "sched/attributes/value_order.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace dunlin::sched {
namespace {

/// Each is below those that follow it.
void expect_rises(const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const int expected = i < k ? -1 : i > k ? 1 : 0;
      EXPECT_EQ(compare_values(values[i], values[k]), expected) << values[i] << " " << values[k];
    }
  }
}

TEST(ValueOrder, ComparesNumbersAsNumbers) {
  expect_rises({"-10", "-5.5", "-5", "-0.5", "0", "+0.25", "7", "10", "18446744073709551616",
      "99999999999999999999999"});
  EXPECT_EQ(compare_values("-0", "0"), 0);
  EXPECT_EQ(compare_values("+1.50", "-1.5"), 1);
  EXPECT_EQ(compare_values("+1.50", "1.5"), 0);
  EXPECT_EQ(compare_values("007", "7"), 0);
}

// Semantic Versioning 2.0.0, section 11; parts that are missing are 0.
TEST(ValueOrder, ComparesVersionsByTheirPrecedence) {
  expect_rises({"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
      "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.7.0-rc1", "1.7.0-rc2", "1.7.0-rc10", "1.7", "2.0",
      "2.1.0", "2.1.1", "3.9", "3.11"});
  EXPECT_EQ(compare_values("12.10", "12.10.0"), 0);
  EXPECT_EQ(compare_values("v12", "12.0.0"), 0);
  EXPECT_EQ(compare_values("1.0.0+build.7", "1.0.0+build.9"), 0);
  EXPECT_EQ(compare_values("9", "10"), -1);
}

// A distribution's revision of a version is no pre-release of it.
TEST(ValueOrder, ComparesKernels) {
  expect_rises({"6.1.0-rc7", "6.1", "6.1.0-13-amd64", "6.1.0-18-amd64", "6.1.21-v8+",
      "6.6.8-arch1-1", "6.10"});
}

TEST(ValueOrder, ComparesTheRestAsText) {
  expect_rises({"", "a", "a100", "b", "node9", "node10", "node10a"});
  EXPECT_EQ(compare_values("1.2.x", "1.2"), 1);
  EXPECT_EQ(compare_values("-", "-5"), -1);
}

}  // namespace
}  // namespace dunlin::sched
