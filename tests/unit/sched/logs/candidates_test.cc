// SPDX-License-Identifier: MIT
#include "sched/logs/candidates.h"

#include <gtest/gtest.h>
#include <set>

#include "tests/support/solo.h"

// Which nodes a home asks to be standbys.
namespace dunlin::sched::logs {
namespace {

using namespace std::chrono_literals;

class Candidates : public test::Solo {
 protected:
  static Facts facts_of(std::uint64_t id) {
    Facts facts;
    facts.incarnation = 1;
    facts.total = facts.free = {.cpu = 4000, .memory = 8000, .custom = {}};
    facts.replica = 1000 + id;
    facts.machine = id;
    return facts;
  }
  void add(std::uint64_t id, const Facts& facts) {
    overlay::Descriptor statement{};
    statement.id = PeerId{id};
    statement.address = Address::v4(static_cast<std::uint32_t>(id), 7700);
    statement.incarnation = facts.incarnation;
    statement.sequence = 1;
    directory.hear(now, statement);
    Turn then = turn();
    directory.on_message(then, {PeerId{id}, statement.address}, facts);
  }
  std::vector<std::uint64_t> chosen(std::uint64_t log = 77, std::size_t max = 8) const {
    std::vector<std::uint64_t> ids;
    for (const auto& member : candidates(directory, self, log, now, max)) {
      ids.push_back(member.node.id.value);
    }
    return ids;
  }

  NodeSpec self{.endpoint = {PeerId{1}, Address::v4(1, 7700)}, .machine = 1};
  Directory directory{{.size_max = 100}, self};
};

TEST_F(Candidates, AreThereAndWellAndOnOtherMachines) {
  for (const std::uint64_t id : {2u, 3u, 4u, 5u, 6u, 7u}) {
    Facts facts = facts_of(id);
    if (id == 3) facts.draining = true;
    if (id == 4) facts.trouble = "its records cannot be stored";
    if (id == 5) facts.replica = 0;
    if (id == 6) facts.machine = 1;
    add(id, facts);
  }
  std::set<std::uint64_t> all;
  for (const std::uint64_t id : chosen()) all.insert(id);
  EXPECT_EQ(all, (std::set<std::uint64_t>{2, 7}));
}

TEST_F(Candidates, AreOfTheUpperHalfOfThoseThatStayAndAreLarge) {
  // Nodes 20 to 39 are the youngest, and 40 to 59 run for as long as the others and are small.
  for (std::uint64_t id = 2; id < 60; ++id) {
    Facts facts = facts_of(id);
    facts.incarnation = id >= 20 && id < 40 ? 500'000 : 1;
    if (id >= 40) facts.total.cpu = 1000;
    add(id, facts);
  }
  std::set<std::uint64_t> ever;
  for (std::uint64_t log = 1; log < 200; ++log) {
    for (const std::uint64_t id : chosen(log)) ever.insert(id);
  }
  for (std::uint64_t id = 2; id < 20; ++id) EXPECT_TRUE(ever.contains(id)) << id;
  for (std::uint64_t id = 20; id < 40; ++id) EXPECT_FALSE(ever.contains(id)) << id;
  EXPECT_NE(chosen(5), chosen(6)) << "no node is the first choice of all";
  EXPECT_EQ(chosen(5), chosen(5));
}

// Where there are few nodes all are good enough.
TEST_F(Candidates, AreAsManyAsMayBeNeeded) {
  for (std::uint64_t id = 2; id < 8; ++id) add(id, facts_of(id));
  EXPECT_EQ(chosen().size(), 6u);
  EXPECT_EQ(chosen(77, 4).size(), 4u);
}

}  // namespace
}  // namespace dunlin::sched::logs
