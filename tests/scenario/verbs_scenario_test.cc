// SPDX-License-Identifier: MIT
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sched/logs/part_view.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/scenario/replicas.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// A user was told that a verb is done: then it is, whenever the job's home dies after that. Each
// verb, with the home killed after each of the next steps of the cluster, with its words to workers
// lost or not, restarted or replaced for good by a standby.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::TaskState;

constexpr std::size_t kHome = 0;
constexpr Duration kLength = 20s;

/// What one verb is tried with, and what must be true in the end.
struct Verb {
  const char* name;
  std::function<sched::Job()> job;
  /// What comes before the verb: the job runs for a while.
  Duration before;
  std::function<void(World&, const JobId&)> say;
  /// The last word about the job, when all has settled; empty if it is well.
  std::function<std::string(const World&, const sched::JobState&)> wrong;
};
void PrintTo(const Verb& verb, std::ostream* out) {
  *out << verb.name;
}

std::string unless(bool well, const char* what) {
  return well ? "" : what;
}

/// The attempt that is the result of the first task, as its home stored it; 0: none is.
sched::AttemptNumber result_attempt(const World& world, const JobId& id) {
  for (std::size_t node = 0; node < world.size(); ++node) {
    const sched::Report* const result = world.store(node).result(id, 0);
    if (world.up(node) && result != nullptr) return result->attempt;
  }
  return 0;
}

sched::Job held() {
  sched::Job made = job(2, lasting(1s));
  made.held = true;
  return made;
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"cancel_task", [] { return job(2, lasting(kLength)); }, 3s,
          [](World& world, const JobId& id) { ASSERT_TRUE(world.cancel(kHome, id, {0})); },
          [](const World&, const sched::JobState& job) {
            return unless(job.task(0).state == TaskState::cancelled &&
                    job.task(1).state == TaskState::succeeded && job.task(0).attempts.losses() == 0,
                "a cancelled task ran again, or another one did not end");
          }},
      {"cancel_job", [] { return job(2, lasting(kLength)); }, 3s,
          [](World& world, const JobId& id) { ASSERT_TRUE(world.cancel(kHome, id)); },
          [](const World&, const sched::JobState& job) {
            return unless(job.counts()[TaskState::cancelled] == 2, "a cancelled job went on");
          }},
      {"hold", [] { return job(40, lasting(5s)); }, 3s,
          [](World& world, const JobId& id) {
            ASSERT_TRUE(world.change(kHome, id, {.held = true, .terms = {}}));
          },
          [](const World&, const sched::JobState& job) {
            return unless(job.progress().held && job.counts()[TaskState::waiting] > 0 &&
                    job.counts()[TaskState::launched] == 0,
                "a job on hold went on");
          }},
      {"release", held, 3s,
          [](World& world, const JobId& id) {
            ASSERT_TRUE(world.change(kHome, id, {.held = false, .terms = {}}));
          },
          [](const World&, const sched::JobState& job) {
            return unless(job.counts()[TaskState::succeeded] == 2, "a released job did not run");
          }},
      {"set", [] { return job(2, lasting(kLength)); }, 3s,
          [](World& world, const JobId& id) {
            ASSERT_TRUE(world.change(kHome, id,
                {.held = {}, .terms = {.priority = 80, .deadline = sched::OptionalDuration(90s)}}));
          },
          [](const World&, const sched::JobState& job) {
            return unless(job.spec_of(0).priority == 80 && job.job().deadline == 90s &&
                    job.counts()[TaskState::succeeded] == 2,
                "new terms were forgotten");
          }},
      {"retry", [] { return job(1, {.duration = 500ms, .status = 3, .attempts_failing = 1}); }, 3s,
          [](World& world, const JobId& id) { ASSERT_TRUE(world.retry(kHome, id, {0})); },
          [](const World&, const sched::JobState& job) {
            return unless(job.task(0).state == TaskState::succeeded, "a retry was forgotten");
          }},
      {"requeue", [] { return job(1, lasting(kLength)); }, 3s,
          [](World& world, const JobId& id) { ASSERT_TRUE(world.requeue(kHome, id, {0})); },
          [](const World& world, const sched::JobState& job) {
            const bool again =
                job.task(0).state == TaskState::succeeded && result_attempt(world, job.id()) > 1;
            return unless(again, "an attempt that was to run again went on to its end");
          }},
  };
  return all;
}

const sched::JobState* find_in(World& world, const JobId& id) {
  for (std::size_t node = 0; node < world.size(); ++node) {
    if (!world.up(node)) continue;
    const sched::JobState* const found = sched::find_job(world.peer(node), id);
    if (found != nullptr) return found;
  }
  return nullptr;
}

/// The answer to what was said last of the job may leave its home.
void await_answer(World& world, const JobId& id) {
  const sched::PeerLogs* const logs = world.peer(kHome).logs();
  const sched::Promise promise = logs == nullptr ? sched::Promise{} : logs->promise(id);
  ASSERT_TRUE(world.run_until(
      [&] { return world.all_durable() && (logs == nullptr || logs->may_tell(promise)); }, 10s));
}

void lose_words(World& world, bool on) {
  world.filter([on](std::size_t from, std::size_t, const AnyMessage& message) {
    return on && from == kHome && said<sched::Kill>(message) != nullptr ? 0u : 1u;
  });
}

class AcknowledgedVerbs : public ::testing::TestWithParam<Verb> {
 protected:
  /// What is wrong in the end, if the home dies so many steps after its answer.
  static std::string after_death(int steps, bool words_lost, bool agent_alone) {
    WorldOptions options;
    options.seed = 100 + static_cast<std::uint64_t>(steps);
    options.commit_max = 5ms;
    World world(options);
    world.add(4, {});
    world.run_for(5s);
    const JobId id = *world.submit(kHome, GetParam().job());
    world.run_for(GetParam().before);
    lose_words(world, words_lost);
    GetParam().say(world, id);
    await_answer(world, id);
    for (int i = 0; i < steps; ++i) world.step();
    agent_alone ? world.crash_agent(kHome) : world.crash(kHome);
    world.run_for(500ms);
    lose_words(world, false);
    world.restart(kHome);
    world.run_for(90s);
    const sched::JobState* const job = find_in(world, id);
    if (!world.failure().empty()) return world.failure();
    return job == nullptr ? "the job is lost" : GetParam().wrong(world, *job);
  }
};

TEST_P(AcknowledgedVerbs, OutliveARestartOfTheHomeAtEachStep) {
  // Each way to die has steps of its own, so that together they are every other one.
  int first = 0;
  for (const bool words_lost : {false, true}) {
    for (const bool agent_alone : {false, true}) {
      for (int steps = std::exchange(first, first + 2); steps < 24; steps += 8) {
        EXPECT_EQ(after_death(steps, words_lost, agent_alone), "")
            << "killed " << steps << " steps after the answer, words lost: " << words_lost
            << ", the agent alone: " << agent_alone;
      }
    }
  }
}

TEST_P(AcknowledgedVerbs, OutliveTheHomeWhereAStandbyTakesOver) {
  for (const bool words_lost : {false, true}) {
    World world({.seed = 11, .commit_max = 5ms});
    world.add(8, {});
    world.run_for(10s);
    // Young books take a while: a job before this one has a standby found and its copy in sync.
    sched::Job before = job(1, lasting(600s));
    before.replicas = 1;
    ASSERT_TRUE(world.submit(kHome, before));
    const auto in_sync = [&] {
      for (const auto& part : world.peer(kHome).logs()->parts().all()) {
        if (part->frontend() != nullptr && may_be_taken_over(*part)) return true;
      }
      return false;
    };
    ASSERT_TRUE(world.run_until(in_sync, 60s));
    sched::Job made = GetParam().job();
    made.replicas = 1;
    const JobId id = *world.submit(kHome, made);
    world.run_for(GetParam().before);
    lose_words(world, words_lost);
    GetParam().say(world, id);
    await_answer(world, id);
    world.crash(kHome);
    lose_words(world, false);
    world.run_for(90s);
    const sched::JobState* const job = find_in(world, id);
    ASSERT_NE(job, nullptr) << "the job is lost";
    EXPECT_EQ(GetParam().wrong(world, *job), "") << "words lost: " << words_lost;
    EXPECT_EQ(world.failure(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, AcknowledgedVerbs, ::testing::ValuesIn(verbs()), [](const auto& verb) {
      return std::string(verb.param.name);
    });

}  // namespace
}  // namespace dunlin::test
