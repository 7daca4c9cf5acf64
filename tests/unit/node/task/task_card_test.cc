// SPDX-License-Identifier: MIT
#include "node/task/task_card.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

sched::Launch card_launch() {
  sched::Launch launch{.task = {{.home = {0xfeed}, .number = 12, .lineage = 77}, 3},
      .attempt = 2,
      .demand = {.cpu = 1500, .memory = 300, .custom = {}, .disk_write = 7, .net_in = 9},
      .frontend = {.id = {0xfeed}, .address = overlay::Address::v4(0x0a000001, 7700)},
      .task_time = 5s,
      .time_limit = 60s,
      .class_id = 9,
      .user = 0x1234'5678'9abc,
      .job_name = {},
      .spec = {},
      .entry = {}};
  launch.demand.custom.push_back({"gpu", 2});
  return launch;
}

TEST(TaskCard, SaysWhatTheLaunchSaid) {
  const auto card = read_card(write_card(
      card_launch(), {.scratch = true, .fed = true, .devices = {{"fpga", {}}, {"gpu", {0, 2}}}}));
  ASSERT_TRUE(card);
  EXPECT_TRUE(card->notes.scratch);
  EXPECT_TRUE(card->notes.fed);
  EXPECT_EQ(card->notes.devices, (std::vector<TaskDevices>{{"gpu", {0, 2}}}));
  EXPECT_EQ(card->task.task, card_launch().task);
  EXPECT_EQ(card->task.attempt, 2);
  EXPECT_EQ(card->task.frontend, card_launch().frontend);
  EXPECT_EQ(card->task.demand, card_launch().demand);
  EXPECT_EQ(card->task.task_time, 5s);
  EXPECT_EQ(card->task.time_limit, 60s);
  EXPECT_EQ(card->task.class_id, 9u);
  EXPECT_EQ(card->task.user, card_launch().user);
  const auto plain = read_card(write_card(card_launch(), {}));
  EXPECT_FALSE(plain->notes.scratch);
  EXPECT_FALSE(plain->notes.fed);
}

// It tells the next agent what the task is, for people.
TEST(TaskCard, SaysWhoseTheTaskIsAndItsCommand) {
  const TaskAbout about{.owner = "anna", .job_name = "train", .command = {"sh", "-c", "..."}};
  const auto card = read_card(write_card(card_launch(), {.about = about}));
  ASSERT_TRUE(card);
  EXPECT_EQ(card->notes.about, about);
}

/// Three lists of nothing: what came with version 7.
constexpr std::size_t kAboutNothing = 3 * sizeof(std::uint32_t);

// Tasks that run while their agent is replaced by this build have cards of the builds before.
TEST(TaskCard, OneOfTheVersionBeforeSaysAllButWhatItIs) {
  std::string text = write_card(card_launch(), {.fed = true});
  text[0] = 6;
  text.resize(text.size() - kAboutNothing);
  const auto card = read_card(text);
  ASSERT_TRUE(card);
  EXPECT_EQ(card->task.user, card_launch().user);
  EXPECT_EQ(card->notes.about, TaskAbout{});
}

TEST(TaskCard, OneOfVersionFiveSaysNotItsUserEither) {
  std::string text = write_card(card_launch(), {.fed = true});
  text[0] = 5;
  text.resize(text.size() - kAboutNothing - sizeof(std::uint64_t));
  const auto card = read_card(text);
  ASSERT_TRUE(card);
  EXPECT_EQ(card->task.demand, card_launch().demand);
  EXPECT_TRUE(card->notes.fed);
  EXPECT_EQ(card->task.user, 0u);
}

TEST(TaskCard, AnotherVersionOrADamagedOneIsNone) {
  std::string text = write_card(card_launch(), {});
  EXPECT_FALSE(read_card(text + "x"));
  EXPECT_FALSE(read_card(std::string_view(text).substr(1)));
  EXPECT_FALSE(read_card(""));
  ++text[0];
  EXPECT_FALSE(read_card(text));
}

}  // namespace
}  // namespace dunlin::node
