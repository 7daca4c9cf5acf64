// SPDX-License-Identifier: MIT
#include "node/client/where.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace dunlin::client {
namespace {

using ::testing::ElementsAre;

TEST(Where, PathsAreToldFromHosts) {
  for (const char* path : {"ver.sock", "./x", "/run/dunlin/agent.sock", "a/b:7700"}) {
    EXPECT_TRUE(is_socket_path(path)) << path;
  }
  for (const char* host : {"localhost", "localhost:7700", "[::1]:7700", "::1", "10.0.0.7:7700"}) {
    EXPECT_FALSE(is_socket_path(host)) << host;
  }
}

TEST(Where, ASocketInThisFolderNeedsNoEnding) {
  const auto before = std::filesystem::current_path();
  const test::Scratch scratch;
  std::filesystem::current_path(scratch.path());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address{.sun_family = AF_UNIX, .sun_path = "mine"};
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  test::write_file(scratch / "file", "");
  EXPECT_TRUE(is_socket_path("mine"));
  EXPECT_FALSE(is_socket_path("file"));
  ::close(socket);
  std::filesystem::current_path(before);
}

TEST(Where, AListMayHaveBlanks) {
  EXPECT_THAT(addresses_in(" ver.sock, localhost:7700 ,,[::1]:7700\n"),
      ElementsAre("ver.sock", "localhost:7700", "[::1]:7700"));
  EXPECT_THAT(addresses_in(" , "), ElementsAre());
}

}  // namespace
}  // namespace dunlin::client
