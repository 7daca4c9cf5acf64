// SPDX-License-Identifier: MIT
#include "node/store/jobs/job_blob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/inputs/input_text.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

std::vector<sched::TaskGroup> one_group() {
  return {{.name = "frames", .count = 3, .time_limit = 90s, .duration = 20s, .spec = "render"}};
}

TEST(JobBlob, ComesBackAsItWas) {
  const auto back = decode_groups(encode_groups(one_group()));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->groups, one_group());
  EXPECT_EQ(back->terms, JobTerms{});
}

TEST(JobBlob, KeepsTheTerms) {
  for (const JobTerms& terms : {JobTerms{.service_class = "web"}, JobTerms{.deadline = 10min},
           JobTerms{.service_class = "web",
               .deadline = 10min,
               .past_deadline = sched::PastDeadline::cancel},
           JobTerms{.key = {.high = 1, .low = 2}},
           JobTerms{.after_jobs = {{.job = {.home = {8}, .number = 4, .lineage = 5},
                        .any = true,
                        .has_replicas = true,
                        .address = overlay::Address::v4(0x0a000008, 7700)}}},
           JobTerms{.end_command = std::string("\0mail", 5)},
           JobTerms{.on_preempt = sched::OnPreempt::never},
           JobTerms{.on_preempt = sched::OnPreempt::suspend}, JobTerms{.comment = "third try"},
           JobTerms{.labels = {{.key = "step", .value = "2"}, {.key = "team", .value = "a"}}},
           JobTerms{.begin = 90min}, JobTerms{.rerun = sched::Rerun::never}}) {
    const auto back = decode_groups(encode_groups(one_group(), terms));
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->groups, one_group());
    EXPECT_EQ(back->terms, terms);
  }
}

TEST(JobBlob, KeepsWhichJobsMustFail) {
  JobTerms terms;
  terms.after_jobs.resize(3);
  EXPECT_EQ(encode_groups(one_group(), terms)[0], 9) << "as builds before write it";
  terms.after_jobs[1].failed = true;
  const std::string bytes = encode_groups(one_group(), terms);
  EXPECT_EQ(bytes[0], 17);
  EXPECT_EQ(decode_groups(bytes)->terms, terms);
}

TEST(JobBlob, KeepsForHowLongJobsMustHaveBegun) {
  JobTerms terms;
  terms.after_jobs.resize(3);
  terms.after_jobs[0].failed = true;
  terms.after_jobs[1].begun_for = 10min;
  terms.after_jobs[2].begun_for = sched::Duration{0};
  const std::string bytes = encode_groups(one_group(), terms);
  EXPECT_EQ(bytes[0], 18);
  EXPECT_EQ(decode_groups(bytes)->terms, terms);
  terms.after_jobs[2].begun_for = sched::kTaskTimeMax + sched::Duration{1};
  EXPECT_FALSE(decode_groups(encode_groups(one_group(), terms))) << "no build writes that";
}

TEST(JobBlob, KeepsHowManyTasksRunAtOnce) {
  auto groups = one_group();
  groups[0].at_once = 2;
  for (const JobTerms& terms : {JobTerms{}, JobTerms{.deadline = 1h, .key = {.low = 3}}}) {
    const auto back = decode_groups(encode_groups(groups, terms));
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->groups, groups);
    EXPECT_EQ(back->terms, terms);
  }
}

TEST(JobBlob, KeepsRates) {
  auto groups = one_group();
  groups[0].gang = true;
  groups[0].demand = {.cpu = 1000,
      .memory = 1,
      .custom = {},
      .disk_read = 1,
      .disk_write = 2,
      .net_in = 3,
      .net_out = 4};
  const std::string bytes = encode_groups(groups);
  EXPECT_EQ(bytes[0], 13);
  const auto back = decode_groups(bytes);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->groups, groups);
}

TEST(JobBlob, KeepsStages) {
  auto groups = one_group();
  groups.push_back({.name = "film", .after = {0}, .spec = "join"});
  groups[0].gang = true;
  const std::string bytes = encode_groups(groups, {.deadline = 1h});
  EXPECT_EQ(bytes[0], 14);
  const auto back = decode_groups(bytes);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->groups, groups);
  groups[1].after.clear();
  EXPECT_EQ(encode_groups(groups, {.deadline = 1h})[0], 12) << "as builds before write it";
}

TEST(JobBlob, KeepsInputs) {
  auto groups = one_group();
  sched::InputsBuilder builder;
  ASSERT_TRUE(builder.add("2G@merlin,hobby"));
  groups[0].inputs = builder.take();
  groups[0].inputs.nodes[1].id = {7};
  groups[0].inputs.disk_read = 100;
  groups[0].inputs.net_in = 50;
  const std::string bytes = encode_groups(groups);
  EXPECT_EQ(bytes[0], 15);
  const auto back = decode_groups(bytes);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->groups, groups);
  groups[0].inputs.sets[0][0] = 9;
  EXPECT_FALSE(decode_groups(encode_groups(groups))) << "there is no such node";
  groups[0].inputs = {};
  EXPECT_EQ(encode_groups(groups)[0], 2) << "as builds before write it";
}

TEST(JobBlob, RefusesGroupsThatWaitForEachOther) {
  auto groups = one_group();
  groups.push_back({.name = "film", .after = {0}});
  groups[0].after = {1};
  EXPECT_FALSE(decode_groups(encode_groups(groups)));
  groups[0].after = {7};
  EXPECT_FALSE(decode_groups(encode_groups(groups)));
}

TEST(JobBlob, RefusesAFateThatItDoesNotKnow) {
  std::string bytes =
      encode_groups(one_group(), {.deadline = 10min, .past_deadline = sched::PastDeadline::cancel});
  const std::size_t place = bytes.find("frames") - 1;
  const std::size_t fate = bytes.rfind('\x01', place);
  ASSERT_NE(fate, std::string::npos);
  bytes[fate] = 9;
  EXPECT_FALSE(decode_groups(bytes));
}

TEST(JobBlob, RefusesANameThatNoClassCanHave) {
  EXPECT_FALSE(decode_groups(encode_groups(one_group(), {.service_class = "Web!"})));
}

// Version 1 ended with the time limit; 2 is still written where there is no class.
TEST(JobBlob, ReadsWhatOlderVersionsWrote) {
  std::string bytes = encode_groups(one_group());
  ASSERT_EQ(bytes[0], 2);
  bytes[0] = 1;
  bytes.resize(bytes.size() - 8);
  const auto back = decode_groups(bytes);
  ASSERT_TRUE(back) << back.error().text;
  auto expected = one_group();
  expected[0].duration = sched::Duration{0};
  EXPECT_EQ(back->groups, expected);
}

TEST(JobBlob, KeepsWhatUsersDidNotSay) {
  auto groups = one_group();
  groups[0].memory_unsaid = true;
  const std::string bytes = encode_groups(groups);
  EXPECT_EQ(bytes[0], 16);
  EXPECT_EQ(decode_groups(bytes)->groups, groups);
}

TEST(JobBlob, KeepsWhichTasksCannotBeAttemptedAgain) {
  auto groups = one_group();
  groups[0].once = true;
  EXPECT_EQ(decode_groups(encode_groups(groups))->groups, groups);
}

TEST(JobBlob, RefusesWhatNewerVersionsWrote) {
  std::string bytes = encode_groups(one_group());
  bytes[0] = 19;
  const auto back = decode_groups(bytes);
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().text, ::testing::HasSubstr("newer Dunlin"));
}

std::vector<sched::TaskGroup> twenty_lines() {
  auto groups = one_group();
  groups[0].count = 20;
  for (int i = 0; i < 20; ++i) groups[0].entries.push_back("line " + std::to_string(i));
  return groups;
}

TEST(JobBlob, RefusesWhatItDidNotWrite) {
  const auto bytes =
      encode_groups(twenty_lines(), {.service_class = "web", .key = {.high = 1, .low = 2}});
  ASSERT_TRUE(decode_groups(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_groups(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_groups(bytes + "x"));
  // Whatever one byte becomes, the outcome is an error, or groups with lines that can be read.
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    const auto blob = decode_groups(damaged);
    if (!blob) continue;
    for (const auto& group : blob->groups) {
      for (std::size_t line = 0; line < group.entries.size(); ++line) (void)group.entries[line];
    }
  }
}

TEST(JobBlob, RefusesLabelsThatNoJobCanHave) {
  EXPECT_EQ(encode_groups(one_group(), {.comment = "x"})[0], 17);
  const sched::Label label{.key = "team", .value = "a"};
  EXPECT_FALSE(decode_groups(encode_groups(one_group(), {.labels = {label, label}})));
  EXPECT_FALSE(decode_groups(encode_groups(one_group(), {.labels = {{.key = "a b"}}})));
  const std::string long_comment(sched::kCommentMax + 1, 'x');
  EXPECT_FALSE(decode_groups(encode_groups(one_group(), {.comment = long_comment})));
}

TEST(JobBlob, RefusesMoreJobsToWaitForThanOneMayHave) {
  JobTerms terms;
  terms.after_jobs.resize(sched::kAfterJobsMax);
  EXPECT_TRUE(decode_groups(encode_groups(one_group(), terms)));
  terms.after_jobs.resize(sched::kAfterJobsMax + 1);
  EXPECT_FALSE(decode_groups(encode_groups(one_group(), terms)));
}

}  // namespace
}  // namespace dunlin::node
