// SPDX-License-Identifier: MIT
#include "node/store/jobs/changes_blob.h"

#include <chrono>
#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using sched::JobProgress;
using sched::NewTerms;
using sched::OptionalDuration;

TEST(ChangesBlob, ReadsWhatItWrote) {
  for (const JobProgress& progress :
      {JobProgress{}, JobProgress{.held = true}, JobProgress{.terms = {.priority = 0}},
          JobProgress{.terms = {.deadline = OptionalDuration(90s)}},
          JobProgress{.held = true, .terms = {100, OptionalDuration()}}}) {
    JobProgress back{.restarts = 7};
    ASSERT_TRUE(decode_changes(encode_changes(progress), back));
    EXPECT_EQ(back.restarts, 7u) << "it has a column of its own";
    back.restarts = 0;
    EXPECT_EQ(back, progress);
  }
  EXPECT_EQ(encode_changes({.restarts = 3, .cancelled = true}), "");
}

TEST(ChangesBlob, RefusesWhatItDidNotWrite) {
  const std::string good = encode_changes({.held = true, .terms = {.priority = 5}});
  JobProgress back;
  for (std::size_t size = 1; size < good.size(); ++size) {
    EXPECT_FALSE(decode_changes(good.substr(0, size), back)) << size;
  }
  EXPECT_FALSE(decode_changes(good + "x", back));
  std::string newer = good;
  newer[0] = 99;
  EXPECT_EQ(decode_changes(newer, back).error().text, "it was changed by a newer Dunlin");
  std::string wrong = good;
  wrong[3] = 101;
  EXPECT_FALSE(decode_changes(wrong, back)) << "a priority that no user can ask for";
}

TEST(ChangesBlob, KeepsWhatBecameOfOtherJobsAndOfTheCommandForItsEnd) {
  const sched::JobProgress progress{.held = true,
      .after_met = 5,
      .after_missed = 2,
      .end_command = {.run = sched::EndRun::ended,
          .outcome = sched::Outcome::signalled,
          .status = 9,
          .detail = "no such file"}};
  sched::JobProgress back;
  ASSERT_TRUE(decode_changes(encode_changes(progress), back));
  EXPECT_EQ(back, progress);
}

TEST(ChangesBlob, IsWrittenForAnOlderDunlinWhereItHoldsAll) {
  EXPECT_EQ(encode_changes({.held = true})[0], 1);
  EXPECT_EQ(encode_changes({.after_met = 1})[0], 2);
}

TEST(ChangesBlob, RefusesAnEndThatItDoesNotKnow) {
  std::string bytes = encode_changes({.end_command = {.run = sched::EndRun::started}});
  // Before outcome, status and no detail.
  const std::size_t place = bytes.size() - 1 - sizeof(sched::Outcome) - 4 - 4;
  ASSERT_EQ(bytes[place], 1);
  bytes[place] = 3;
  sched::JobProgress back;
  EXPECT_FALSE(decode_changes(bytes, back));
}

}  // namespace
}  // namespace dunlin::node
