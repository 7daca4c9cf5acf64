// SPDX-License-Identifier: MIT
#include "node/task/ending.h"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>

#include "sched/task.h"

namespace dunlin::node {
namespace {

using sched::Cause;
using warden::Ending;

TEST(Ending, WhatIsWrongWithOurOwnPlacesIsTheNodesFault) {
  for (const std::int32_t error : {ENOENT, EROFS, EACCES, ENOSPC, EMFILE}) {
    EXPECT_EQ(cause_of(Ending::not_started, error, false), Cause::start) << error;
    EXPECT_EQ(cause_of(Ending::not_started, error, true), Cause::start) << error;
    EXPECT_EQ(cause_of(Ending::no_directory, error, false), Cause::start) << error;
  }
}

TEST(Ending, WhatIsWrongWithANamedPlaceIsTheTasksFaultUnlessItIsBroken) {
  for (const std::int32_t error : {ENOENT, ENOTDIR, EACCES, EROFS}) {
    EXPECT_EQ(cause_of(Ending::no_directory, error, true), Cause::task) << error;
    EXPECT_EQ(cause_of(Ending::no_output, error, false), Cause::task) << error;
  }
  for (const std::int32_t error : {EIO, ESTALE, ENOTCONN, ENOSPC, ENOMEM}) {
    EXPECT_EQ(cause_of(Ending::no_directory, error, true), Cause::start) << error;
    EXPECT_EQ(cause_of(Ending::no_output, error, false), Cause::start) << error;
  }
}

TEST(Ending, AProgramThatIsNotThereIsTheTasksFault) {
  EXPECT_EQ(cause_of(Ending::not_found, ENOENT, false), Cause::task);
  EXPECT_EQ(cause_of(Ending::not_executable, EACCES, false), Cause::task);
  EXPECT_EQ(cause_of(Ending::exited, 1, false), Cause::task);
}

TEST(Ending, ReportsSayWhoseFaultItWas) {
  EXPECT_TRUE(sched::is_node_fault(not_started(EROFS, "no room")));
  EXPECT_EQ(not_started(EROFS, "no room").status, EROFS);
  EXPECT_EQ(interrupted("it died").cause, Cause::lost);
  EXPECT_FALSE(sched::is_node_fault(wrong_task("a placeholder")));
  EXPECT_EQ(not_started(0, std::string(1000, 'x')).detail.size(), sched::Report::kDetailMax);
}

TEST(Ending, WhatTheWardenCouldNotWriteIsKnownByItsErrno) {
  const auto of = [](int error) {
    return unwritten_errno({.detail = std::string(warden::kUnwritten) + std::strerror(error)});
  };
  for (const int error : {ENOSPC, EDQUOT, EROFS, EIO}) EXPECT_EQ(of(error), error);
  EXPECT_EQ(of(EBADF), EIO);
  EXPECT_EQ(unwritten_errno({.detail = "2 of its processes were killed for want of memory"}), 0);
  EXPECT_EQ(unwritten_errno({}), 0);
}

TEST(Ending, ATrialBelongsToNoJob) {
  EXPECT_TRUE(is_trial(trial_launch(1).task.job));
  EXPECT_FALSE(is_trial({.home = {7}, .number = 1}));
  EXPECT_EQ(failure_of_trial({}), "");
  EXPECT_EQ(failure_of_trial(not_started(0, "no warden")), "no warden");
  EXPECT_EQ(failure_of_trial({.status = 3}), "a trial of `true` ended with status 3");
}

}  // namespace
}  // namespace dunlin::node
