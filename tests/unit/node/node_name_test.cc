// SPDX-License-Identifier: MIT
#include "node/node_name.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

TEST(NodeName, IsAHostName) {
  for (const char* const good : {"n1", "web.1", "a", "rack-7_b", "5a", "node-5", "LAST", "allen",
           "deadbeefdeadbee", "deadbeefdeadbeef0"}) {
    EXPECT_TRUE(check_node_name(good)) << good;
  }
}

// `5.3` would be task 3 of job 5, `last.1` a task of the last job; the others break a shell.
TEST(NodeName, IsNothingThatReadsAsSomethingElse) {
  for (const char* const bad : {"", "5", "5.3", "last", "all", "-v", "a b", "n;rm", "../x", ".a",
           "_a", "a/b", "n\n", "\xc3\xa4", "deadbeefdeadbeef", "0123456789ABCDEF"}) {
    const auto checked = check_node_name(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().kind, ErrorKind::usage);
  }
  EXPECT_TRUE(check_node_name(std::string(63, 'a')));
  EXPECT_FALSE(check_node_name(std::string(64, 'a')));
}

TEST(NodeName, OfAMachineIsMended) {
  EXPECT_EQ(node_name_of("osprey"), "osprey");
  EXPECT_EQ(node_name_of("osprey.example.org"), "osprey.example.org");
  EXPECT_EQ(node_name_of("5"), "node-5");
  EXPECT_EQ(node_name_of("last"), "node-last");
  EXPECT_EQ(node_name_of("-v"), "v");
  EXPECT_EQ(node_name_of("my host"), "my-host");
  EXPECT_EQ(node_name_of(""), "node-0");
  EXPECT_EQ(node_name_of("deadbeefdeadbeef"), "node-deadbeefdeadbeef");
  for (const std::string& name :
      {std::string(200, 'a'), std::string(200, '5'), std::string("...")}) {
    EXPECT_TRUE(check_node_name(node_name_of(name))) << node_name_of(name);
  }
}

}  // namespace
}  // namespace dunlin::node
