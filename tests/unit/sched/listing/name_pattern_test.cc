// SPDX-License-Identifier: MIT
#include "sched/listing/name_pattern.h"

#include <fnmatch.h>
#include <gtest/gtest.h>
#include <string>

#include "overlay/rng.h"

namespace dunlin::sched {
namespace {

TEST(NamePattern, MeansWhatAShellMeans) {
  EXPECT_TRUE(matches("train*", "train-7"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("t?ain", "train"));
  EXPECT_TRUE(matches("run-[0-9_]", "run-_"));
  EXPECT_TRUE(matches("[!a-c]x", "dx"));
  EXPECT_FALSE(matches("[!a-c]x", "bx"));
  EXPECT_FALSE(matches("train", "train-7")) << "all of it";
  EXPECT_FALSE(matches("?", ""));
  EXPECT_TRUE(matches("a\\*", "a*"));
  EXPECT_FALSE(matches("a\\*", "ab"));
  EXPECT_TRUE(matches("[]x]", "]"));
  EXPECT_TRUE(matches("a[b", "a[b")) << "a set without an end";
}

// Against the C library, in its own locale, which knows bytes alone.
TEST(NamePattern, AgreesWithFnmatch) {
  constexpr std::string_view kPattern = "ab*?[]!-";
  constexpr std::string_view kText = "ab-!]";
  overlay::Rng rng{7};
  int matched = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string pattern;
    std::string text;
    for (std::uint32_t n = rng.below(7); n > 0; --n) pattern += kPattern[rng.below(8)];
    for (std::uint32_t n = rng.below(6); n > 0; --n) text += kText[rng.below(5)];
    // glibc reads "[a-" and sets with a range that runs backwards in ways of its own.
    if (pattern.find('[') != pattern.npos && pattern.find('-') != pattern.npos) continue;
    const bool expected = fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
    ASSERT_EQ(matches(pattern, text), expected) << pattern << " of " << text;
    matched += expected ? 1 : 0;
  }
  EXPECT_GT(matched, 1000);
}

// Stars that each may take more must not multiply.
TEST(NamePattern, TakesNoTimeForManyStars) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(127, 'a')));
}

}  // namespace
}  // namespace dunlin::sched
