// SPDX-License-Identifier: MIT
#include "overlay/inline_vector.h"

#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "overlay/rng.h"

namespace dunlin::overlay {
namespace {

using Words = InlineVector<std::string, 3>;

TEST(InlineVector, HoldsUpToItsCapacity) {
  Words words{"a", "b"};
  EXPECT_TRUE(words.try_push("c"));
  EXPECT_TRUE(words.full());
  EXPECT_FALSE(words.try_push("d"));
  EXPECT_EQ(words, (Words{"a", "b", "c"}));
  EXPECT_EQ(words.back(), "c");
}

TEST(InlineDeathTest, ABugIsNotOverlooked) {
  Words words{"a", "b", "c"};
  EXPECT_DEATH(words.push_back("d"), "capacity");
  EXPECT_DEATH(words[3].clear(), "beyond");
  EXPECT_DEATH(words.erase(3), "beyond");
  words.clear();
  EXPECT_DEATH(words.back().clear(), "beyond");
}

TEST(InlineVector, GrownElementsAreDefaults) {
  Words words{"a", "b", "c"};
  EXPECT_TRUE(words.resize(1));
  EXPECT_TRUE(words.resize(3));
  EXPECT_EQ(words, (Words{"a", "", ""})) << "nothing of old elements comes back";
  EXPECT_FALSE(words.resize(4));
  EXPECT_EQ(words.size(), 3u);
}

TEST(InlineVector, ErasesInOrder) {
  InlineVector<int, 4> numbers{1, 2, 3, 4};
  numbers.erase(1);
  EXPECT_EQ(numbers, (InlineVector<int, 4>{1, 3, 4}));
  numbers.erase(2);
  EXPECT_EQ(numbers, (InlineVector<int, 4>{1, 3}));
}

TEST(InlineVector, IsASpanByItself) {
  InlineVector<int, 4> numbers{1, 2, 3};
  const std::span<int> view(numbers);
  view[1] = 7;
  EXPECT_EQ(numbers[1], 7);
  const auto& same = numbers;
  EXPECT_EQ(std::span<const int>(same).size(), 3u);
}

// Whatever is done to it, it is what a vector with a bound would be.
TEST(InlineVector, BehavesAsAVectorDoes) {
  Rng rng(3);
  InlineVector<std::uint32_t, 8> mine;
  std::vector<std::uint32_t> model;
  for (int step = 0; step < 20'000; ++step) {
    switch (rng.below(2)) {
      case 0: {
        const std::uint32_t value = rng.below(100);
        EXPECT_EQ(mine.try_push(value), model.size() < 8);
        if (model.size() < 8) model.push_back(value);
        break;
      }
      default:
        if (!model.empty()) {
          const std::size_t i = rng.index(model.size());
          mine.erase(i);
          model.erase(model.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    ASSERT_TRUE(std::ranges::equal(mine, model));
  }
}

}  // namespace
}  // namespace dunlin::overlay
