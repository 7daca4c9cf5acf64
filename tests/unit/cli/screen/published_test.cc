// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/published.h"

#include <gtest/gtest.h>
#include <string>

namespace dunlin::cli {
namespace {

std::string shown(const std::string& json) {
  return published(Json::parse(json)).dump();
}

// A history of short tasks can't be studied by whole seconds.
TEST(Published, TimesHaveNineDigitsOfASecond) {
  EXPECT_EQ(shown(R"({"ended_at_ns": 1700000000123456789})"),
      R"({"ended_at":"2023-11-14T22:13:20.123456789Z"})");
  EXPECT_EQ(shown(R"({"tasks": [{"at_ns": 1700000000000000000}]})"),
      R"({"tasks":[{"at":"2023-11-14T22:13:20.000000000Z"}]})");
  EXPECT_EQ(shown(R"({"ended_at_ns": 0})"), R"({"ended_at":null})");
}

TEST(Published, OtherUnitsAreThoseOfPrograms) {
  EXPECT_EQ(shown(R"({"wall_ns": 1500000000, "memory_mib": 2})"),
      R"({"wall_s":1.5,"memory_bytes":2097152})");
  EXPECT_EQ(shown(R"({"cpu_milli": 250})"), R"({"cpus":0.25})");
}

// Some amounts were in the units of the protocol, without a word.
TEST(Published, RatesAndPeaksHaveTheUnitsThatArePromised) {
  const Json json = published({{"rates", {{"disk_read", 3}, {"net_out", 1}}}, {"mib", 2},
      {"cpu_peak_milli", 1500}, {"net_in_peak_kib", {{"count", 4}, {"max", 10}}}});
  EXPECT_EQ(json.at("rates"),
      (Json{{"disk_read", 3}, {"disk_read_bytes_per_s", 3072}, {"net_out", 1},
          {"net_out_bytes_per_s", 1024}}));
  EXPECT_EQ(json.at("bytes"), 2 << 20);
  EXPECT_EQ(json.at("mib"), 2) << "scripts know it";
  EXPECT_EQ(json.at("cpus_peak"), 1.5);
  EXPECT_EQ(json.at("net_in_peak_bytes_per_s"), (Json{{"count", 4}, {"max", 10240}}));
}

}  // namespace
}  // namespace dunlin::cli
