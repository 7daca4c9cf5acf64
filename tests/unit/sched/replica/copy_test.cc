// SPDX-License-Identifier: MIT
#include "sched/replica/copy.h"

#include <gtest/gtest.h>
#include <vector>

// The part that a node plays in one log, step by step. The swarm of replicas has what must hold
// whatever happens to the nodes.
namespace dunlin::sched::replica {
namespace {

using namespace std::chrono_literals;

Member member(std::uint64_t node) {
  return {{1000 + node}, {PeerId{node}, {}}};
}
Entry entry(std::uint32_t epoch, std::uint64_t version, std::uint64_t home) {
  return {.epoch = epoch, .version = version, .home = member(home), .set = {member(1), member(2)}};
}

/// One node: its disk, and what it sends.
class CopyTest : public ::testing::Test, protected Port, protected CopyStore {
 protected:
  CopyTurn turn() { return {now, *this, *this}; }
  void start(std::uint64_t node, Entry known, HomeRecord office = {}) {
    disk.entry = std::move(known);
    disk.office = std::move(office);
    copy.emplace(CopyParams{}, member(node), 7, disk, turn());
  }
  void start_home() {
    start(1, entry(1, 1, 1), {.epoch = 1, .version = 1, .set = {member(1), member(2)}});
  }
  void receive(std::uint64_t from, const Message& message) {
    copy->on_message(turn(), member(from).node, message);
  }
  void is_durable() { copy->on_durable(turn(), copy->changes()); }
  template <typename Kind>
  std::vector<Kind> told() {
    std::vector<Kind> found;
    for (const Message& message : sent) {
      if (const auto* kind = std::get_if<Kind>(&message)) found.push_back(*kind);
    }
    return found;
  }
  std::size_t claims() const {
    return static_cast<std::size_t>(std::ranges::count_if(proposed,
        [](const Command& command) { return std::holds_alternative<TakeOver>(command); }));
  }

  void send(const Endpoint&, const Message& message) override { sent.push_back(message); }
  void propose(const Command& command) override { proposed.push_back(command); }
  void put_batch(std::uint64_t position, const Batch& batch) override {
    ASSERT_EQ(position, disk.log.end() + 1);
    disk.log.append(batch);
  }
  void truncate(std::uint64_t position) override { disk.log.truncate(position); }
  void put_office(const HomeRecord& office) override { disk.office = office; }
  void put_entry(const Entry& known) override { disk.entry = known; }

  Time now{1h};
  CopyRecord disk;
  std::optional<Copy> copy;
  std::vector<Message> sent;
  std::vector<Command> proposed;
};

TEST_F(CopyTest, AHomeGoesOnInItsOfficeWithABatchOfItsOwn) {
  start_home();
  ASSERT_NE(copy->home(), nullptr);
  EXPECT_EQ(copy->home()->stamp(), (Stamp{1, 7}));
  EXPECT_EQ(disk.log.end(), 1u) << "its standbys know by it which home is the latest";
  EXPECT_EQ(copy->append(turn(), "job"), 2u);
  EXPECT_EQ(disk.log.at(2).records, "job");
  is_durable();
  EXPECT_EQ(copy->home()->gate(), 0u) << "the standby has nothing yet";
  copy->wake(turn());
  receive(2, Appended{{1, 7}, member(2).replica, 2});
  EXPECT_EQ(copy->home()->gate(), 2u);
}

TEST_F(CopyTest, WhatIsNotOnTheDiskIsNotPromised) {
  start_home();
  copy->wake(turn());
  const std::uint64_t first = copy->changes();
  copy->append(turn(), "job");
  receive(2, Appended{{1, 7}, member(2).replica, 2});
  EXPECT_EQ(copy->home()->gate(), 0u);
  copy->on_durable(turn(), first);
  EXPECT_EQ(copy->home()->gate(), 1u);
  is_durable();
  EXPECT_EQ(copy->home()->gate(), 2u);
}

TEST_F(CopyTest, AStandbyAcknowledgesWhatItsDiskHas) {
  start(2, entry(1, 1, 1));
  receive(1, Append{{1, 7}, {}, {{{1, 7}, ""}, {{1, 7}, "job"}}});
  EXPECT_TRUE(told<Appended>().empty());
  is_durable();
  ASSERT_EQ(told<Appended>().size(), 1u);
  EXPECT_EQ(told<Appended>().front().position, 2u);
}

// The disk has other batches there than the log by now: an old commit says nothing of them.
TEST_F(CopyTest, ACommitOfBatchesThatWereReplacedCountsForNothing) {
  start(2, entry(1, 1, 1));
  receive(1, Append{{1, 7}, {}, {{{1, 7}, ""}, {{1, 7}, "old"}}});
  const std::uint64_t old = copy->changes();
  receive(1, Append{{1, 8}, {{1, 7}, 1}, {{{1, 8}, ""}}});
  EXPECT_EQ(disk.log.end(), 2u);
  EXPECT_EQ(disk.log.at(2).stamp, (Stamp{1, 8}));
  copy->on_durable(turn(), old);
  EXPECT_TRUE(told<Appended>().empty());
  is_durable();
  ASSERT_EQ(told<Appended>().size(), 1u);
  EXPECT_EQ(told<Appended>().front().stamp, (Stamp{1, 8}));
}

TEST_F(CopyTest, AStandbyClaimsWhenTheHomeIsSilent) {
  start(2, entry(1, 1, 1));
  now += 3900ms;
  copy->wake(turn());
  EXPECT_EQ(claims(), 0u);
  receive(1, Append{{1, 7}, {}, {}});
  now += 3900ms;
  copy->wake(turn());
  EXPECT_EQ(claims(), 0u) << "it was heard";
  now += 200ms;
  copy->wake(turn());
  copy->wake(turn());
  EXPECT_EQ(claims(), 1u);
  now += 600ms;
  copy->wake(turn());
  EXPECT_EQ(claims(), 2u) << "until it has an answer";
}

// The first word that it hears tells which patience is due.
TEST_F(CopyTest, AStandbyThatRestartsIsAsPatientAsBesideAnIdleHome) {
  start(2, entry(1, 1, 1));
  receive(1, Append{.stamp = {1, 7}, .before = {}, .batches = {{{1, 7}, ""}}, .idle = true});
  is_durable();
  start(2, disk.entry);
  const CopyParams params;
  now += params.home_lease + params.home.idle_heartbeat - 100ms;
  copy->wake(turn());
  EXPECT_EQ(claims(), 0u);
  now += 200ms;
  copy->wake(turn());
  EXPECT_EQ(claims(), 1u) << "it is silent all the same";
  start(2, disk.entry);
  receive(1, Append{.stamp = {1, 7}, .before = {{1, 7}, 1}, .batches = {}});
  now += params.home_lease + 100ms;
  copy->wake(turn());
  EXPECT_EQ(claims(), 2u) << "the home had something to do";
}

TEST_F(CopyTest, StandbysClaimOneAfterTheOther) {
  Entry known = entry(1, 1, 1);
  known.set = {member(2), member(1), member(3)};
  start(3, known);
  now += CopyParams{}.home_lease;
  copy->wake(turn());
  EXPECT_EQ(claims(), 0u) << "that is the turn of node 2";
  now += CopyParams{}.claim_apart;
  copy->wake(turn());
  EXPECT_EQ(claims(), 1u);
}

TEST_F(CopyTest, OnlyAReplicaInTheSetClaims) {
  start(3, entry(1, 1, 1));
  now += 1h;
  copy->wake(turn());
  EXPECT_EQ(claims(), 0u);
}

TEST_F(CopyTest, TheOneThatTheBooksNameTakesTheOffice) {
  start(2, entry(1, 1, 1));
  receive(1, Append{{1, 7}, {}, {{{1, 7}, "job"}}});
  receive(9, HomeIs{entry(2, 2, 2)});
  ASSERT_NE(copy->home(), nullptr);
  EXPECT_EQ(copy->home()->stamp(), (Stamp{2, 7}));
  EXPECT_EQ(copy->log().at(1).records, "job");
  EXPECT_EQ(disk.office.epoch, 2u);
  EXPECT_EQ(disk.entry, entry(2, 2, 2));
  receive(9, HomeIs{entry(1, 1, 1)});
  EXPECT_NE(copy->home(), nullptr) << "an old word changes nothing";
}

// Words wait for the standby, so the home's own worker is told of it again and again. The books'
// manager answers only if it hears its voters, at whichever node it is.
TEST_F(CopyTest, AHomeThatHearsItsOwnNodeAloneFallsSilent) {
  start_home();
  const auto pass = [&](const HomeIs& is) {
    for (const Time end = now + 10s; now < end; now += 100ms) {
      receive(1, is);
      copy->wake(turn());
      is_durable();
    }
  };
  pass({.entry = entry(1, 1, 1)});
  sent.clear();
  pass({.entry = entry(1, 1, 1)});
  EXPECT_TRUE(told<Append>().empty());
  pass({.entry = entry(1, 1, 1), .of_books = true});
  EXPECT_GT(told<Append>().size(), 10u) << "signs of life, twice a second";
}

TEST_F(CopyTest, ADeposedHomeIsAStandby) {
  start_home();
  copy->append(turn(), "told to nobody");
  receive(9, HomeIs{entry(2, 2, 2)});
  EXPECT_EQ(copy->home(), nullptr);
  receive(2, Append{{2, 4}, {}, {{{2, 4}, ""}}});
  EXPECT_EQ(disk.log.end(), 1u);
  EXPECT_EQ(disk.log.at(1).stamp, (Stamp{2, 4}));
}

TEST_F(CopyTest, AHomeAnswersAnEarlierOneAndGivesWayToALaterOne) {
  start_home();
  receive(2, Append{{0, 9}, {}, {}});
  ASSERT_EQ(told<HomeIs>().size(), 1u);
  EXPECT_EQ(told<HomeIs>().front().entry, entry(1, 1, 1));
  receive(2, Append{{2, 4}, {}, {{{2, 4}, ""}}});
  EXPECT_EQ(copy->home(), nullptr) << "only the books make a home of a later epoch";
}

// The next home spoke before the books did: a later life knows no more than the disk.
TEST_F(CopyTest, AHomeThatGaveWayIsNoneAfterARestart) {
  start_home();
  is_durable();
  receive(2, Append{.stamp = {2, 9}, .before = disk.log.mark(disk.log.end()), .batches = {}});
  ASSERT_EQ(copy->home(), nullptr);
  start(1, disk.entry, disk.office);
  EXPECT_EQ(copy->home(), nullptr);
}

// A late word of its office would give its stamps, and the numbers of its attempts, to other
// things.
TEST_F(CopyTest, AnOfficeIsHeldOnce) {
  start_home();
  copy->append(turn(), "job");
  receive(2, Append{{2, 4}, {}, {{{2, 4}, ""}}});
  ASSERT_EQ(copy->home(), nullptr);
  receive(9, HomeIs{entry(1, 1, 1)});
  EXPECT_EQ(copy->home(), nullptr) << "the home of an epoch that is over, as its log says";
  copy->wake(turn());
  EXPECT_EQ(claims(), 1u) << "the books answer how it stands";
  receive(9, HomeIs{entry(2, 2, 2)});
  receive(9, HomeIs{entry(3, 3, 1)});
  ASSERT_NE(copy->home(), nullptr) << "a new office is another matter";
  EXPECT_EQ(copy->home()->stamp(), (Stamp{3, 7}));
}

// Its disk may have been set back, or the office never reached it.
TEST_F(CopyTest, ANodeThatIsTheHomeWithoutAnOfficeClaimsAnew) {
  start(1, entry(2, 3, 1), {.epoch = 1, .version = 1, .set = {member(1), member(2)}});
  EXPECT_EQ(copy->home(), nullptr);
  copy->wake(turn());
  EXPECT_EQ(claims(), 1u);
}

}  // namespace
}  // namespace dunlin::sched::replica
