// SPDX-License-Identifier: MIT
#include "node/quotas.h"

#include <gmock/gmock.h>

#include "node/agent_options.h"

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Quotas, AreOfUsersAndClasses) {
  const auto quotas = parse_quotas("user:alice=2h, user:*=3600,class:gold=1.5h,user:a=b=90s");
  ASSERT_TRUE(quotas) << quotas.error().text;
  EXPECT_THAT(*quotas,
      ElementsAre(Quota{false, "alice", 7200}, Quota{false, "*", 3600}, Quota{true, "gold", 5400},
          Quota{false, "a=b", 90}));
  EXPECT_TRUE(parse_quotas("")->empty());
  EXPECT_EQ(parse_quotas("user:bob=0")->front().ceiling_s, 0) << "who may run nothing";
}

TEST(Quotas, ThatMakeNoSenseAreNamed) {
  const auto wrong = [](std::string_view text) {
    const auto quotas = parse_quotas(text);
    return quotas ? std::string() : quotas.error().text;
  };
  for (const char* const item :
      {"alice=2h", "user:alice", "user:=2h", "group:x=2h", "user:alice:2h"}) {
    EXPECT_THAT(wrong(std::string("user:a=1, ") + item),
        HasSubstr("agent.quota: '" + std::string(item) + "' must be user:NAME=TIME"));
  }
  EXPECT_THAT(wrong("user:alice=soon"), HasSubstr("must be of CPU seconds"));
  EXPECT_THAT(wrong("user:alice=-5"), HasSubstr("must be of CPU seconds"));
  EXPECT_THAT(wrong("user:a=1,class:a=1,user:a=2"), HasSubstr("'user:a=2' must be said once"));
  EXPECT_THAT(wrong("class:*=1h"), HasSubstr("must be of one class"));
}

TEST(Quotas, StopAnAgentThatCannotReadThem) {
  Configuration configuration;
  configuration.agent.quota = "user:alice=1h";
  EXPECT_TRUE(validate(configuration));
  configuration.agent.quota = "alice";
  ASSERT_FALSE(validate(configuration));
  EXPECT_EQ(validate(configuration).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace dunlin::node
