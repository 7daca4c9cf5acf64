// SPDX-License-Identifier: MIT
#include "sched/replica/home.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <variant>
#include <vector>

#include "sched/replica/standby.h"

// What the swarm of replicas does not look at: the swarm has what a home must keep.
namespace dunlin::sched::replica {
namespace {

using namespace std::chrono_literals;

class Sent final : public Port {
 public:
  void send(const Endpoint&, const Message& message) override { messages.push_back(message); }
  void propose(const Command& command) override { commands.push_back(command); }
  /// What was sent and asked for since the last call.
  std::size_t take_messages() { return std::exchange(messages, {}).size(); }
  std::vector<Command> take_commands() { return std::exchange(commands, {}); }
  std::vector<Message> messages;
  std::vector<Command> commands;
};

TEST(Home, AStandbyThatIsBehindGetsNoMoreThanAMessageHolds) {
  const Member self{{1001}, {PeerId{1}, {}}};
  const Member other{{1002}, {PeerId{2}, {}}};
  Home home({}, self, {1, 1}, {.epoch = 1, .version = 1, .set = {self, other}, .intents = {}}, {});
  Standby standby(other.replica, {});
  Sent out;
  Time now{1h};
  // More than a message holds alone, and then several that together do.
  home.append(now, out, std::string(400 << 10, 'x'));
  for (int i = 0; i < 3; ++i) home.append(now, out, std::string(100 << 10, 'y'));
  home.on_durable(home.log().end());
  home.wake(now, out);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 50 && home.gate() < home.log().end(); ++i) {
    Sent answers;
    for (const Message& message : std::exchange(out.messages, {})) {
      if (const auto* append = std::get_if<Append>(&message)) {
        std::size_t size = 0;
        for (const Batch& batch : append->batches) size += batch.records.size();
        sizes.push_back(size);
        EXPECT_TRUE(size <= 256 << 10 || append->batches.size() == 1);
        standby.on_message(answers, self.node, *append);
        standby.on_durable(answers, standby.log().end());
      }
    }
    for (const Message& message : answers.messages) {
      if (const auto* appended = std::get_if<Appended>(&message)) {
        home.on_message(now, out, *appended);
      } else {
        home.on_message(now, out, std::get<Behind>(message));
      }
    }
    now += 600ms;
    home.wake(now, out);
  }
  EXPECT_EQ(home.gate(), home.log().end());
  EXPECT_EQ(standby.log().end(), home.log().end());
  EXPECT_GE(sizes.size(), 3u);
}

// What was told to fewer is there yet: a standby that joins must have it.
TEST(Home, NoWordLeavesBeforeTheStandbysThatAreRequired) {
  const Member self{{1001}, {PeerId{1}, {}}};
  const Member other{{1002}, {PeerId{2}, {}}};
  Home home({.standbys = 1, .required = 1}, self, {1, 1},
      {.epoch = 1, .version = 1, .set = {self}, .intents = {}}, {});
  Sent out;
  const Time now{1h};
  home.append(now, out, "job");
  home.on_durable(2);
  EXPECT_EQ(home.gate(), 0u) << "it is alone";
  home.set_candidates({other});
  home.wake(now, out);
  home.on_message(now, out, Appended{{1, 1}, other.replica, 1});
  home.wake(now, out);
  EXPECT_TRUE(home.office().intents.empty())
      << "it lacks the job, which a life before may have told";
  home.on_message(now, out, Appended{{1, 1}, other.replica, 2});
  home.wake(now, out);
  ASSERT_EQ(home.office().intents.size(), 1u);
  EXPECT_EQ(home.gate(), 0u) << "the books may not have it yet";
  home.on_entry(now, {.epoch = 1, .version = 2, .home = self, .set = {self, other}});
  EXPECT_EQ(home.gate(), 2u);
  home.want(1, 0);
  home.on_entry(now, {.epoch = 1, .version = 3, .home = self, .set = {self}});
  EXPECT_EQ(home.gate(), 2u) << "none is required";
}

// The wish could not stand in the books, and the home must be free to open the log in others.
TEST(Home, NoOtherSetIsWishedForWhileNoBooksHaveTheLog) {
  const Member self{{1001}, {PeerId{1}, {}}};
  const Member other{{1002}, {PeerId{2}, {}}};
  Home home(
      {.standbys = 1}, self, {1, 1}, {.epoch = 1, .version = 1, .set = {self}, .intents = {}}, {});
  Sent out;
  const Time now{1h};
  home.on_durable(1);
  home.set_candidates({other});
  home.wake(now, out);
  home.on_message(now, out, Appended{{1, 1}, other.replica, 1});
  // The books gave the log up, and it was frozen in a version of its own.
  home.on_entry(now, {.epoch = 1, .version = 2, .home = self, .set = {self}});
  home.set_candidates({other}, /*in_books=*/false);
  home.wake(now, out);
  EXPECT_TRUE(home.office().intents.empty());
  home.set_candidates({other});
  home.wake(now, out);
  EXPECT_EQ(home.office().intents.size(), 1u) << "others have it";
}

bool asks_alone(const std::vector<Command>& commands) {
  return std::ranges::all_of(
      commands, [](const Command& each) { return std::holds_alternative<Ask>(each); });
}

/// A home with one standby, which answers nothing.
class LonelyHome : public ::testing::Test {
 protected:
  const Member self{{1001}, {PeerId{1}, {}}};
  const Member other{{1002}, {PeerId{2}, {}}};
  const Entry entry{.epoch = 1, .version = 1, .home = self, .set = {self, other}};
  Home home{{}, self, {1, 1}, {.epoch = 1, .version = 1, .set = entry.set, .intents = {}}, {}};
  Sent out;
  Time now{1h};

  /// Wakes it as often as a peer does. What it writes down is durable at once.
  void pass(Duration span) {
    for (const Time end = now + span; now < end; now += 100ms) {
      home.wake(now, out);
      home.on_office_durable(home.office_changes());
    }
  }
};

// The standby may hear it, and be as well as any: it is the home that must make way.
TEST_F(LonelyHome, ThatIsDeafFallsSilentAndPutsNoStandbyOut) {
  pass(5s);
  EXPECT_GT(out.take_messages(), 5u);
  home.append(now, out, "job");
  pass(15s);
  EXPECT_EQ(out.take_messages(), 0u) << "a standby that hears it would wait";
  EXPECT_FALSE(out.commands.empty()) << "it asks whether it is heard";
  EXPECT_TRUE(asks_alone(out.take_commands()));
  EXPECT_TRUE(home.office().intents.empty());
  home.on_entry(now, entry, false);
  pass(1s);
  EXPECT_EQ(out.take_messages(), 0u) << "its own node told it what it knew";
  home.on_entry(now, entry);
  pass(1s);
  EXPECT_GT(out.take_messages(), 0u) << "it goes on as soon as it hears a word";
}

// A standby may come back while the books are away for long: it must find its home.
TEST_F(LonelyHome, ThatIsDeafGivesASignOfLifeNowAndThen) {
  pass(6s);
  (void)out.take_messages();
  pass(30s);
  EXPECT_EQ(out.take_messages(), 1u);
}

TEST_F(LonelyHome, PutsTheStandbyOutOnceTheBooksAreHeard) {
  pass(2s);
  EXPECT_FALSE(out.commands.empty());
  EXPECT_TRUE(asks_alone(out.take_commands()));
  home.on_entry(now, entry);
  pass(2s);
  const auto commands = out.take_commands();
  ASSERT_FALSE(commands.empty());
  const auto* change = std::get_if<ChangeSet>(&commands.back());
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->set, Set{self});
}

}  // namespace
}  // namespace dunlin::sched::replica
