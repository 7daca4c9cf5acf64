// SPDX-License-Identifier: MIT
#include "node/control/use/value_figures.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

#include "config/percentile.h"

namespace dunlin::node {
namespace {

TEST(ValueFigures, OfNothingAreNull) {
  EXPECT_TRUE(ValueFigures().json().is_null());
}

TEST(ValueFigures, OfFewAreExact) {
  ValueFigures figures;
  for (const std::int64_t value : {20'000'000, 10'000'000}) figures.add(value);
  EXPECT_EQ(figures.json(),
      (Json{{"p50", 15'000'000}, {"p99", 19'900'000}, {"max", 20'000'000}, {"count", 2}}));
}

TEST(ValueFigures, OfManyAreWithinAHundredth) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> spread(12, 4);
  std::uniform_int_distribution<std::int64_t> small(0, 300);
  for (const bool wide : {true, false}) {
    ValueFigures figures;
    std::vector<double> values;
    for (int i = 0; i < 20'000; ++i) {
      const auto value = wide ? std::llround(spread(random)) : small(random);
      figures.add(value);
      values.push_back(static_cast<double>(value));
    }
    std::ranges::sort(values);
    const Json told = figures.json();
    for (const auto& [name, percent] : {std::pair{"p50", 50}, std::pair{"p99", 99}}) {
      const double exact = config::percentile_of(values, percent);
      EXPECT_NEAR(told.at(name).get<double>(), exact, 1 + exact / 100) << name << " " << wide;
    }
    EXPECT_EQ(told.at("max"), static_cast<std::int64_t>(values.back()));
    EXPECT_EQ(told.at("count"), 20'000);
  }
}

TEST(ValueFigures, TakesWhateverNumberComes) {
  ValueFigures figures;
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 2'000; ++i) figures.add(i % 2 == 0 ? kAll : -1);
  const Json told = figures.json();
  EXPECT_EQ(told.at("max"), kAll);
  EXPECT_GE(told.at("p50"), 0);
  EXPECT_GE(told.at("p99").get<double>(), .99 * static_cast<double>(kAll));
}

}  // namespace
}  // namespace dunlin::node
