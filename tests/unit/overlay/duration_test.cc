// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <utility>

#include "overlay/param_entries.h"
#include "overlay/wire_types.h"

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsWithUnits) {
  const std::pair<std::string_view, Duration> forms[] = {{"250ms", 250ms}, {"1.5s", 1500ms},
      {"1h30m", 90min}, {"2d", 48h}, {"10us", 10us}, {"7ns", 7ns}, {"0", 0s}, {"0s", 0s}};
  for (const auto& [text, expected] : forms) {
    const auto duration = parse_duration(text);
    ASSERT_TRUE(duration) << text;
    EXPECT_EQ(*duration, expected) << text;
  }
}

TEST(Duration, RefusesWhatIsNone) {
  for (const std::string_view text :
      {"", "90", "s", "1x", "1 s", "-1s", "1.2.3s", "1sm", "1s2", "999999999999d", "inf", "."}) {
    const auto duration = parse_duration(text);
    EXPECT_FALSE(duration) << text;
    EXPECT_TRUE(duration || duration.error().kind == ErrorKind::usage) << text;
  }
}

TEST(Duration, WritesTheShortestExactForm) {
  EXPECT_EQ(to_string(250ms), "250ms");
  EXPECT_EQ(to_string(90min), "1h30m");
  EXPECT_EQ(to_string(0s), "0s");
  EXPECT_EQ(to_string(1500ms), "1s500ms");
  EXPECT_EQ(to_string(-2s), "-2s");
  for (const Duration duration : {Duration{1}, Duration{123'456'789'012'345}, Duration{1h} + 1ns}) {
    EXPECT_EQ(parse_duration(to_string(duration)), duration);
  }
}

// On the wire: whole milliseconds, never fewer than the truth, and no wrapping around.
TEST(Duration, OnTheWireAnAgeOnlyGrows) {
  EXPECT_EQ(std::uint32_t{to_wire(Duration{1})}, 1u);
  EXPECT_EQ(std::uint32_t{to_wire(Duration{5ms})}, 5u);
  EXPECT_EQ(std::uint32_t{to_wire(Duration{-1s})}, 0u);
  EXPECT_EQ(std::uint32_t{to_wire(Duration{24h * 365})}, 0xffffffffu);
}

}  // namespace
}  // namespace dunlin::overlay
