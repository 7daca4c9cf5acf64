// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/frontend/job_state.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"
#include "tests/swarm/seeds.h"

// Submissions that are said again, in clusters where jobs are forgotten after a minute: while the
// job runs, when it has ended, when it is forgotten, after restarts and takeovers, with a log and
// without. What must come out: at the node that was asked first a key means one job for ever, or
// an error that says that it is not known whether it ran. So a submission never runs twice.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

/// A job that is submitted again and again, with one key, at one node.
struct Keyed {
  sched::Job wants;
  std::size_t node = 0;
  std::optional<JobId> first;  ///< As the first answer said.
};

class KeyRun {
 public:
  explicit KeyRun(std::uint64_t seed) : rng_(seed ^ 0x6b65), world_(options(seed, rng_)) {
    world_.on_event = [this](std::size_t, const sched::Event& event) {
      const auto* const started = std::get_if<sched::TaskStarted>(&event);
      if (started != nullptr) started_.insert({started->job.home.value, started->job.number});
    };
  }

  void run() {
    world_.add(4 + rng_.below(5), {});
    world_.run_for(10s);
    const std::uint32_t jobs = 2 + rng_.below(4);
    for (std::uint32_t i = 0; i < jobs; ++i) keyed_.push_back(draw(i));
    // Nothing is forgotten before it is a minute old, and then at its node's leisure.
    const Time end = world_.now() + rng_.between(180s, 360s);
    while (world_.now() < end && world_.failure().empty()) {
      world_.run_for(rng_.between(100ms, 8s));
      if (rng_.chance(0.12)) kill();
      say(keyed_[rng_.index(keyed_.size())]);
    }
    for (std::size_t node = 0; node < world_.size(); ++node) {
      if (!world_.up(node)) world_.restart(node);
    }
    for (int round = 0; round < 3; ++round) {
      world_.run_for(20s);
      for (Keyed& each : keyed_) say(each);
    }
    for (const Keyed& each : keyed_) {
      if (each.first) known_.insert({each.first->home.value, each.first->number});
    }
    for (const auto& [home, number] : started_) {
      const bool is_known = known_.contains({home, number});
      if (!is_known)
        world_.fail("job " + std::to_string(number) + " ran beside another of its key");
    }
  }
  const std::string& failure() const { return world_.failure(); }
  std::uint64_t said_again() const { return said_again_; }
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  static WorldOptions options(std::uint64_t seed, overlay::Rng& rng) {
    WorldOptions options{.seed = seed, .codec = rng.chance(0.2), .check = rng.chance(0.2)};
    options.params.frontend.history_age = 1min;
    options.network.latency_max = rng.between(500us, 20ms);
    options.network.loss = rng.chance(0.5) ? rng.uniform() * 0.05 : 0;
    if (rng.chance(0.5)) options.commit_max = rng.between(1ms, 30ms);
    return options;
  }
  Keyed draw(std::uint32_t number) {
    Keyed made{.wants = job(1 + rng_.below(3), lasting(rng_.between(500ms, 15s)))};
    made.wants.key = {.high = 1, .low = number + 1};
    made.wants.replicas = static_cast<std::uint8_t>(rng_.below(2));
    made.node = rng_.index(world_.size());
    return made;
  }
  /// A node dies, often one that was asked or drives a job, and comes back. Its disk stays.
  void kill() {
    std::size_t node = rng_.index(world_.size());
    if (rng_.chance(0.6)) node = keyed_[rng_.index(keyed_.size())].node;
    if (!world_.up(node)) return;
    world_.crash(node);
    world_.at(world_.now() + rng_.between(100ms, 40s), [this, node] {
      if (!world_.up(node)) world_.restart(node);
    });
  }
  void say(Keyed& keyed) {
    if (!world_.up(keyed.node)) return;
    const auto id = world_.submit(keyed.node, keyed.wants, true);
    if (!id) {
      const bool unknown = id.error().kind == ErrorKind::timeout && keyed.first;
      if (!unknown) world_.fail("a good submit is refused: " + id.error().text);
      return;
    }
    if (!keyed.first || was_never_stored(*keyed.first)) {
      // Killed before anything of it was on the disk, it was never told.
      keyed.first = *id;
      known_.insert({id->home.value, id->number});
      return;
    }
    ++said_again_;
    if (sched::find_job(world_.peer(keyed.node), *id) == nullptr) ++forgotten_;
    if (*id != *keyed.first) {
      world_.fail("key " + std::to_string(keyed.wants.key.low) + " is job " +
          std::to_string(id->number) + " now, and was job " + std::to_string(keyed.first->number));
    }
  }
  /// No user was told of it.
  bool was_never_stored(const JobId& id) const {
    return std::ranges::find(world_.acknowledged(), id) == world_.acknowledged().end();
  }

  overlay::Rng rng_;
  World world_;
  std::vector<Keyed> keyed_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> started_;  ///< Home and number.
  std::set<std::pair<std::uint64_t, std::uint32_t>> known_;
  std::uint64_t said_again_ = 0;
  std::uint64_t forgotten_ = 0;
};

constexpr std::uint64_t kKeySeeds = 16;

TEST(KeySwarm, ASubmissionThatIsSaidAgainNeverRunsTwice) {
  auto [first, end] = asked_for();
  const bool asked = first != end;
  if (!asked) end = kKeySeeds;
  std::uint64_t said_again = 0;
  std::uint64_t forgotten = 0;
  for (std::uint64_t seed = first; seed < end && !HasFailure(); ++seed) {
    // Told beforehand: a broken ensure() ends the program.
    std::cout << "[ SEED     ] " << seed << std::endl;
    KeyRun run(seed);
    run.run();
    EXPECT_EQ(run.failure(), "") << "repeat with DUNLIN_SEED=" << seed;
    said_again += run.said_again();
    forgotten += run.forgotten();
  }
  if (asked) return;
  EXPECT_GT(said_again, 100u);
  EXPECT_GT(forgotten, 20u) << "many jobs were history, or another node's";
}

}  // namespace
}  // namespace dunlin::test
