// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <set>

#include "overlay/cyclon.h"
#include "overlay/gradient.h"
#include "overlay/liveness.h"
#include "overlay/param_entries.h"
#include "overlay/params/param_table.h"

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;

enum class Colour : std::uint8_t { red, green };

struct Sample {
  Duration wait = 1s;
  std::uint16_t count = 3;
  double share = 0.5;
  bool on = true;
  Colour colour = Colour::red;
  std::string name = "anna";
};
struct Forgotten {
  int one = 1;
  int two = 2;
};
struct Outside {
  int one = 9;
};

}  // namespace

template <>
inline constexpr std::string_view kWords<Colour>[] = {"red", "green"};
template <>
inline constexpr std::string_view kSection<Sample> = "sample";
template <>
inline constexpr auto kParams<Sample> =
    std::tuple{Param<&Sample::wait>{{1ms, 1min, Scale::log}, "A wait.", "Source 1"},
        Param<&Sample::count>{{1, 300}, "A count."}, Param<&Sample::share>{{0, 1}, "A share."},
        Param<&Sample::on>{{}, "A switch."}, Param<&Sample::colour>{{}, "A colour."},
        Param<&Sample::name>{{}, "A name."}};
template <>
inline constexpr std::string_view kSection<Forgotten> = "forgotten";
template <>
inline constexpr auto kParams<Forgotten> = std::tuple{Param<&Forgotten::one>{{0, 9}, "One."}};
template <>
inline constexpr std::string_view kSection<Outside> = "outside";
template <>
inline constexpr auto kParams<Outside> = std::tuple{Param<&Outside::one>{{0, 8}, "One."}};

namespace {

static_assert(complete<Sample>());
static_assert(!complete<Forgotten>(), "a member without a line");
#ifndef __clang__  // It does not evaluate defaults at compile time: the next test does.
static_assert(!complete<Outside>(), "a default outside its range");
#endif

class Params : public ::testing::Test {
 protected:
  Params() { append_table(sample, entries); }
  ParamEntry& entry(std::string_view name) {
    for (ParamEntry& entry : entries) {
      if (entry.name == name) return entry;
    }
    ADD_FAILURE() << "no parameter " << name;
    return entries.front();
  }
  Sample sample;
  std::vector<ParamEntry> entries;
};

TEST_F(Params, KnowADefaultOutsideItsRange) {
  Outside defaults;
  for_each_param(
      defaults, [](const auto& line, const auto& value) { EXPECT_FALSE(line.accepts(value)); });
}

TEST_F(Params, DescribeThemselves) {
  ASSERT_EQ(entries.size(), 6u);
  EXPECT_EQ(entries[0].key(), "sample.wait");
  EXPECT_EQ(entries[0].type, "duration");
  EXPECT_EQ(entries[0].range, "1ms .. 1m (log)");
  EXPECT_EQ(entries[0].fallback, "1s");
  EXPECT_EQ(entries[0].meaning, "A wait.");
  EXPECT_EQ(entries[0].source, "Source 1");
  EXPECT_EQ(entry("colour").type, "choice");
  EXPECT_EQ(entry("colour").range, "red, green");
  EXPECT_EQ(entry("count").range, "1 .. 300");
  EXPECT_EQ(entry("on").type, "bool");
  EXPECT_EQ(entry("name").type, "text");
}

TEST_F(Params, AreSetFromText) {
  EXPECT_TRUE(entry("wait").set("250ms"));
  EXPECT_TRUE(entry("count").set("300"));
  EXPECT_TRUE(entry("share").set("0.25"));
  EXPECT_TRUE(entry("on").set("no"));
  EXPECT_TRUE(entry("colour").set("green"));
  EXPECT_TRUE(entry("name").set("bert"));
  EXPECT_EQ(sample.wait, 250ms);
  EXPECT_EQ(sample.count, 300);
  EXPECT_EQ(sample.share, 0.25);
  EXPECT_FALSE(sample.on);
  EXPECT_EQ(sample.colour, Colour::green);
  EXPECT_EQ(sample.name, "bert");
  EXPECT_EQ(entry("wait").get(), "250ms");
  EXPECT_EQ(entry("wait").fallback, "1s");
}

TEST_F(Params, RefuseWhatIsIllegalAndStayAsTheyWere) {
  const std::pair<std::string_view, std::string_view> bad[] = {{"wait", "61s"}, {"wait", "0s"},
      {"wait", "5"}, {"count", "0"}, {"count", "301"}, {"count", "70000"}, {"count", "-1"},
      {"count", "1.5"}, {"share", "1.01"}, {"share", "nan"}, {"share", "x"}, {"on", "perhaps"},
      {"colour", "blue"}, {"colour", ""}};
  for (const auto& [name, text] : bad) {
    const std::string before = entry(name).get();
    const auto result = entry(name).set(text);
    ASSERT_FALSE(result) << name << " = " << text;
    EXPECT_EQ(result.error().kind, ErrorKind::usage);
    EXPECT_NE(result.error().text.find("'" + std::string(text) + "'"), std::string::npos);
    EXPECT_EQ(entry(name).get(), before);
  }
}

TEST_F(Params, DrawLegalValuesOnly) {
  Rng rng(1);
  std::set<std::string> colours;
  int short_waits = 0;
  for (int i = 0; i < 1000; ++i) {
    for (ParamEntry& each : entries) {
      each.draw(rng);
      ASSERT_TRUE(each.set(each.get())) << each.key() << " = " << each.get();
    }
    colours.insert(entry("colour").get());
    short_waits += sample.wait < 250ms;
  }
  EXPECT_EQ(colours, (std::set<std::string>{"red", "green"}));
  EXPECT_NEAR(short_waits, 500, 60) << "half of the draws on a log scale";
}

// The tables that everybody sees.
TEST(OverlayParams, NamesAreUniqueAndSayWhatTheyMean) {
  CyclonParams cyclon;
  GradientParams gradient;
  LivenessParams liveness;
  std::vector<ParamEntry> entries;
  append_entries(cyclon, entries);
  append_entries(gradient, entries);
  append_entries(liveness, entries);
  std::set<std::string> keys;
  for (const ParamEntry& entry : entries) {
    EXPECT_TRUE(keys.insert(entry.key()).second) << entry.key();
    EXPECT_TRUE(entry.meaning.ends_with('.')) << entry.key();
    EXPECT_FALSE(entry.source.empty()) << entry.key();
  }
  EXPECT_TRUE(keys.contains("cyclon.tombstone_chance"));
  EXPECT_TRUE(keys.contains("gradient.ranking"));
}

}  // namespace
}  // namespace dunlin::overlay
