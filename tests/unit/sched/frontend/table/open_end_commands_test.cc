// SPDX-License-Identifier: MIT
#include "sched/frontend/table/open_end_commands.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "sched/frontend/frontend.h"
#include "sched/frontend/job_table.h"
#include "sched/frontend/table/forget_history.h"
#include "tests/support/own_job.h"

// Whatever happens to jobs, their table knows which have ended while their commands for that have
// not as a walk over all of them finds it.
namespace dunlin::test {
namespace {

using sched::EndRun;
using sched::Job;
using sched::JobState;
using sched::JobTable;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::set<std::uint32_t> open_by_walk(const JobTable& table) {
  std::set<std::uint32_t> found;
  for (const auto& [number, job] : table.all()) {
    const bool has_command = !job.job().end_command.empty();
    const bool is_over = job.progress().end_command.run == EndRun::ended;
    if (has_command && job.finished() && !is_over) found.insert(number);
  }
  return found;
}

/// A table of jobs to which anything may happen.
class OpenEndCommandsProperty : public OwnJob {
 protected:
  OpenEndCommandsProperty() { params.history_min = sched::Duration{0}; }

  void begin(std::uint64_t seed) {
    rng = sched::Rng(seed);
    table = JobTable(kHome);
  }
  void step() {
    now += std::chrono::milliseconds(1);
    const std::uint32_t kind = rng.below(10);
    if (kind < 3 || table.all().empty()) {
      add();
    } else if (kind == 3 && rng.chance(0.3)) {
      params.history_max = rng.below(8);
      auto now_turn = turn();
      forget_history(now_turn, table, params);
    } else {
      const auto at = std::next(table.all().begin(),
          static_cast<std::ptrdiff_t>(rng.below(static_cast<std::uint32_t>(table.all().size()))));
      act(*table.find(at->second.id()), kind);
    }
    table.note_changes();
  }

  JobTable table{kHome};
  int restored = 0;  ///< Jobs that had ended when they came, ...
  int again = 0;     ///< ... and those that ran again while their commands were open.

 private:
  void add() {
    Job made = test::job(2);
    made.id = table.next_id(1);
    if (rng.chance(0.7)) made.end_command = "mail";
    JobState state(std::move(made), now);
    if (rng.chance(0.3)) {
      sched::JobProgress stored;
      stored.cancelled = true;
      stored.end_command.run = static_cast<EndRun>(rng.below(3));
      state.restore(stored, {}, now, now);
      ASSERT_TRUE(state.finished());
      ++restored;
    }
    table.add(std::move(state));
  }
  void act(JobState& job, std::uint32_t kind) {
    // A command may also end while its job, which had ended, runs again.
    if (kind == 4) job.change({.end_command = sched::EndCommand{.run = EndRun::started}});
    if (kind == 5) job.change({.end_command = sched::EndCommand{.run = EndRun::ended}});
    if (kind == 6 && job.finished()) {
      again += open_by_walk(table).contains(job.id().number) ? 1 : 0;
      const Job stored = job.job();
      job.retry(std::vector<std::uint32_t>{0}, &stored);
      table.go_on(job);
    } else if (kind > 6 && !job.finished()) {
      job.cancel_all();
      table.finish(job, now);
    }
  }
};

TEST_F(OpenEndCommandsProperty, ATableKnowsWhatAWalkOverItsJobsFinds) {
  constexpr int kSeeds = 100;
  constexpr int kSteps = 150;
  int several = 0;
  int none = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    begin(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < kSteps; ++i) {
      step();
      const std::set<std::uint32_t> found = open_by_walk(table);
      ASSERT_EQ(table.indexes().end_commands().numbers(), found)
          << "seed " << seed << ", step " << i;
      several += found.size() > 1 ? 1 : 0;
      none += found.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(several, kSeeds * kSteps / 10);
  EXPECT_GT(none, kSeeds);
  EXPECT_GT(restored, kSeeds);
  EXPECT_GT(again, kSeeds);
}

/// A frontend whose jobs have commands for their ends.
class EndCommandsOfFrontend : public OwnJob {
 protected:
  sched::JobId submit(const std::string& command) {
    Job made = test::job(1);
    made.id = frontend.next_job(1);
    made.held = true;
    made.end_command = command;
    const sched::JobId id = made.id;
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(made));
    return id;
  }
  void cancel(const sched::JobId& job) {
    auto now_turn = turn();
    ASSERT_TRUE(frontend.cancel(now_turn, job, {}));
  }
  void tell(const sched::JobId& job, EndRun run) {
    auto now_turn = turn();
    const sched::JobChange news{.end_command = sched::EndCommand{.run = run}};
    ASSERT_TRUE(frontend.change(now_turn, around(), job, news));
  }
  static const std::set<std::uint32_t>& open(const sched::Frontend& of) {
    return of.table().indexes().end_commands().numbers();
  }

  sched::Frontend frontend{{.placement = sched::PlacementName::random}, node(kHome.value)};
};

TEST_F(EndCommandsOfFrontend, AJobThatGoesOnOrHasNoneIsNotLookedAt) {
  for (int i = 0; i < 100; ++i) submit("mail");
  cancel(submit(""));
  EXPECT_THAT(open(frontend), IsEmpty());
}

// No timer comes before the next look of the agent.
TEST_F(EndCommandsOfFrontend, ThatOneHasEndedIsKnownAtOnce) {
  const sched::JobId first = submit("mail");
  const sched::JobId second = submit("mail");
  cancel(second);
  cancel(first);
  EXPECT_THAT(open(frontend), ElementsAre(first.number, second.number));
  tell(first, EndRun::started);
  EXPECT_THAT(open(frontend), ElementsAre(first.number, second.number));
  tell(first, EndRun::ended);
  EXPECT_THAT(open(frontend), ElementsAre(second.number));
}

TEST_F(EndCommandsOfFrontend, ARestartFindsThoseThatAreOpen) {
  const sched::JobId first = submit("mail");
  const sched::JobId second = submit("mail");
  const sched::JobId third = submit("mail");
  for (const sched::JobId& job : {first, second, third}) cancel(job);
  tell(second, EndRun::started);
  tell(third, EndRun::started);
  tell(third, EndRun::ended);
  store.commit(store.take_turn());
  sched::Frontend next{{.placement = sched::PlacementName::random}, node(kHome.value)};
  auto now_turn = turn();
  next.restore(now_turn, store.load());
  EXPECT_THAT(open(next), ElementsAre(first.number, second.number));
}

}  // namespace
}  // namespace dunlin::test
