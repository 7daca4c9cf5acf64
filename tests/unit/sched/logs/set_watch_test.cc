// SPDX-License-Identifier: MIT
#include "sched/logs/set_watch.h"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "sched/directory/directory.h"
#include "tests/support/solo.h"

// What a copy outside of a log's set finds of those that are in it.
namespace dunlin::sched::logs {
namespace {

using namespace std::chrono_literals;

class SetWatchTest : public test::Solo {
 protected:
  static Endpoint place(std::uint64_t id) {
    return {PeerId{id}, Address::v4(static_cast<std::uint32_t>(id), 7700)};
  }
  /// A node is heard of, with a disk of that name; 0: it says none.
  void add(const Endpoint& node,
      std::uint64_t disk,
      const std::string& name,
      std::uint64_t machine,
      std::uint32_t incarnation = 1) {
    overlay::Descriptor statement{};
    statement.id = node.id;
    statement.address = node.address;
    statement.incarnation = incarnation;
    statement.sequence = 1;
    directory.hear(now, statement);
    Facts facts;
    facts.incarnation = incarnation;
    facts.name = name;
    facts.replica = disk;
    facts.machine = machine;
    Turn then = turn();
    directory.on_message(then, node, facts);
  }
  /// Looks each second for so long, as a copy does.
  std::optional<OrphanCause> after(Duration length) {
    for (const Time end = now + length; now < end; now += 1s) watch.look(now, &directory, set);
    watch.look(now, &directory, set);
    return watch.verdict(now, set);
  }

  Directory directory{{.size_max = 100}, {.endpoint = {PeerId{1}, Address::v4(1, 7700)}}};
  replica::Set set{{{1002}, place(2)}, {{1003}, place(3)}};
  SetWatch watch{now};
};

TEST_F(SetWatchTest, OneThatIsThereWithItsDiskIsEnough) {
  add(place(2), 2002, "n2", 2);
  add(place(3), 1003, "n3", 3);
  EXPECT_EQ(after(10min), std::nullopt);
}

TEST_F(SetWatchTest, ADiskIsLostIfItsNodeHasAnother) {
  add(place(2), 2002, "n2", 2);
  add(place(3), 2003, "n3", 3);
  EXPECT_EQ(after(10s), std::nullopt) << "the books may name another set in a moment";
  EXPECT_EQ(after(15s), OrphanCause::lost);
  set = {{{1002}, place(2)}, {{2003}, place(3)}};
  EXPECT_EQ(after(1s), std::nullopt) << "the set has another copy by now";
}

TEST_F(SetWatchTest, ANodeThatDoesNotSayWhichDiskItHasMayHaveAny) {
  add(place(2), 0, "n2", 2);
  add(place(3), 2003, "n3", 3);
  EXPECT_EQ(after(10min), std::nullopt);
}

TEST_F(SetWatchTest, NodesThatAreDownAreAwayAfterMinutes) {
  add(place(2), 1002, "n2", 2);
  add(place(3), 2003, "n3", 3);
  directory.on_down(now, PeerId{2}, false);
  EXPECT_EQ(after(100s), std::nullopt);
  EXPECT_EQ(after(30s), OrphanCause::away);
}

// The identity went with the disk: the node is another one to all others.
TEST_F(SetWatchTest, ANodeThatBeganAnewAtTheSamePlaceHasNothing) {
  add(place(2), 1002, "n2", 2);
  add(place(3), 2003, "n3", 3);
  directory.on_down(now, PeerId{2}, false);
  add({PeerId{9}, place(2).address}, 1009, "other", 0);
  EXPECT_EQ(after(25s), OrphanCause::lost);
}

TEST_F(SetWatchTest, ANodeThatBeganAnewUnderTheSameNameHasNothing) {
  add(place(2), 1002, "n2", 2);
  add(place(3), 2003, "n3", 3);
  directory.on_down(now, PeerId{2}, false);
  add(place(8), 1008, "n2", 7);
  EXPECT_EQ(after(25s), std::nullopt) << "on another machine it may be any";
  add(place(9), 1009, "n2", 2);
  EXPECT_EQ(after(25s), OrphanCause::lost);
}

TEST_F(SetWatchTest, AHomeThatIsHeardAgainIsThere) {
  add(place(2), 2002, "n2", 2);
  add(place(3), 2003, "n3", 3);
  EXPECT_EQ(after(25s), OrphanCause::lost);
  watch.hear(now);
  EXPECT_EQ(after(10s), std::nullopt);
}

// A directory has room for some thousand nodes, and a node that has just begun knows none.
TEST_F(SetWatchTest, NodesOfWhichNothingIsKnownAreAsked) {
  const std::vector<Endpoint> both{place(2), place(3)};
  EXPECT_EQ(watch.look(now, nullptr, set), both);
  now += 1s;
  add(place(3), 2003, "n3", 3);
  EXPECT_EQ(watch.look(now, &directory, set), std::vector<Endpoint>{place(2)});
  EXPECT_EQ(after(100s), std::nullopt);
  watch.on_word(now, PeerId{2});
  EXPECT_EQ(after(100s), std::nullopt) << "it is there";
  watch.on_word(now, PeerId{3});
  EXPECT_EQ(after(30s), OrphanCause::away) << "books that it keeps spoke for that one";
  EXPECT_EQ(watch.verdict(now, {}), std::nullopt) << "no set was heard of";
}

}  // namespace
}  // namespace dunlin::sched::logs
