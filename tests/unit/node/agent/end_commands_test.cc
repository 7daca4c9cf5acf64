// SPDX-License-Identifier: MIT
#include "node/agent/end_commands.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;

/// Jobs that have ended, each of that user.
std::vector<std::pair<sched::JobId, std::string>> ended(const std::vector<std::string>& owners) {
  std::vector<std::pair<sched::JobId, std::string>> jobs;
  for (const std::string& owner : owners) {
    jobs.emplace_back(sched::JobId{.home = {1}, .number = 1}, owner);
  }
  return jobs;
}

TEST(EndCommands, UsersTakeTurns) {
  Accounts accounts;
  EXPECT_THAT(turns_of(ended({"mallory", "mallory", "mallory", "alice", "bob"}), accounts),
      ElementsAre(0, 3, 4, 1, 2));
  const HeldPlace running(Place::end_command, accounts.of("mallory"));
  EXPECT_THAT(
      turns_of(ended({"mallory", "mallory", "alice", "alice"}), accounts), ElementsAre(2, 0, 3, 1));
}

}  // namespace
}  // namespace dunlin::node
