// SPDX-License-Identifier: MIT
#include <filesystem>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/control/control_server.h"
#include "tests/support/scratch.h"
#include "tests/unit/node/control/fake_agent.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

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
