// SPDX-License-Identifier: MIT
#include "node/agent/lonely.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

overlay::Address at(const char* text) {
  return overlay::parse_address(text, 7700).value();
}

Lonely lonely(const char* bound, std::vector<overlay::Address> contacts) {
  return {.join = "a,b", .contacts = std::move(contacts), .bound = at(bound), .silence = 20s};
}

TEST(Lonely, NamesTheContactAndWhatMayBeWrong) {
  const std::string text = not_joined_text(lonely("0.0.0.0", {at("10.0.0.7:7700")}));
  EXPECT_THAT(text, HasSubstr("not joined: 10.0.0.7:7700 has not answered for 20 s"));
  EXPECT_THAT(text, HasSubstr("is its key the same"));
  EXPECT_THAT(text, HasSubstr("firewall"));
}

TEST(Lonely, AnotherFamilyIsKnownToBeTheCause) {
  const std::string text = not_joined_text(lonely("[::1]", {at("10.0.0.7:7700")}));
  EXPECT_THAT(text, HasSubstr("this agent is bound to [::1]:7700, and 10.0.0.7:7700 is IPv4"));
  EXPECT_THAT(text, Not(HasSubstr("firewall")));
  EXPECT_THAT(not_joined_text(lonely("0.0.0.0", {at("[fd00::2]:7700")})), HasSubstr("is IPv6"));
  EXPECT_THAT(not_joined_text(lonely("[::]", {at("10.0.0.7:7700")})), HasSubstr("firewall"))
      << "it takes both";
}

TEST(Lonely, SeveralContactsAreShownAndNamesThatDoNotResolve) {
  const std::string text =
      not_joined_text(lonely("0.0.0.0", {at("10.0.0.7:1"), at("[fd00::2]:7700")}));
  EXPECT_THAT(text, HasSubstr("10.0.0.7:1, [fd00::2]:7700 have not answered"));
  EXPECT_THAT(text, HasSubstr("[fd00::2]:7700 is IPv6"));
  EXPECT_THAT(text, HasSubstr("firewall")) << "the other one could be reached";
  EXPECT_EQ(not_joined_text(lonely("0.0.0.0", {})),
      "not joined: no name of agent.join (a,b) has an address");
}

}  // namespace
}  // namespace dunlin::node
