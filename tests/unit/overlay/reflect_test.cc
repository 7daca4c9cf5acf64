// SPDX-License-Identifier: MIT
#include "overlay/reflect.h"

#include <gtest/gtest.h>
#include <sstream>

#include "overlay/ids.h"
#include "overlay/observer.h"

namespace dunlin::overlay {

// The names of members are read through an object that has no definition, so the struct must have
// linkage: it stands outside the nameless namespace.
struct Wide {
  static constexpr std::string_view kName = "not a member";
  PeerId node;
  bool one;
  std::int64_t two_words;
  std::uint8_t d, e, f, g, last;
};

namespace {

/// "name=value name=value", with the id of a peer as its number.
struct Writer {
  std::ostringstream& text;
  void operator()(std::string_view name, PeerId value) const { (*this)(name, value.value); }
  void operator()(std::string_view name, const auto& value) const {
    text << name << '=' << +value << ' ';
  }
  void operator()(std::string_view name, std::string_view value) const {
    text << name << '=' << value << ' ';
  }
};

std::string text_of(const auto& event) {
  std::ostringstream text;
  for_each_field(event, Writer{text});
  return text.str();
}

TEST(Reflect, NamesEachMemberInOrder) {
  EXPECT_EQ(text_of(Wide{{7}, true, -5, 1, 2, 3, 4, 5}),
      "node=7 one=1 two_words=-5 d=1 e=2 f=3 g=4 last=5 ");
  EXPECT_EQ(text_of(Joined{.contact = {9}}), "contact=9 ");
}

TEST(Reflect, SaysTheWordOfAnEnumeration) {
  EXPECT_EQ(text_of(MessageIgnored{.from = {9}, .reason = IgnoreReason::own_name}),
      "from=9 reason=own_name ");
}

}  // namespace
}  // namespace dunlin::overlay
