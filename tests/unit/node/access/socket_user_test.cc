// SPDX-License-Identifier: MIT
#include "node/access/socket_user.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace dunlin::node {
namespace {

constexpr uid_t kUser = 54'321;
constexpr gid_t kGroup = 54'322;
constexpr gid_t kAdmins = 54'323;

/// The caller that a listening socket sees when a process of that user and those groups connects.
std::optional<SocketUser> user_of(
    uid_t user, gid_t group, const std::vector<gid_t>& groups, std::optional<gid_t> admins) {
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t size = sizeof address.sun_family;  // The kernel chooses an abstract name.
  EXPECT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(listener, 1), 0);
  size = sizeof address;
  EXPECT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool changed = ::setgroups(groups.size(), groups.data()) == 0 &&
        ::setresgid(group, group, group) == 0 && ::setresuid(user, user, user) == 0;
    const int end = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const bool connected =
        changed && ::connect(end, reinterpret_cast<const sockaddr*>(&address), size) == 0;
    ::_exit(connected ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::optional<SocketUser> caller;
  if (status == 0) {
    const int end = ::accept(listener, nullptr, nullptr);
    caller = socket_user(end, admins);  // Though the process has ended.
    ::close(end);
  }
  ::close(listener);
  return caller;
}

TEST(SocketUser, IsAnAdministratorAsRootOrTheAgentsUser) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto own = socket_user(ends[0], std::nullopt);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->uid, ::geteuid());
  EXPECT_TRUE(own->administrator);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_FALSE(socket_user(-1, std::nullopt));
}

TEST(SocketUser, IsAnAdministratorAsAMemberOfTheGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become other users";
  const auto plain = user_of(kUser, kGroup, {}, kAdmins);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->uid, kUser);
  EXPECT_FALSE(plain->administrator);
  EXPECT_TRUE(user_of(kUser, kGroup, {1, 2, kAdmins}, kAdmins)->administrator);
  EXPECT_TRUE(user_of(kUser, kAdmins, {}, kAdmins)->administrator) << "as its first group";
  EXPECT_FALSE(user_of(kUser, kGroup, {1, 2, kAdmins}, std::nullopt)->administrator);
  std::vector<gid_t> many(1000);
  std::iota(many.begin(), many.end(), gid_t{100'000});
  EXPECT_FALSE(user_of(kUser, kGroup, many, kAdmins)->administrator);
  many.back() = kAdmins;
  EXPECT_TRUE(user_of(kUser, kGroup, many, kAdmins)->administrator);
}

}  // namespace
}  // namespace dunlin::node
