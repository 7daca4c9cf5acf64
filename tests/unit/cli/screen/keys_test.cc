// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/keys.h"

#include <gmock/gmock.h>
#include <vector>

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kText = Key::Kind::text;

std::vector<Key> keys_of(KeyReader& reader, bool idle = false) {
  std::vector<Key> keys;
  while (const auto key = reader.next(idle)) keys.push_back(*key);
  return keys;
}

std::vector<Key> keys_of(std::string_view bytes) {
  KeyReader reader;
  reader.feed(bytes);
  return keys_of(reader);
}

TEST(Keys, AreReadOneByOne) {
  EXPECT_THAT(keys_of("qé"), ElementsAre(Key{kText, "q"}, Key{kText, "é"}));
  EXPECT_THAT(keys_of("\r\x7f\x15\x03\x01"),
      ElementsAre(Key{Key::Kind::enter}, Key{Key::Kind::backspace}, Key{Key::Kind::erase_line},
          Key{Key::Kind::interrupt}, Key{Key::Kind::other}));
}

TEST(Keys, ArrowsAndTheLikeOfAllTerminals) {
  EXPECT_THAT(keys_of("\033[A\033OB"), ElementsAre(Key{Key::Kind::up}, Key{Key::Kind::down}));
  EXPECT_THAT(
      keys_of("\033[5~\033[6~"), ElementsAre(Key{Key::Kind::page_up}, Key{Key::Kind::page_down}));
  for (const char* const home : {"\033[H", "\033OH", "\033[1~", "\033[7~"}) {
    EXPECT_THAT(keys_of(home), ElementsAre(Key{Key::Kind::home})) << home;
  }
}

TEST(Keys, ThatHaveNoMeaningAreSwallowedWhole) {
  EXPECT_THAT(keys_of("\033[1;5Cq\033[24~q"),
      ElementsAre(Key{Key::Kind::other}, Key{kText, "q"}, Key{Key::Kind::other}, Key{kText, "q"}));
}

TEST(Keys, MayComeInPieces) {
  KeyReader reader;
  reader.feed("\033");
  EXPECT_THAT(keys_of(reader), IsEmpty());
  EXPECT_TRUE(reader.waits());
  reader.feed("[");
  EXPECT_THAT(keys_of(reader), IsEmpty());
  reader.feed("B");
  EXPECT_THAT(keys_of(reader), ElementsAre(Key{Key::Kind::down}));
  reader.feed("\xc3");
  EXPECT_THAT(keys_of(reader), IsEmpty());
  reader.feed("\xa9");
  EXPECT_THAT(keys_of(reader), ElementsAre(Key{kText, "é"}));
}

TEST(Keys, EscapeIsAKeyIfNothingFollows) {
  KeyReader reader;
  reader.feed("\033");
  EXPECT_THAT(keys_of(reader, true), ElementsAre(Key{Key::Kind::escape}));
  EXPECT_FALSE(reader.waits());
  EXPECT_THAT(keys_of("\033q"), ElementsAre(Key{Key::Kind::escape}, Key{kText, "q"}));
}

// A terminal, or what is pasted into it, may send anything. No byte stays for ever.
TEST(Keys, NothingGetsStuck) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      KeyReader reader;
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second)};
      reader.feed({bytes, 2});
      EXPECT_FALSE(keys_of(reader, true).empty());
      EXPECT_FALSE(reader.waits()) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace dunlin::cli
