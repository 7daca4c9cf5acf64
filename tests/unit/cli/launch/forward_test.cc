// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/forward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/launch/own_config.h"
#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/launch/cluster_file.h"

// What is told where nothing can be forwarded; tests/node/launch has the rest.
namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

class ForwardTest : public ::testing::Test {
 protected:
  OwnConfig config_;
  const test::Scratch& scratch = config_.folder();
};

TEST_F(ForwardTest, AClusterThatIsUnknownIsNamed) {
  const auto unknown = SocketForward::open("lab");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::not_found);
  EXPECT_THAT(unknown.error().text, HasSubstr("dunlin launch --cluster lab HOST..."));
  const auto bad = SocketForward::open("../lab");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::usage);
}

TEST_F(ForwardTest, HostsThatWereNeverReachedAreNotAsked) {
  ClusterFile cluster;
  cluster.hosts = {{.name = "n1"}};
  ASSERT_TRUE(save_cluster("lab", cluster));
  const auto none = SocketForward::open("lab");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::io);
  EXPECT_THAT(none.error().text, HasSubstr("none was reached so far"));
}

TEST_F(ForwardTest, AnAddressAndAClusterAreTwoAgents) {
  AgentAddress where;
  where.address = "/nowhere/agent.sock";
  where.cluster = "lab";
  const auto both = Connection::open(where);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace dunlin::cli
