// SPDX-License-Identifier: MIT
#include "node/control/job_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr overlay::PeerId kMerlin{0xabc};
constexpr overlay::PeerId kWeb{1};
constexpr overlay::PeerId kWeb1{2};
constexpr overlay::PeerId kFull{3};

const std::vector<NamedNode> kNodes = {{kMerlin, "merlin", "up 0 s ago"}, {kWeb, "web", "this one"},
    {kWeb1, "web.1", "up 2 s ago"}, {kFull, "db.example.org", "down, last heard of 9 s ago"},
    {{4}, "11", "up 0 s ago"}, {{5}, "twin", "up 0 s ago"}, {{6}, "twin", "down"},
    {{7}, "last", "up 0 s ago"}};

Result<JobName> read(std::string_view word, bool with_tasks = true) {
  return read_job_name(word, kNodes, with_tasks);
}

std::string error_of(std::string_view word, bool with_tasks = true) {
  const auto name = read(word, with_tasks);
  return name ? "" : name.error().text;
}

TEST(JobNames, APlainNumberIsOfNoNode) {
  EXPECT_EQ(*read("12"), (JobName{{}, 12, ""}));
}

TEST(JobNames, BeginWithANameOrAnId) {
  EXPECT_EQ(*read("merlin.12"), (JobName{kMerlin, 12, ""}));
  EXPECT_EQ(*read("0000000000000abc.12"), (JobName{kMerlin, 12, ""}));
  EXPECT_EQ(*read("0000000000000001.12.5"), (JobName{kWeb, 12, "5"})) << "an id of digits alone";
}

TEST(JobNames, MayEndWithTasks) {
  EXPECT_EQ(*read("merlin.12.0-9,20"), (JobName{kMerlin, 12, "0-9,20"}));
  EXPECT_EQ(read("merlin.12.3", false).error().kind, ErrorKind::usage);
}

TEST(JobNames, NamesOfNodesMayHoldDots) {
  EXPECT_EQ(*read("db.example.org.12"), (JobName{kFull, 12, ""}));
  EXPECT_EQ(*read("db.example.org.12.3"), (JobName{kFull, 12, "3"}));
  EXPECT_EQ(*read("web.7"), (JobName{kWeb, 7, ""}));
  EXPECT_EQ(*read("web.2.12"), (JobName{kWeb, 2, "12"})) << "no node is called web.2";
}

// Either guess might cancel another's job.
TEST(JobNames, TwoReadingsAreRefusedAndListed) {
  const auto either = read("web.1.12");
  ASSERT_FALSE(either);
  EXPECT_EQ(either.error().kind, ErrorKind::usage);
  EXPECT_THAT(either.error().text, HasSubstr("0000000000000001.1.12 (web, this one)"));
  EXPECT_THAT(either.error().text, HasSubstr("0000000000000002.12 (web.1, up 2 s ago)"));
  EXPECT_EQ(*read("web.1.12", false), (JobName{kWeb1, 12, ""})) << "where no tasks can be meant";
  EXPECT_EQ(*read("web.1.1.12"), (JobName{kWeb1, 1, "12"}));
}

TEST(JobNames, TwoNodesOfOneNameAreRefusedAndListed) {
  const std::string text = error_of("twin.3");
  EXPECT_THAT(text, HasSubstr("0000000000000005.3 (twin, up 0 s ago)"));
  EXPECT_THAT(text, HasSubstr("0000000000000006.3 (twin, down)"));
  EXPECT_TRUE(read("0000000000000006.3"));
}

// "11.57" is a task of a job here, and stays that.
TEST(JobNames, ANodeCalledByANumberIsNamedByItsId) {
  EXPECT_FALSE(read("11.57"));
  EXPECT_FALSE(read("last.57"));
  EXPECT_EQ(*read("0000000000000004.57"), (JobName{{4}, 57, ""}));
}

TEST(JobNames, AnUnknownNodeComesWithTheCure) {
  const auto unknown = read("merlyn.12");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::not_found);
  EXPECT_THAT(unknown.error().text, HasSubstr("no node 'merlyn' is known here"));
  EXPECT_THAT(unknown.error().text, HasSubstr("did you mean merlin?"));
  EXPECT_THAT(error_of("elsewhere.12"), Not(HasSubstr("did you mean")));
}

TEST(JobNames, WhatIsNoneIsRefused) {
  for (const char* const word : {"", ".", ".5", "merlin", "merlin.", "merlin.x", "merlin.0",
           "merlin.12.", "merlin.12.x", "merlin.99999999999", "0"}) {
    const auto name = read(word);
    ASSERT_FALSE(name) << word;
    EXPECT_EQ(name.error().kind, ErrorKind::usage) << word;
  }
}

TEST(NodeNames, AreNamesOrIds) {
  EXPECT_EQ(*read_node_name("merlin", kNodes), kMerlin);
  EXPECT_EQ(*read_node_name("0000000000000abc", kNodes), kMerlin);
  EXPECT_THAT(read_node_name("twin", kNodes).error().text, HasSubstr("several meanings"));
  EXPECT_EQ(read_node_name("nobody", kNodes).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace dunlin::node
