// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "sched/frontend/frontend.h"
#include "tests/support/own_job.h"

// A guess of memory that kills a task is given up. Workers that hold less than that, by what they
// were told before, must not get the task once more: its second end would be its own failure.
namespace dunlin::test {
namespace {

using sched::Outcome;
using sched::TaskState;

/// Tasks of that name used 20 MiB so far.
class SmallBefore final : public sched::Profiles {
 public:
  std::optional<sched::Profile> find(const sched::ProfileKey&) const override {
    return sched::Profile{.demand = {.cpu = 1000, .memory = 22}, .tasks = 10};
  }
  void put(const sched::ProfileKey&, const sched::Profile&) override {}
};

class GuessedMemory : public OwnJob {
 protected:
  GuessedMemory() {
    params.estimate_memory = true;
    params.placement = sched::PlacementName::random;
    frontend.emplace(params, node(99));
    sched::Job made = test::job(2);
    made.name = "nightly";
    made.groups[0].memory_unsaid = true;
    made.id = id = frontend->next_job(1);
    sched::Turn one = known_turn();
    frontend->submit(one, around(), std::move(made));
  }
  sched::Turn known_turn() {
    sched::Turn made = turn();
    made.profiles = &profiles;
    return made;
  }
  std::vector<sched::Assignment> ask(std::uint32_t probe) {
    sched::GetTask asked = question(1, probe);
    asked.job = id;
    sched::Turn one = known_turn();
    frontend->on_message(one, around(), node(5), asked);
    return out.all<sched::Tasks>().back().tasks;
  }
  void kill(const sched::Assignment& task) {
    sched::Turn one = known_turn();
    frontend->on_message(one, around(), node(5),
        sched::Done{.job = id,
            .reports = {{.index = task.index,
                .attempt = task.attempt,
                .outcome = Outcome::out_of_memory,
                .status = 9}}});
  }

  SmallBefore profiles;
  std::optional<sched::Frontend> frontend;
  sched::JobId id;
};

TEST_F(GuessedMemory, NoTaskGoesWhereLessIsHeldThanItNeedsByNow) {
  const auto before = out.all<sched::Reserve>();
  ASSERT_GE(before.size(), 2u);
  ASSERT_EQ(before.back().demand.memory, 22u);
  const auto first = ask(before[0].probe);
  ASSERT_EQ(first.size(), 1u);
  out.clear();
  kill(first.front());
  EXPECT_EQ(frontend->find(id)->task(first.front().index).state, TaskState::waiting);
  const auto after = out.all<sched::Reserve>();
  ASSERT_FALSE(after.empty());
  EXPECT_EQ(after.back().demand.memory, 512u) << "its own";

  EXPECT_TRUE(ask(before[1].probe).empty()) << "that reservation holds 22 MiB";
  EXPECT_GE(out.all<sched::Tasks>().back().served_to, before[1].probe);
  EXPECT_EQ(ask(after.front().probe).size(), 1u);
}

}  // namespace
}  // namespace dunlin::test
