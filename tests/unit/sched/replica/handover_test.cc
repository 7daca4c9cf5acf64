// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <optional>
#include <set>

#include "sched/replica/copy.h"
#include "sched/replica/job_copies.h"
#include "sched/replica/record_writer.h"
#include "tests/support/builders.h"

// How a home hands its log over, and how standbys leave a set that do not stay.
namespace dunlin::sched::replica {
namespace {

using namespace std::chrono_literals;

class Heard final : public Port, public CopyStore {
 public:
  void send(const Endpoint& to, const Message& message) override {
    messages.push_back(message);
    receivers.insert(to.id);
  }
  void propose(const Command& command) override { commands.push_back(command); }
  void put_batch(std::uint64_t, const Batch&) override {}
  void truncate(std::uint64_t) override {}
  void put_office(const HomeRecord&) override {}
  void put_entry(const Entry&) override {}

  std::optional<Append> last_append() const {
    std::optional<Append> last;
    for (const Message& message : messages) {
      if (const auto* append = std::get_if<Append>(&message)) last = *append;
    }
    return last;
  }
  std::vector<Message> messages;
  std::set<PeerId> receivers;
  std::vector<Command> commands;
};

Member node_of(std::uint64_t node) {
  return {{1000 + node}, {PeerId{node}, {}}};
}

constexpr Stamp kStamp{1, 1};

/// Node 1 is the home; nodes 2 and 3 are in sync, and node 4 could be.
class Leaving : public ::testing::Test {
 protected:
  Leaving() {
    home.on_durable(home.log().end());
    home.set_candidates({node_of(4)});
    answer_all();
  }
  void answer(std::uint64_t node, bool leaves = false, bool trouble = false) {
    home.on_message(now, out,
        Appended{kStamp, node_of(node).replica, trouble ? 0 : home.log().end(), leaves, trouble});
  }
  void answer_all() {
    home.wake(now, out);
    for (const std::uint64_t node : {2u, 3u}) answer(node);
  }
  void wake(Duration later = 500ms) {
    now += later;
    home.wake(now, out);
    home.on_office_durable(home.office_changes());
  }
  /// The set that the home wants; empty if it wants none.
  Set wanted() const {
    return home.office().intents.empty() ? Set{} : home.office().intents[0].set;
  }

  Heard out;
  Time now{1h};
  Home home{{.standbys = 2}, node_of(1), kStamp,
      {.epoch = 1, .version = 1, .set = {node_of(1), node_of(2), node_of(3)}, .intents = {}}, {}};
};

TEST_F(Leaving, AStandbyThatLeavesStaysUntilAnotherIsInSync) {
  answer(2, true);
  wake();
  EXPECT_EQ(wanted(), Set{}) << "node 4 may be in sync soon";
  wake();
  answer(4);
  wake();
  EXPECT_EQ(wanted(), (Set{node_of(1), node_of(3), node_of(4)}));
}

TEST_F(Leaving, IfNoneCanTakeItsPlaceItGoes) {
  home.set_candidates({});
  answer(2, true);
  answer(3);
  wake();
  EXPECT_EQ(wanted(), (Set{node_of(1), node_of(3)}));
}

TEST_F(Leaving, ThoseThatAreRequiredStay) {
  home.want(2, 2);
  home.set_candidates({});
  answer(2, true);
  wake();
  EXPECT_EQ(wanted(), Set{}) << "words would wait for ever";
}

TEST_F(Leaving, AStandbyInTroubleGoesAtOnce) {
  answer(2, false, true);
  wake();
  EXPECT_EQ(wanted(), (Set{node_of(1), node_of(3)}));
}

TEST_F(Leaving, ANodeThatRefusesIsNotAskedAgainSoon) {
  answer(2, true);
  wake();
  answer(4, false, true);
  out.receivers.clear();
  for (int i = 0; i < 20; ++i) {
    wake();
    for (const std::uint64_t node : {2u, 3u}) answer(node, node == 2);
  }
  EXPECT_EQ(out.receivers, (std::set<PeerId>{PeerId{2}, PeerId{3}}));
}

TEST_F(Leaving, TheStandbyThatIsAskedHasAll) {
  ASSERT_TRUE(home.has_successor(now));
  home.append(now, out, "last words");
  out.messages.clear();
  home.begin_handover(now, out);
  ASSERT_TRUE(out.last_append());
  EXPECT_TRUE(out.last_append()->hands_over);
  EXPECT_TRUE(home.is_handing_over());
  home.end_handover();
  out.messages.clear();
  wake(600ms);
  ASSERT_TRUE(out.last_append());
  EXPECT_FALSE(out.last_append()->hands_over);
  for (const std::uint64_t node : {2u, 3u}) answer(node, true);
  EXPECT_FALSE(home.has_successor(now)) << "those that leave are none";
}

TEST_F(Leaving, AnIdleHomeSaysLittle) {
  home.want(2, 0, true);
  wake();
  answer_all();
  int said = 0;
  for (int i = 0; i < 100; ++i) {
    out.messages.clear();
    wake(100ms);
    for (const Message& message : out.messages) {
      if (std::holds_alternative<Append>(message)) ++said;
    }
    for (const std::uint64_t node : {2u, 3u}) answer(node);
  }
  EXPECT_GE(said, 2);
  EXPECT_LE(said, 6) << "in ten seconds, to two standbys";
}

// It would be missed for a heartbeat that was lost, or a standby would be.
TEST_F(Leaving, WhatIsNotAnsweredIsSaidAgainSoon) {
  home.want(2, 0, true);
  wake();
  answer_all();
  wake(5s);
  out.messages.clear();
  wake(600ms);
  EXPECT_TRUE(out.last_append());
  wake(1s);
  home.on_entry(now, {.epoch = 1, .version = 1, .home = node_of(1), .set = home.office().set});
  EXPECT_EQ(wanted(), Set{}) << "they were silent for less than patience";
  wake(2s);
  EXPECT_EQ(wanted(), Set{node_of(1)});
}

/// Node 2, a standby in sync.
class Chosen : public ::testing::Test {
 protected:
  Chosen() {
    receive(
        HomeIs{{.epoch = 1, .version = 2, .home = node_of(1), .set = {node_of(1), node_of(2)}}});
  }
  void receive(const Message& message) { copy.on_message(turn(), node_of(1).node, message); }
  CopyTurn turn() { return {now, out, out}; }
  const TakeOver* claim() const {
    return out.commands.empty() ? nullptr : &std::get<TakeOver>(out.commands.back());
  }

  Heard out;
  Time now{1h};
  Copy copy{{}, node_of(2), 5, {}, turn()};
};

TEST_F(Chosen, ItClaimsAtOnceIfItHasAll) {
  receive(Append{kStamp, {kStamp, 7}, {}, false, true});
  EXPECT_EQ(claim(), nullptr) << "it is behind";
  receive(Append{kStamp, {}, {{kStamp, ""}}, false, true});
  ASSERT_NE(claim(), nullptr);
  EXPECT_TRUE(claim()->handed_over);
  EXPECT_EQ(claim()->epoch, 1u);
  out.commands.clear();
  now += 500ms;
  copy.wake(turn());
  EXPECT_NE(claim(), nullptr) << "the answer may be lost";
}

TEST_F(Chosen, AHomeMayThinkBetterOfIt) {
  receive(Append{kStamp, {}, {{kStamp, ""}}, false, true});
  receive(Append{kStamp, {kStamp, 1}, {}});
  out.commands.clear();
  now += 1s;
  copy.wake(turn());
  EXPECT_EQ(claim(), nullptr);
}

TEST_F(Chosen, AnotherHomeAskedForNothing) {
  receive(Append{kStamp, {}, {{kStamp, ""}}, false, true});
  receive(HomeIs{
      {.epoch = 2, .version = 3, .home = node_of(3), .set = {node_of(1), node_of(2), node_of(3)}}});
  out.commands.clear();
  now += 1s;
  copy.wake(turn());
  EXPECT_EQ(claim(), nullptr);
}

TEST_F(Chosen, AHomeThatHasNothingToDoMayBeSilentForLonger) {
  receive(Append{kStamp, {}, {{kStamp, ""}}, true});
  now += 8s;
  copy.wake(turn());
  EXPECT_EQ(claim(), nullptr);
  now += 2s;
  copy.wake(turn());
  ASSERT_NE(claim(), nullptr);
  EXPECT_FALSE(claim()->handed_over);
}

/// What the last records of a home say of its bound tasks.
class HandedTasks : public ::testing::Test {
 protected:
  HandedTasks() {
    job.id = {PeerId{1}, 3, 77};
    records.put_job(job);
  }
  void apply() {
    for (const std::string& batch : records.take()) ASSERT_TRUE(copies.apply(batch));
  }
  Job job = test::job(4, test::lasting(1s));
  std::vector<HandedTask> bindings = {
      {job.id, {2, 70'000}, {.worker = {PeerId{9}, {}}, .incarnation = 5, .away = 2s}}};
  RecordWriter records;
  JobCopies copies;
};

TEST_F(HandedTasks, AreThoseBeforeAHandover) {
  apply();
  EXPECT_EQ(copies.handed(), nullptr);
  records.put_bindings(job.id, bindings);
  apply();
  EXPECT_EQ(copies.handed(), nullptr) << "there may be more";
  records.hand_over(true);
  apply();
  ASSERT_NE(copies.handed(), nullptr);
  ASSERT_EQ(copies.handed()->size(), 1u);
  const HandedTask& task = copies.handed()->front();
  EXPECT_EQ(task.job, job.id);
  EXPECT_EQ(task.running, (Attempt{2, 70'000}));
  EXPECT_EQ(task.holder.worker.id, PeerId{9});
  EXPECT_EQ(task.holder.incarnation, 5u);
  EXPECT_EQ(task.holder.away, 2s);
}

TEST_F(HandedTasks, CountNoMoreOnceTheHomeGoesOn) {
  records.put_bindings(job.id, bindings);
  records.hand_over(true);
  records.hand_over(false);
  apply();
  EXPECT_EQ(copies.handed(), nullptr);
  records.put_bindings(job.id, bindings);
  records.hand_over(true);
  records.put_progress(job.id, {.restarts = 1});
  apply();
  EXPECT_EQ(copies.handed(), nullptr) << "the home did something after it";
  records.hand_over(true);
  apply();
  ASSERT_NE(copies.handed(), nullptr);
  EXPECT_TRUE(copies.handed()->empty());
}

TEST_F(HandedTasks, OfNoTaskOfTheJobAreRefused) {
  bindings.push_back(bindings.front());
  bindings.back().running.index = 7;
  records.put_bindings(job.id, bindings);
  for (const std::string& batch : records.take()) EXPECT_FALSE(copies.apply(batch));
}

}  // namespace
}  // namespace dunlin::sched::replica
