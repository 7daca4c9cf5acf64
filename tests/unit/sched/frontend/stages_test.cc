// SPDX-License-Identifier: MIT
#include "sched/frontend/stages/stages.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "overlay/rng.h"
#include "sched/frontend/stages/stage_names.h"
#include "tests/support/builders.h"

namespace dunlin::sched {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using After = std::vector<std::vector<std::uint16_t>>;

/// Group i, of two tasks, waits for after[i].
std::vector<TaskGroup> groups_of(const After& after) {
  std::vector<TaskGroup> groups;
  for (const auto& each : after) {
    groups.push_back(test::tasks(2));
    groups.back().after = each;
  }
  return groups;
}

std::string mistake(const std::vector<NamedStage>& stages) {
  const auto resolved = resolve_stages(stages);
  if (resolved) return "none";
  return std::to_string(resolved.error().group) + "." + std::to_string(resolved.error().name) +
      ": " + resolved.error().text;
}

TEST(StageNames, AreFoundWhereverTheyStand) {
  const std::vector<NamedStage> stages = {
      {"report", {"reduce", "map"}}, {"map", {}}, {"", {}}, {"reduce", {"map"}}};
  const auto after = resolve_stages(stages);
  ASSERT_TRUE(after);
  EXPECT_EQ(*after, (After{{1, 3}, {}, {}, {1}}));
}

TEST(StageNames, MistakesNameTheGroupAndTheCure) {
  EXPECT_EQ(mistake({{"map", {}}, {"reduce", {"map", "mpa"}}}),
      "1.1: no group is named 'mpa'; there are: map, reduce");
  EXPECT_EQ(mistake({{"map", {}}, {"", {""}}}),
      "1.0: no group is named ''; there are: map, one without a name");
  EXPECT_EQ(mistake({{"map", {}}, {"map", {}}, {"reduce", {"map"}}}),
      "2.0: 2 groups are named 'map': give each a name of its own");
  EXPECT_EQ(mistake({{"map", {"map"}}}), "0.0: group map cannot wait for itself");
  EXPECT_EQ(mistake({{"map", {}}, {"reduce", {"map", "map"}}}),
      "1.1: 'map' stands there twice: once is enough");
}

TEST(StageNames, ACircleIsTold) {
  EXPECT_EQ(mistake({{"z", {"c"}}, {"a", {"b"}}, {"b", {"c"}}, {"c", {"z2", "a"}}, {"z2", {}}}),
      "1.0: group a waits for b, which waits for c, which waits for a: none of them could ever "
      "start");
  EXPECT_THAT(mistake({{"a", {"b"}}, {"b", {"a"}}}), HasSubstr("a waits for b, which waits for a"));
}

TEST(StageNames, SoundStagesNameOtherGroupsInOrder) {
  EXPECT_TRUE(has_sound_stages(groups_of({{}, {}})));
  EXPECT_TRUE(has_sound_stages(groups_of({{1, 2}, {2}, {}})));
  EXPECT_FALSE(has_sound_stages(groups_of({{2, 1}, {}, {}}))) << "not ascending";
  EXPECT_FALSE(has_sound_stages(groups_of({{1, 1}, {}}))) << "twice";
  EXPECT_FALSE(has_sound_stages(groups_of({{0}, {}}))) << "itself";
  EXPECT_FALSE(has_sound_stages(groups_of({{2}, {}}))) << "none";
  EXPECT_FALSE(has_sound_stages(groups_of({{1}, {2}, {0}}))) << "a circle";
}

class StagesTest : public ::testing::Test {
 protected:
  void end(std::uint16_t group, TaskState how) { stages.move(group, TaskState::launched, how); }
  void retry(std::uint16_t group, TaskState from) { stages.move(group, from, TaskState::waiting); }
  std::vector<std::string> news() {
    std::vector<std::string> texts;
    for (const auto& [group, met] : stages.take_news()) {
      texts.push_back(std::to_string(group) + (met ? " may start" : " never will"));
    }
    return texts;
  }

  // 0 -> 1 -> 3, 0 -> 2 -> 3
  Stages stages{groups_of({{}, {0}, {0}, {1, 2}})};
};

TEST_F(StagesTest, AGroupIsHeldUntilAllTasksBeforeItHaveSucceeded) {
  EXPECT_FALSE(stages.holds(0));
  EXPECT_TRUE(stages.holds(1));
  end(0, TaskState::succeeded);
  EXPECT_EQ(stages.left(0), 1u);
  EXPECT_TRUE(stages.holds(2));
  EXPECT_THAT(news(), ElementsAre());
  end(0, TaskState::succeeded);
  EXPECT_THAT(news(), ElementsAre("1 may start", "2 may start"));
  EXPECT_FALSE(stages.holds(1));
  EXPECT_TRUE(stages.holds(3));
  for (int i = 0; i < 2; ++i) end(1, TaskState::succeeded);
  EXPECT_TRUE(stages.holds(3)) << "it waits for both";
  for (int i = 0; i < 2; ++i) end(2, TaskState::succeeded);
  EXPECT_THAT(news(), ElementsAre("3 may start"));
}

TEST_F(StagesTest, OneTaskThatEndsOtherwiseIsEnough) {
  end(0, TaskState::failed);
  EXPECT_THAT(news(), ElementsAre("1 never will", "2 never will"));
  end(0, TaskState::cancelled);
  EXPECT_THAT(news(), ElementsAre()) << "that is known";
  EXPECT_TRUE(stages.is_missed(1));
  EXPECT_FALSE(stages.is_missed(3)) << "that follows when the tasks of 1 are cancelled";
  EXPECT_TRUE(stages.has_failed(0));
}

TEST_F(StagesTest, ATaskThatRunsAgainIsWaitedForAgain) {
  for (int i = 0; i < 2; ++i) end(0, TaskState::succeeded);
  news();
  retry(0, TaskState::succeeded);
  EXPECT_TRUE(stages.holds(1));
  end(0, TaskState::failed);
  EXPECT_TRUE(stages.is_missed(1));
  retry(0, TaskState::failed);
  EXPECT_FALSE(stages.is_missed(1));
  end(0, TaskState::succeeded);
  EXPECT_FALSE(stages.holds(1));
}

TEST_F(StagesTest, AJobWithoutThemHasNone) {
  Stages none{groups_of({{}, {}})};
  none.move(0, TaskState::launched, TaskState::failed);
  EXPECT_FALSE(none.any());
  EXPECT_FALSE(none.holds(1));
  EXPECT_FALSE(none.is_missed(1));
  EXPECT_TRUE(none.take_news().empty());
}

// Whatever becomes of tasks, what is counted is what a walk over all of them finds.
TEST(StagesProperty, CountsAreThoseOfAWalk) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    overlay::Rng rng(seed);
    After after(2 + rng.below(6));
    for (std::uint16_t group = 1; group < after.size(); ++group) {
      for (std::uint16_t before = 0; before < group; ++before) {
        if (rng.chance(0.4)) after[group].push_back(before);
      }
    }
    const auto groups = groups_of(after);
    Stages stages(groups);
    std::vector<TaskState> tasks(2 * groups.size(), TaskState::waiting);
    for (int step = 0; step < 60; ++step) {
      const std::uint32_t index = rng.below(static_cast<std::uint32_t>(tasks.size()));
      const auto to = static_cast<TaskState>(rng.below(kTaskStates));
      if (!may_become(tasks[index], to)) continue;
      stages.move(static_cast<std::uint16_t>(index / 2), tasks[index], to);
      tasks[index] = to;
      if (!stages.any()) continue;
      for (std::uint16_t group = 0; group < groups.size(); ++group) {
        bool holds = false;
        bool missed = false;
        for (const std::uint16_t before : after[group]) {
          for (const std::size_t task : {2u * before, 2u * before + 1u}) {
            holds = holds || tasks[task] != TaskState::succeeded;
            missed = missed || (is_final(tasks[task]) && tasks[task] != TaskState::succeeded);
          }
        }
        ASSERT_EQ(stages.holds(group), holds) << "seed " << seed;
        ASSERT_EQ(stages.is_missed(group), missed) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace dunlin::sched
