// SPDX-License-Identifier: MIT
#include "node/warden/task_user.h"

#include <cerrno>
#include <gmock/gmock.h>
#include <unistd.h>

namespace dunlin::node::warden {
namespace {

using ::testing::HasSubstr;

TEST(TaskUser, IsFoundByName) {
  const auto found = find_user("nobody", 1000);
  ASSERT_TRUE(found.user) << found.why;
  EXPECT_EQ(found.user->name, "nobody");
  EXPECT_EQ(found.user->uid, 65'534u);
  EXPECT_THAT(found.user->groups, ::testing::Contains(found.user->gid));
  EXPECT_FALSE(found.user->home.empty());
}

TEST(TaskUser, IsNeverRootNorOneOfTheSystem) {
  const auto root = find_user("root", 0);
  EXPECT_FALSE(root.user) << "whatever the agent asks for";
  EXPECT_EQ(root.error, EPERM);
  const auto daemon = find_user("daemon", 1000);
  EXPECT_FALSE(daemon.user);
  EXPECT_THAT(daemon.why, HasSubstr("tasks run as no user below 1000 (agent.uid_min)"));
  EXPECT_TRUE(find_user("daemon", 1).user);
  const auto unknown = find_user("no-such-user", 1000);
  EXPECT_EQ(unknown.error, ENOENT);
  EXPECT_EQ(unknown.why, "there is no user 'no-such-user'");
}

TEST(TaskUser, ChangesNeedCapabilities) {
  if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: only root has them";
  EXPECT_TRUE(can_change_user());
}

}  // namespace
}  // namespace dunlin::node::warden
