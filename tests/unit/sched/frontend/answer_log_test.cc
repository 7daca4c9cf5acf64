// SPDX-License-Identifier: MIT
#include "sched/frontend/answer_log.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr PeerId kAsker{7};

AnswerLog::Answer answer(std::uint32_t request, Time at = Time{100s}) {
  return {.worker = kAsker, .incarnation = 1, .request = request, .at = at, .tasks = {{0, 1}}};
}
GetTask question(std::uint32_t request, std::uint32_t incarnation = 1) {
  return {.request = request, .incarnation = incarnation};
}

TEST(AnswerLog, FindsTheAnswerToTheSameQuestionAlone) {
  AnswerLog log;
  log.keep(answer(5));
  ASSERT_NE(log.find(kAsker, question(5)), nullptr);
  EXPECT_EQ(log.find(kAsker, question(5))->tasks.size(), 1u);
  EXPECT_EQ(log.find(kAsker, question(6)), nullptr);
  EXPECT_EQ(log.find(kAsker, question(5, 2)), nullptr) << "numbers begin anew with a restart";
  EXPECT_EQ(log.find({8}, question(5)), nullptr);
}

TEST(AnswerLog, ForgetsWhatIsTooOld) {
  AnswerLog log;
  log.keep(answer(1));
  log.keep(answer(2, Time{105s}));
  log.keep(answer(3, Time{110s} + 1ns));
  EXPECT_EQ(log.find(kAsker, question(1)), nullptr);
  EXPECT_NE(log.find(kAsker, question(2)), nullptr);
}

TEST(AnswerLog, IsBounded) {
  AnswerLog log;
  for (std::uint32_t request = 1; request <= 257; ++request) log.keep(answer(request));
  EXPECT_EQ(log.find(kAsker, question(1)), nullptr);
  EXPECT_NE(log.find(kAsker, question(2)), nullptr);
}

}  // namespace
}  // namespace dunlin::sched
