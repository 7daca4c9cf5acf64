// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/selectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<std::uint32_t>;

const Numbers kKnown = {1, 2, 4, 5, 9};

Result<Numbers> chosen(const std::vector<std::string>& words) {
  const auto selector = parse_jobs(words);
  if (!selector) return tl::unexpected(selector.error());
  return selector->among(kKnown);
}

TEST(JobSelector, Numbers) {
  EXPECT_THAT(*chosen({"4"}), ElementsAre(4));
  EXPECT_THAT(*chosen({"9", "1"}), ElementsAre(1, 9));
  EXPECT_THAT(*chosen({"1,2,2"}), ElementsAre(1, 2));
}

TEST(JobSelector, RangesMeanThoseThereAre) {
  EXPECT_THAT(*chosen({"2-5"}), ElementsAre(2, 4, 5));
  EXPECT_THAT(*chosen({"1,4-8"}), ElementsAre(1, 4, 5));
  const auto none = chosen({"6-8"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
}

TEST(JobSelector, LastAndAll) {
  EXPECT_THAT(*chosen({"last"}), ElementsAre(9));
  EXPECT_THAT(*chosen({"all"}), ElementsAre(1, 2, 4, 5, 9));
  EXPECT_THAT(*parse_jobs(std::vector<std::string>{"all"})->among({}), ElementsAre());
  const auto none = parse_jobs(std::vector<std::string>{"last"})->among({});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("no last job"));
}

// The agent must be asked about a number it may not know, so that it can say so.
TEST(JobSelector, KeepsUnknownNumbers) {
  EXPECT_THAT(*chosen({"7"}), ElementsAre(7));
}

TEST(JobSelector, SingleNumbersNeedNoListing) {
  EXPECT_THAT(*parse_jobs(std::vector<std::string>{"5,3"})->numbers(), ElementsAre(3, 5));
  EXPECT_FALSE(parse_jobs(std::vector<std::string>{"3-5"})->numbers());
  EXPECT_FALSE(parse_jobs(std::vector<std::string>{"last"})->numbers());
}

// The agent alone knows where a node's name ends.
TEST(JobSelector, LeavesNamesOfOtherNodesToTheAgent) {
  const auto selector = parse_jobs(std::vector<std::string>{"merlin.12", "3", "web.1.7"});
  ASSERT_TRUE(selector);
  EXPECT_THAT(selector->names, ElementsAre("merlin.12", "web.1.7"));
  EXPECT_THAT(*selector->numbers(), ElementsAre(3));
  EXPECT_THAT(parse_jobs(std::vector<std::string>{"0123456789012345.7"})->names,
      ElementsAre("0123456789012345.7"));
}

TEST(JobSelector, RefusesWhatIsNone) {
  for (const std::string word :
      {"", "x", "0", "5-3", "1,", "-3", "3-", "1.5", "99999999999", "+1"}) {
    const auto selector = parse_jobs(std::vector<std::string>{word});
    ASSERT_FALSE(selector) << word;
    EXPECT_EQ(selector.error().kind, ErrorKind::usage);
  }
}

TEST(TaskSelector, TasksOfOneJob) {
  const auto some = parse_tasks("11.0-9,20");
  ASSERT_TRUE(some);
  EXPECT_THAT(*some->job.numbers(), ElementsAre(11));
  EXPECT_TRUE(some->includes(0));
  EXPECT_TRUE(some->includes(9));
  EXPECT_TRUE(some->includes(20));
  EXPECT_FALSE(some->includes(10));
}

TEST(TaskSelector, WholeJobs) {
  EXPECT_TRUE(parse_tasks("11")->includes(1'000'000));
  EXPECT_TRUE(parse_tasks("last")->job.last);
  EXPECT_TRUE(parse_tasks("last.3")->includes(3));
}

TEST(TaskSelector, LeavesNamesOfOtherNodesToTheAgent) {
  EXPECT_THAT(parse_tasks("merlin.12.0-9")->job.names, ElementsAre("merlin.12.0-9"));
  EXPECT_TRUE(parse_tasks("11.57")->job.names.empty()) << "always task 57 of job 11 here";
}

TEST(TaskSelector, RefusesWhatIsNone) {
  for (const std::string word : {"", "0", "all", "1-2", "11.", "11.x", "11.5-3", "11.1.2", ".5"}) {
    EXPECT_FALSE(parse_tasks(word)) << word;
  }
}

TEST(TaskNumbers, AreEachOfTheRangesOnce) {
  const std::vector<NumberRange> ranges = {{7, 9}, {2, 2}, {8, 10}};
  EXPECT_EQ(numbers_of(ranges, "12").value(), (std::vector<std::uint32_t>{2, 7, 8, 9, 10}));
  EXPECT_TRUE(numbers_of({}, "12")->empty());
  const NumberRange last[] = {{4'294'967'294, 4'294'967'295}};
  EXPECT_EQ(
      numbers_of(last, "12").value(), (std::vector<std::uint32_t>{4'294'967'294, 4'294'967'295}));
  const std::vector<NumberRange> many = {{0, 99'999}, {5, 5}};
  EXPECT_EQ(
      numbers_of(many, "12.x").error().text, "12.x: more than 100000 tasks; name the whole job");
}

}  // namespace
}  // namespace dunlin::cli
