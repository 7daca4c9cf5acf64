// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <set>

#include "sched/directory/directory.h"
#include "tests/support/solo.h"

// Which nodes a directory asks and forgets: it looks only at those of which something is open.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Directory;
using sched::Duration;
using sched::Facts;
using sched::FactsRequest;
using sched::PeerId;
using sched::Time;

class DirectoryAsks : public Solo {
 protected:
  void hear(std::uint64_t id, std::uint32_t sequence, std::uint32_t incarnation = 1) {
    overlay::Descriptor statement{};
    statement.id = PeerId{id};
    statement.address = node(id).address;
    statement.incarnation = incarnation;
    statement.sequence = sequence;
    directory.hear(now, statement);
  }
  void answer(std::uint64_t id, std::uint32_t incarnation = 1) {
    sched::Turn then = turn();
    Facts facts;
    facts.incarnation = incarnation;
    directory.on_message(then, node(id), facts);
  }
  /// The nodes that it asks in that time.
  std::multiset<std::uint64_t> asked_in(Duration time) {
    out.clear();
    for (const Time end = now + time; now < end;) {
      now += 250ms;
      sched::Turn then = turn();
      directory.wake(then);
    }
    std::multiset<std::uint64_t> asked;
    for (const auto& [to, message] : out.sent) {
      if (std::holds_alternative<FactsRequest>(message)) asked.insert(to.id.value);
    }
    return asked;
  }
  std::set<std::uint64_t> known() const {
    std::set<std::uint64_t> ids;
    for (const auto& [id, node] : directory.nodes()) ids.insert(id.value);
    return ids;
  }

  sched::NodeSpec self{.endpoint = node(1), .name = "kestrel"};
  Directory directory{{.size_max = 4, .forget_after = 60s}, self};
};

using Ids = std::multiset<std::uint64_t>;

TEST_F(DirectoryAsks, NoneThatMadeRoomForAnother) {
  for (std::uint64_t id = 2; id < 8; ++id) {
    hear(id, 1);
    now += 1ms;
  }
  EXPECT_EQ(asked_in(1s), (Ids{4, 5, 6, 7}));
}

TEST_F(DirectoryAsks, ForgetsWhatWasNotHeardOfForLong) {
  directory.set_own_facts(now, {}, {});
  hear(2, 1);
  hear(3, 1);
  EXPECT_EQ(asked_in(1s), (Ids{2, 3}));
  answer(2);
  EXPECT_EQ(asked_in(40s).count(2), 0u);
  hear(3, 2);
  answer(3);
  (void)asked_in(19s);
  EXPECT_EQ(known(), (std::set<std::uint64_t>{1, 2, 3}));
  now += 2s;
  hear(3, 3);
  EXPECT_EQ(asked_in(1s), Ids{});
  EXPECT_EQ(known(), (std::set<std::uint64_t>{1, 3}));
}

TEST_F(DirectoryAsks, WhatAnsweredWhenItIsSuspectAndWhenItBeganAnew) {
  hear(2, 1);
  EXPECT_EQ(asked_in(1s), Ids{2});
  answer(2);
  hear(2, 2);
  EXPECT_EQ(asked_in(10s), Ids{});
  sched::Turn then = turn();
  out.clear();
  directory.suspect(then, PeerId{2});
  EXPECT_EQ(out.all<FactsRequest>().size(), 1u);
  answer(2);
  EXPECT_EQ(asked_in(10s), Ids{});
  hear(2, 1, 2);
  EXPECT_EQ(asked_in(1s), Ids{2});
  answer(2, 2);
  directory.on_down(now, PeerId{2}, false);
  EXPECT_EQ(asked_in(5s), Ids{});
  EXPECT_EQ(known(), (std::set<std::uint64_t>{2})) << "people look for such nodes";
}

}  // namespace
}  // namespace dunlin::test
