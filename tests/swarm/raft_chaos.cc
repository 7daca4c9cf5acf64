// SPDX-License-Identifier: MIT
#include "tests/swarm/raft_chaos.h"

#include <algorithm>
#include <sstream>

#include "tests/support/raft_world.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using overlay::Duration;
using overlay::Rng;

constexpr Duration kChaos = 20s;
constexpr Duration kHealed = 60s;

RaftWorldOptions draw_options(Rng& rng, std::uint64_t seed, bool codec) {
  RaftWorldOptions options{.nodes = 3 + rng.below(3), .seed = seed, .codec = codec};
  options.founders = rng.chance(0.5) ? options.nodes : 1 + rng.below(3);
  options.params.election_timeout = rng.between(150ms, 500ms);
  options.params.heartbeat = options.params.election_timeout / (3 + rng.below(4));
  options.params.snapshot_timeout = rng.between(200ms, 2s);
  options.params.catch_up_timeout = rng.between(500ms, 3s);
  options.params.snapshot_threshold = 4 + rng.below(60);
  options.params.snapshot_trailing = 1 + rng.below(20);
  options.network.latency_min = 200us;
  options.network.latency_max = rng.between(500us, 40ms);
  options.network.loss = rng.chance(0.5) ? rng.uniform() * 0.2 : 0;
  options.network.duplication = rng.chance(0.5) ? rng.uniform() * 0.3 : 0;
  options.network.straggling = rng.chance(0.4) ? rng.uniform() * 0.1 : 0;
  options.network.straggler_max = rng.between(100ms, 3s);
  return options;
}

class Chaos {
 public:
  Chaos(std::uint64_t seed, bool codec)
      : rng_(seed ^ 0x5eed),
        options_(draw_options(rng_, seed, codec)),
        world_(options_) {}

  RaftVerdict run();

 private:
  void act();
  void propose();
  void cut();
  void die();
  void lose_disk();
  /// A member goes, perhaps the manager itself; it may be added again.
  void dismiss();
  /// All replicas there are count, and nothing is under way that needs one that may go.
  bool all_vote();
  void heal();
  void judge();
  std::size_t any() { return rng_.index(world_.size()); }
  std::uint32_t account() { return rng_.below(BankMachine::kAccounts); }

  Rng rng_;
  RaftWorldOptions options_;
  RaftWorld world_;
  RaftVerdict verdict_;
  std::uint64_t id_ = 0;
};

void Chaos::propose() {
  const std::size_t chief = world_.manager();
  if (chief == world_.size()) return;
  Transfer transfer{.id = ++id_, .from = account(), .to = account(), .amount = 1 + rng_.below(150)};
  auto& unsure = world_.unsure();
  const bool again = !unsure.empty() && rng_.chance(0.5);
  if (again) transfer.id = *unsure.begin();
  // Impatient clients ask again although the answer is on its way.
  if (!again && id_ > 1 && rng_.chance(0.2))
    transfer.id = 1 + rng_.below(static_cast<std::uint32_t>(id_));
  (void)world_.propose(chief, transfer);
}

void Chaos::cut() {
  ++verdict_.cuts;
  const std::size_t chief = world_.manager();
  std::set<std::size_t> side{chief == world_.size() || rng_.chance(0.2) ? any() : chief};
  if (world_.size() > 3 || rng_.chance(0.3)) side.insert(any());
  world_.network().split(side, world_.size(), rng_.chance(0.2));
}

void Chaos::die() {
  const std::size_t chief = world_.manager();
  const std::size_t node = chief != world_.size() && rng_.chance(0.5) ? chief : any();
  if (!world_.alive(node)) return;
  if (rng_.chance(0.5)) {
    world_.doom(node);
    ++verdict_.dooms;
  } else {
    world_.kill(node);
    ++verdict_.kills;
  }
}

bool Chaos::all_vote() {
  const std::size_t chief = world_.manager();
  if (chief == world_.size() || world_.group(chief).changing()) return false;
  const auto members = world_.group(chief).members();
  if (members.size() != world_.size()) return false;
  return std::ranges::all_of(members, [&](const auto& member) {
    return member.role == sched::MemberRole::voter &&
        world_.node_of(member.replica) != world_.size();
  });
}

void Chaos::lose_disk() {
  if (!all_vote()) return;
  world_.lose_disk(any());
  ++verdict_.losses;
}

void Chaos::dismiss() {
  // Beside a lost disk it would be one too many.
  if (!all_vote()) return;
  const std::size_t chief = world_.manager();
  const auto members = world_.group(chief).members();
  const auto replica = members[rng_.index(members.size())].replica;
  const auto removed =
      world_.act(chief, [&](const auto& turn, auto& group) { return group.remove(turn, replica); });
  if (removed) ++verdict_.dismissals;
}

void Chaos::act() {
  const double what = rng_.uniform();
  if (what < 0.6) {
    for (std::uint32_t i = 0; i <= rng_.below(6); ++i) propose();
  } else if (what < 0.68) {
    (void)world_.reconcile();
  } else if (what < 0.72) {
    cut();
  } else if (what < 0.79) {
    world_.network().mend_all();
  } else if (what < 0.83) {
    die();
  } else if (what < 0.95) {
    world_.restart(any());
  } else if (what < 0.965) {
    lose_disk();
  } else if (what < 0.975) {
    dismiss();
  } else {
    const std::size_t chief = world_.manager();
    if (chief == world_.size()) return;
    ++verdict_.transfers;
    world_.act(chief, [](const auto& turn, auto& group) { return group.transfer(turn); });
  }
}

void Chaos::heal() {
  world_.network().heal();
  const Time start = world_.now();
  bool done = false;
  while (!done && world_.now() - start < kHealed && world_.violation().empty()) {
    for (std::size_t i = 0; i < world_.size(); ++i) world_.restart(i);
    while (!world_.unsure().empty() && world_.manager() != world_.size()) {
      const std::uint64_t id = *world_.unsure().begin();
      if (!world_.propose(world_.manager(), {.id = id, .from = account(), .to = account()})) break;
      world_.unsure().erase(id);
    }
    const bool members_right = world_.reconcile();
    world_.run_for(100ms);
    done = members_right && world_.unsure().empty() && world_.settled();
  }
  verdict_.finish = world_.now() - start;
  if (!done && verdict_.failure.empty()) verdict_.failure = "not equal a minute after healing";
}

void Chaos::judge() {
  if (const auto wrong = world_.violation(); !wrong.empty()) verdict_.failure = wrong;
  if (!verdict_.failure.empty()) return;
  for (std::size_t i = 0; i < world_.size(); ++i) {
    for (const std::uint64_t id : world_.acknowledged()) {
      if (world_.bank(i).did(id)) continue;
      verdict_.failure = "command " + std::to_string(id) + " was acknowledged and is lost";
    }
    if (world_.store(i).disk()->snapshot) ++verdict_.snapshots;
  }
  verdict_.twice = world_.bank(0).twice();
}

RaftVerdict Chaos::run() {
  const Time end = world_.now() + kChaos;
  while (world_.now() < end && world_.violation().empty()) {
    act();
    world_.run_for(rng_.exponential(60ms));
    verdict_.unsure += world_.unsure().size();
  }
  heal();
  judge();
  verdict_.hash = world_.hash();
  verdict_.steps = world_.steps();
  verdict_.terms = world_.terms();
  verdict_.committed = world_.history().size();
  std::ostringstream drawn;
  drawn << options_.founders << " founders of " << options_.nodes << ", election timeout "
        << options_.params.election_timeout / 1ms << " ms, loss " << options_.network.loss << ", "
        << verdict_.terms << " terms, " << verdict_.committed << " commands, " << verdict_.kills
        << " kills, " << verdict_.dooms << " within a turn, " << verdict_.cuts << " cuts, "
        << verdict_.losses << " disks lost, " << verdict_.transfers << " handovers";
  if (!verdict_.failure.empty()) drawn << world_.describe();
  verdict_.drawn = drawn.str();
  return verdict_;
}

}  // namespace

RaftVerdict run_raft_chaos(std::uint64_t seed, bool codec) {
  return Chaos(seed, codec).run();
}

}  // namespace dunlin::test
