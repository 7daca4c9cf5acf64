// SPDX-License-Identifier: MIT
#include "sched/witness.h"

#include <gtest/gtest.h>

#include "tests/support/solo.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class WitnessTest : public test::Solo {
 protected:
  static constexpr PeerId kSelf{1};

  void ask_about(std::uint64_t id, std::uint64_t request = 5, std::uint64_t asker = 99) {
    Turn then = turn();
    witness.inquire(then, kSelf, node(asker),
        {.request = request, .node = node(id).id, .address = node(id).address});
  }
  void run(Duration span) {
    const Time until = now + span;
    while (now < until) {
      now += 100ms;
      Turn then = turn();
      if (witness.deadline() <= now) witness.wake(then);
    }
  }
  void answer(std::uint64_t id, std::uint64_t question) {
    Facts facts;
    facts.request = question;
    Turn then = turn();
    witness.on_facts(then, node(id), facts);
  }

  Witness witness;
};

TEST_F(WitnessTest, ANodeThatAnswersIsThere) {
  ask_about(7);
  const auto question = out.only<FactsRequest>().request;
  EXPECT_EQ(out.sent.back().first, node(7));
  out.clear();
  answer(7, question + 1);
  answer(8, question);
  EXPECT_EQ(out.all<Testimony>().size(), 0u) << "not to this question, or of another node";
  answer(7, question);
  EXPECT_EQ(out.only<Testimony>(), (Testimony{.request = 5, .node = {7}, .silent = false}));
  EXPECT_EQ(out.sent.back().first, node(99));
  EXPECT_EQ(witness.deadline(), kNever);
}

TEST_F(WitnessTest, ANodeIsSilentAfterThreeQuestions) {
  ask_about(7);
  run(2900ms);
  EXPECT_EQ(out.all<FactsRequest>().size(), 3u);
  EXPECT_EQ(out.all<Testimony>().size(), 0u);
  run(200ms);
  EXPECT_EQ(out.only<Testimony>(), (Testimony{.request = 5, .node = {7}, .silent = true}));
  EXPECT_EQ(witness.deadline(), kNever);
}

TEST_F(WitnessTest, TheFirstQuestionMayBeAnsweredLate) {
  ask_about(7);
  const auto question = out.only<FactsRequest>().request;
  run(2500ms);
  answer(7, question);
  EXPECT_FALSE(out.only<Testimony>().silent);
}

TEST_F(WitnessTest, ItIsThereItself) {
  ask_about(1);
  EXPECT_FALSE(out.only<Testimony>().silent);
}

TEST_F(WitnessTest, AFloodOfInquiriesIsBounded) {
  for (std::uint64_t request = 0; request < 1000; ++request) ask_about(7, request);
  ask_about(7, 0);
  EXPECT_EQ(out.all<FactsRequest>().size(), Witness::kInquiriesMax);
}

}  // namespace
}  // namespace dunlin::sched
