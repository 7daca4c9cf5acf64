// SPDX-License-Identifier: MIT
#include <filesystem>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "node/control/control_server.h"
#include "tests/support/scratch.h"
#include "tests/unit/node/control/fake_agent.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

bool connects_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int code = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  ::close(socket);
  return code == 0;
}

class ControlSocketTest : public ::testing::Test {
 protected:
  ~ControlSocketTest() override { server.close(); }
  std::string make(const std::string& name, mode_t mode) {
    const std::string path = scratch / name;
    std::filesystem::create_directory(path);
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }

  test::Scratch scratch;
  Loop loop;
  FakeAgent agent;
  std::uint64_t requests = 0;
  ControlServer server{loop.get(), agent, requests};
};

// Whoever may write there could put a link in the place of the socket, before it is given to its
// group, or a socket of one's own.
TEST_F(ControlSocketTest, ListensNowhereThatOthersMayWrite) {
  const auto refused = server.listen(make("open", 0777) + "/socket");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_THAT(refused.error().text, HasSubstr("chmod go-w " + (scratch / "open")));
  EXPECT_FALSE(std::filesystem::exists(scratch / "open/socket"));
  EXPECT_TRUE(server.listen(make("sticky", 01777) + "/socket")) << "as /tmp is";
}

// A cleaner of temporary files took it, or a logout its directory: no client came in any more.
TEST_F(ControlSocketTest, IsMadeAgainIfItIsGone) {
  const std::string path = make("run", 0700) + "/agent/socket";
  ASSERT_TRUE(server.listen(path));
  EXPECT_EQ(server.restore(), false) << "it is there";
  std::filesystem::remove(path);
  EXPECT_EQ(server.restore(), true);
  EXPECT_TRUE(std::filesystem::is_socket(path));
  EXPECT_EQ(server.restore(), false);
  std::filesystem::remove_all(scratch / "run/agent");
  EXPECT_EQ(server.restore(), true);
  EXPECT_TRUE(std::filesystem::is_socket(path));
  EXPECT_TRUE(connects_to(path));
}

TEST_F(ControlSocketTest, SaysWhyItIsGoneIfItCannotBeMade) {
  const std::string path = make("run", 0700) + "/socket";
  ASSERT_TRUE(server.listen(path));
  std::filesystem::remove(path);
  ASSERT_EQ(::chmod((scratch / "run").c_str(), 0777), 0);  // Others may write there by now.
  const auto refused = server.restore();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("chmod go-w"));
  ASSERT_EQ(::chmod((scratch / "run").c_str(), 0700), 0);
  EXPECT_EQ(server.restore(), true);
  server.close();
  EXPECT_EQ(server.restore(), false) << "it listens no more";
}

TEST_F(ControlSocketTest, ListensInNoDirectoryOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string theirs = make("theirs", 0700);
  ASSERT_EQ(::chown(theirs.c_str(), 54321, 54321), 0);
  EXPECT_FALSE(server.listen(theirs + "/socket"));
  EXPECT_FALSE(server.listen(theirs + "/to/come/socket"));
  EXPECT_FALSE(std::filesystem::exists(theirs + "/to"));
  EXPECT_TRUE(server.listen(scratch / "mine/to/come/socket"));
}

}  // namespace
}  // namespace dunlin::node
