// SPDX-License-Identifier: MIT
#include "node/reach/unreached.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using overlay::Address;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Unreached kBridge{
    .told = Address::v4(0xac110001, 7700), .works = Address::v4(0x0a000002, 7700)};

TEST(Unreached, NamesBothAddressesAndTheCure) {
  EXPECT_EQ(unreached_text(kBridge),
      "reached at 10.0.0.2:7700, and not at 172.17.0.1:7700, which it tells others: start it with "
      "--advertise 10.0.0.2:7700");
}

TEST(Unreached, APortOfATranslatorIsNoCure) {
  Unreached translated = kBridge;
  translated.works.port = 40'123;
  EXPECT_THAT(cure_of(translated), HasSubstr("UDP and TCP"));
  EXPECT_THAT(cure_of(translated), Not(HasSubstr("40123")));
}

TEST(Unreached, TheNodeItselfLearnsOfItFromOthers) {
  EXPECT_THAT(self_unreached_text(kBridge, {"n1"}),
      HasSubstr(
          "not reached by n1 at 172.17.0.1:7700, which it tells others, but at 10.0.0.2:7700"));
  EXPECT_THAT(self_unreached_text(kBridge, {"a", "b", "c", "d", "e"}),
      HasSubstr("by a, b, c and 2 more at"));
}

}  // namespace
}  // namespace dunlin::node
