// SPDX-License-Identifier: MIT
#include "node/warden/task_record.h"

#include <gtest/gtest.h>

#include "node/warden/frames.h"

namespace dunlin::node::warden {
namespace {

using namespace std::chrono_literals;

/// What an agent hears.
struct Heard {
  std::vector<Kept> kept;
  std::vector<Exited> exited;
  std::vector<Freed> freed;
  std::vector<std::string> notes;
  bool listed = false;
  std::uint32_t since = 0;
};

class TaskRecordTest : public ::testing::Test {
 protected:
  void begin(std::uint64_t id, std::uint32_t slot = 0) {
    EXPECT_TRUE(record.begin({.id = id, .slot = slot, .card = "card"}, now));
  }
  void end(std::uint64_t id, bool stuck = false) {
    record.tell(Exited{.id = id, .status = 3, .detail = {}, .stuck = stuck});
  }
  /// What the agent has heard since the last call.
  Heard hear() {
    Heard heard;
    FrameReader frames;
    frames.append(std::exchange(record.out(), {}));
    while (const auto frame = frames.next()) {
      if (frame->kind == Kind::welcome) heard.since = parse<Welcome>(frame->body)->since;
      if (frame->kind == Kind::kept) heard.kept.push_back(*parse<Kept>(frame->body));
      if (frame->kind == Kind::exited) heard.exited.push_back(*parse<Exited>(frame->body));
      if (frame->kind == Kind::freed) heard.freed.push_back(*parse<Freed>(frame->body));
      if (frame->kind == Kind::note) heard.notes.push_back(parse<Note>(frame->body)->text);
      if (frame->kind == Kind::listed) heard.listed = true;
    }
    return heard;
  }
  Heard come_back() {
    record.part();
    record.welcome({.error = {}, .since = 5, .limits = {}}, now);
    return hear();
  }

  TaskRecord record;
  TaskRecord::Time now{100s};
};

TEST_F(TaskRecordTest, ANewAgentHearsOfNothing) {
  const auto heard = come_back();
  EXPECT_EQ(heard.since, 5u);
  EXPECT_TRUE(heard.listed);
  EXPECT_TRUE(heard.kept.empty());
  EXPECT_TRUE(record.empty());
}

TEST_F(TaskRecordTest, ALaterAgentHearsOfWhatRunsAndOfEndsThatNobodyHeard) {
  come_back();
  begin(1, 0);
  begin(2, 1);
  record.part();
  now += 4s;
  end(1);
  record.tell(Note{"nobody is there"});
  record.welcome({.error = {}, .limits = {}}, now);
  const auto heard = hear();
  ASSERT_EQ(heard.kept.size(), 2u);
  EXPECT_EQ(heard.kept[0].id, 1u);
  EXPECT_EQ(heard.kept[1].slot, 1u);
  EXPECT_EQ(heard.kept[1].card, "card");
  EXPECT_EQ(heard.kept[1].ran, 4'000'000'000);
  ASSERT_EQ(heard.exited.size(), 1u);
  EXPECT_EQ(heard.exited[0].status, 3);
  EXPECT_TRUE(heard.notes.empty());
  EXPECT_EQ(record.running(), std::vector<std::uint64_t>{2});
}

TEST_F(TaskRecordTest, AnEndIsToldAgainUntilItIsForgotten) {
  come_back();
  begin(1);
  end(1);
  EXPECT_EQ(hear().exited.size(), 1u);
  EXPECT_EQ(come_back().exited.size(), 1u) << "the agent that heard it may have died of it";
  record.forget(1);
  EXPECT_TRUE(come_back().kept.empty());
  EXPECT_TRUE(record.empty());
}

TEST_F(TaskRecordTest, WhatRunsCannotBeForgotten) {
  begin(1);
  record.forget(1);
  record.forget(7);
  EXPECT_EQ(come_back().kept.size(), 1u);
}

TEST_F(TaskRecordTest, TellsThatALaterTaskHasTheSlot) {
  begin(1, 4);
  end(1);
  begin(2, 4);
  const auto heard = come_back();
  ASSERT_EQ(heard.kept.size(), 2u);
  EXPECT_TRUE(heard.kept[0].slot_passed_on);
  EXPECT_FALSE(heard.kept[1].slot_passed_on);
}

TEST_F(TaskRecordTest, KeepsAStuckTaskUntilItsSlotIsFree) {
  begin(1);
  end(1, true);
  record.forget(1);
  auto heard = come_back();
  ASSERT_EQ(heard.kept.size(), 1u);
  EXPECT_TRUE(heard.kept[0].forgotten);
  EXPECT_TRUE(heard.exited[0].stuck);
  record.tell(Freed{1});
  EXPECT_EQ(hear().freed.size(), 1u);
  EXPECT_TRUE(record.empty());
}

TEST_F(TaskRecordTest, AStuckTaskThatIsFreedIsNotForgottenByThat) {
  begin(1);
  end(1, true);
  record.tell(Freed{1});
  const auto heard = come_back();
  ASSERT_EQ(heard.exited.size(), 1u);
  EXPECT_FALSE(heard.exited[0].stuck);
}

TEST_F(TaskRecordTest, ANumberIsUsedOnce) {
  begin(1);
  EXPECT_FALSE(record.begin({.id = 1}, now));
}

TEST_F(TaskRecordTest, IsBounded) {
  for (std::uint64_t id = 1; id <= 100'001; ++id) {
    begin(id);
    end(id);
  }
  const auto heard = come_back();
  EXPECT_EQ(heard.kept.size(), 100'000u);
  EXPECT_EQ(heard.kept.front().id, 2u) << "the oldest goes";
}

TEST(FrameReader, AcceptsNoMoreThanItsBound) {
  std::string frame;
  append_frame(frame, Note{std::string(5000, 'x')});
  FrameReader stranger(kStrangerFrameMax);
  stranger.append(frame);
  EXPECT_FALSE(stranger.next());
  EXPECT_TRUE(stranger.broken());
  FrameReader agent;
  agent.append(frame);
  EXPECT_TRUE(agent.next());
}

TEST(Greeting, IsReadWhateverFollowsIt) {
  std::string frame;
  append_frame(frame, Hello{.greeting = {.version = 77, .incarnation = 9, .secret = "s"}});
  frame += "fields of a later version";
  Greeting greeting;
  FieldReader read(std::string_view(frame).substr(5));
  read(greeting);
  EXPECT_TRUE(read.ok());
  EXPECT_EQ(greeting.magic, kMagic);
  EXPECT_EQ(greeting.version, 77);
  EXPECT_EQ(greeting.incarnation, 9u);
}

TEST_F(TaskRecordTest, ALaterAgentHearsWhatStandsStillAndWhatIsToEnd) {
  come_back();
  begin(1, 0);
  begin(2, 1);
  now += 3s;
  record.note(Suspend{.id = 1}, now);
  record.note(Suspend{.id = 1}, now);
  now += 5s;
  record.note(Suspend{.id = 1, .on = false}, now);
  now += 1s;
  record.note(Suspend{.id = 1}, now);
  record.note(Kill{.id = 2, .reason = 8});
  record.note(Suspend{.id = 2}, now);  // It ends.
  now += 7s;
  const auto heard = come_back();
  ASSERT_EQ(heard.kept.size(), 2u);
  EXPECT_TRUE(heard.kept[0].suspended);
  EXPECT_EQ(heard.kept[0].ran, 4'000'000'000);
  EXPECT_EQ(heard.kept[0].stands, 7'000'000'000);
  EXPECT_EQ(heard.kept[0].suspensions, 2);
  EXPECT_FALSE(heard.kept[0].kill_requested);
  EXPECT_FALSE(heard.kept[1].suspended);
  EXPECT_EQ(heard.kept[1].ran, 16'000'000'000);
  EXPECT_TRUE(heard.kept[1].kill_requested);
  EXPECT_EQ(heard.kept[1].kill_reason, 8);
}

}  // namespace
}  // namespace dunlin::node::warden
