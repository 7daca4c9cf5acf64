// SPDX-License-Identifier: MIT
#include "tests/swarm/run.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "sched/cell/cell_node.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/swarm/after_watch.h"
#include "tests/swarm/claim_watch.h"
#include "tests/swarm/clocks/clock_watch.h"
#include "tests/swarm/epoch_watch.h"
#include "tests/swarm/gang_watch.h"
#include "tests/swarm/idle/idle_watch.h"
#include "tests/swarm/inputs/input_watch.h"
#include "tests/swarm/job_deeds.h"
#include "tests/swarm/node_deeds.h"
#include "tests/swarm/preempt_watch.h"
#include "tests/swarm/replica_watch.h"
#include "tests/swarm/results.h"
#include "tests/swarm/stage_watch.h"
#include "tests/swarm/usage/usage_watch.h"
#include "tests/swarm/words/word_watch.h"

namespace dunlin::test {
namespace {

using overlay::Rng;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kFinishLimit = minutes(30);
constexpr Duration kRestLimit = minutes(10);
constexpr int kIdleSpells = 3;

class Run {
 public:
  explicit Run(const Plan& plan) : plan_(plan), world_(plan.world) {
    world_.on_event = [this](std::size_t node, const sched::Event& event) {
      ++verdict_
            .events[std::visit([](const auto& kind) { return std::string(kind.kName); }, event)];
      after_.on_event(event);
      preempts_.on_event(node, event);
      gangs_.on_event(node, event);
      stages_.on_event(node, event);
      idle_.on_event(event);
      clocks_.on_event(node, event);
      words_.on_event(event);
      const auto* const taken = std::get_if<sched::LogTaken>(&event);
      if (taken != nullptr && taken->epoch > 1 && verdict_.planned > 0) {
        verdict_.planned_takeovers += taken->jobs;
      }
      const auto* missed = std::get_if<sched::DeadlineMissed>(&event);
      if (missed != nullptr && missed->cancelled) job_deeds_.note_cancelled(missed->job);
    };
  }

  Verdict run() {
    for (const NodeConfig& node : plan_.nodes) world_.add(node);
    const Time start = world_.now();
    for (const Deed& deed : plan_.deeds) {
      world_.at(start + deed.at, [this, &deed] { carry_out(deed); });
    }
    run_checked([&] { return world_.now() >= start + plan_.safety_phase; }, plan_.safety_phase);
    heal();
    const Time healed = world_.now();
    if (!run_checked([this] { return all_finished(); }, kFinishLimit)) world_.fail(unfinished());
    check_results();
    usage_.look();
    words_.conclude();
    const Time finished = world_.now();
    if (!run_checked([this] { return restless().empty(); }, kRestLimit)) {
      world_.fail("long after the last job:" + restless() + "\n" + watch_.describe());
    }
    const Duration rest = world_.now() - finished;
    if (plan_.idle) stand_still();
    verdict_.finish = finished - healed;
    verdict_.bound_after_others = after_.bound();
    verdict_.started_after_stages = stages_.started();
    verdict_.victims = preempts_.conclude();
    verdict_.missed_apart = clocks_.missed_apart();
    verdict_.usage_taken_over = usage_.taken_over();
    verdict_.rest = rest;
    verdict_.failure = world_.failure();
    verdict_.hash = world_.trace().hash();
    verdict_.steps = world_.steps();
    return std::move(verdict_);
  }

 private:
  /// Looks at `done` and at what was acknowledged from time to time: both cost a walk over all.
  bool run_checked(const std::function<bool()>& done, Duration limit) {
    const Time end = world_.now() + limit;
    while (world_.failure().empty() && !done()) {
      if (world_.now() >= end) return false;
      world_.run_until(std::min(end, world_.now() + std::chrono::milliseconds(200)));
      check_acknowledged();
      check_books(world_);
      gangs_.look();
      inputs_.look();
      idle_.look();
      verdict_.planned += epochs_.look();
      verdict_.abroad += claims_.look();
    }
    return world_.failure().empty();
  }

  /// Nothing is to do for longer than masters and managers know each other, again and again.
  void stand_still() {
    // Not of the plan's own seed: a plan that was read from its text has none.
    Rng rng(plan_.world.seed);
    idle_.begin();
    const Duration spell = plan_.world.params.federation.lease + seconds(10);
    for (int i = 0; i < kIdleSpells && world_.failure().empty(); ++i) {
      const Time end = world_.now() + spell;
      run_checked([&] { return world_.now() >= end; }, spell);
      for (auto& [id, job] : idle_.submit(rng)) jobs_[id] = std::move(job);
      if (!run_checked([this] { return all_finished(); }, kFinishLimit)) {
        world_.fail(unfinished());
      }
    }
  }

  void carry_out(const Deed& deed) {
    Rng rng(deed.seed);
    const std::size_t node = rng.index(world_.size());
    switch (deed.kind) {
      case Deed::Kind::share:
        return share(node, rng);
      case Deed::Kind::submit:
        return submit(node, rng);
      case Deed::Kind::cancel:
      case Deed::Kind::cancel_some:
      case Deed::Kind::hold:
      case Deed::Kind::retry:
      case Deed::Kind::set:
      case Deed::Kind::requeue:
        return job_deeds_.carry_out(deed, rng);
      case Deed::Kind::perish:
        return perish(home_or(node, rng), world_.now() + deed.lasts);
      default:
        return node_deeds_.carry_out(
            deed, NodeDeeds::concerns_homes(deed) ? home_or(node, rng) : node, rng);
    }
  }

  /// Often the home of some job.
  std::size_t home_or(std::size_t node, Rng& rng) const {
    const auto job = job_deeds_.draw(rng);
    if (!job || rng.chance(0.3)) return node;
    return job_deeds_.home(*job).value_or(node);
  }

  /// Jobs without replicas are lost with their home's disk.
  void perish(std::size_t node, Time end) {
    watch_.look();
    if (!watch_.may_lose_disk(node)) return;
    watch_.note_lost(node);
    for (const auto& [id, job] : jobs_) {
      if (job.replicas == 0 && World::node_of(id.home) == node) forgiven_.insert(id);
    }
    world_.crash(node);
    world_.erase_disk(node);
    world_.at(end, [this, node] {
      if (!world_.up(node)) world_.restart(node);
    });
  }

  void submit(std::size_t node, Rng& rng) {
    sched::Job job = draw_job(plan_.nodes, preempts_.expects(), rng);
    if (plan_.replicas) draw_replicas(job, rng);
    if (!world_.up(node)) return;
    // It would wait for machines that never come. Where there are several cells, one of just the
    // size that is needed has often a member less, and a log stays in the books of the cell in
    // which it was opened (seed 52).
    const std::size_t members = plan_.world.params.sharing.cell.cell_size;
    const std::size_t needed = sched::machines_needed(job.replicas_required);
    const bool few =
        plan_.nodes.size() > members ? members < needed + 2 : plan_.nodes.size() < needed;
    if (few) job.replicas_required = 0;
    job.service_class = draw_class(node, rng);
    if (plan_.after) after_.draw(job, node, rng);
    gangs_.draw(job, rng);
    if (plan_.stages) StageWatch::draw(job, rng);
    if (plan_.inputs) InputWatch::draw(job, plan_.nodes, rng);
    if (plan_.words) WordWatch::draw(job, rng);
    const auto id = world_.submit(node, job, true);
    if (!id) return world_.fail("a good job was refused: " + id.error().text);
    jobs_[*id] = std::move(job);
    job_deeds_.add(*id);
    clocks_.note(*id);
    words_.note(*id, !plan_.clocks);
  }

  /// A class that is known there, or none.
  std::string draw_class(std::size_t node, Rng& rng) const {
    const auto& known = world_.peer(node).classes().classes;
    return known.empty() || rng.chance(0.3) ? "" : known[rng.index(known.size())].name;
  }

  /// A new table, made of the latest that this node has heard of.
  void share(std::size_t node, Rng& rng) {
    if (!world_.up(node)) return;
    const std::uint64_t version = world_.peer(node).classes().version + 1;
    const auto set = world_.set_classes(node, draw_table(plan_, version, rng));
    if (!set) world_.fail("a good table of classes was refused: " + set.error().text);
  }

  void heal() {
    world_.calm();
    node_deeds_.end_all();
    for (std::size_t node = 0; node < world_.size(); ++node) {
      if (!world_.up(node)) world_.restart(node);
      world_.drain(node, false);
    }
    job_deeds_.release_all();
  }

  bool is_forgiven(const JobId& job) const {
    return forgiven_.contains(job) || watch_.is_lost(job);
  }

  void check_acknowledged() {
    if (plan_.replicas) watch_.look();
    for (const JobId& job : world_.acknowledged()) {
      // The watch looks at those that another node may drive by now.
      if (jobs_.at(job).replicas > 0 || is_forgiven(job)) continue;
      const std::size_t home = World::node_of(job.home);
      if (world_.up(home) && sched::frontend_of(world_.peer(home)).find(job) == nullptr) {
        return world_.fail("an acknowledged submit is lost: " + text_of(job));
      }
    }
  }

  bool all_finished() {
    if (plan_.replicas) job_deeds_.release_all();  // Some had no home when all was healed.
    const auto ended = [&](const JobId& job) {
      return is_forgiven(job) || watch_.finisher(job) || after_.is_stuck(job);
    };
    return world_.all_durable() && std::ranges::all_of(world_.acknowledged(), ended) &&
        std::ranges::all_of(jobs_, [&](const auto& each) {
          const auto node = watch_.driver(each.first);
          return !node || sched::find_job(world_.peer(*node), each.first)->finished() ||
              after_.is_stuck(each.first);
        });
  }

  std::string unfinished() const {
    std::string text = "after healing these never finish:";
    for (const auto& [job, submitted] : jobs_) {
      if (is_forgiven(job) || watch_.finisher(job) || after_.is_stuck(job)) continue;
      const bool acknowledged = std::ranges::count(world_.acknowledged(), job) > 0;
      const auto node = watch_.driver(job);
      if (!node && !acknowledged) continue;
      text += " " + text_of(job) + (acknowledged ? "" : ", not acknowledged,");
      if (!node) {
        text += " has no home,";
        continue;
      }
      const sched::JobState* const state = sched::find_job(world_.peer(*node), job);
      text += " at node " + std::to_string(*node + 1);
      for (std::size_t i = 0; i < sched::kTaskStates; ++i) {
        text += " " + std::to_string(state->counts().of[i]) + " " +
            std::string(sched::kTaskStateWords[i]) + ",";
      }
      for (std::uint16_t group = 0; group < sched::group_count(*state); ++group) {
        if (state->offered(group) == 0) continue;
        const sched::TaskGroup& spec = state->spec_of(group);
        text += " " + std::to_string(state->offered(group)) + " of group " + std::to_string(group) +
            (spec.gang ? " (a gang)" : "") + " of cpu " + std::to_string(spec.demand.cpu) +
            " memory " + std::to_string(spec.demand.memory) + " offered," +
            InputWatch::describe(*state, group, world_);
      }
      text += after_.describe(job);
      const sched::logs::Shortfall lacking =
          sched::shortfall_of(world_.peer(*node), world_.now(), job);
      if (lacking.lack != sched::logs::Lack::none) {
        text += " lack " + std::to_string(static_cast<int>(lacking.lack)) + ": " +
            std::to_string(lacking.there) + " of " + std::to_string(lacking.needed);
      }
    }
    return text + "\n" + watch_.describe();
  }

  /// Each task has one durable result, and it is what its script says.
  void check_results() {
    if (!world_.failure().empty()) return;
    for (const JobId& id : world_.acknowledged()) {
      if (is_forgiven(id) || after_.is_stuck(id)) continue;
      const MemoryStore& store = world_.store(*watch_.finisher(id));
      const sched::Job& job = jobs_.at(id);
      std::uint32_t index = 0;
      for (std::uint16_t g = 0; g < job.groups.size(); ++g) {
        const sched::TaskGroup& group = job.groups[g];
        const bool cancelled =
            job_deeds_.is_cancelled(id) || stages_.may_be_cancelled(store, id, g);
        for (std::uint32_t i = 0; i < group.count; ++i, ++index) {
          const auto wrong = wrong_result(job, group, store.result(id, index), cancelled);
          if (!wrong.empty()) {
            return world_.fail(text_of(id) + " task " + std::to_string(index) + ": " + wrong);
          }
        }
      }
    }
  }

  std::string restless() const {
    std::string text;
    if (watch_.any_lost()) return text;  // Workers look for the homes of lost jobs for an hour.
    for (std::size_t node = 0; node < world_.size(); ++node) {
      const std::string what = stirring(world_, node);
      if (!what.empty()) text += " at node " + std::to_string(node + 1) + " " + what + ";";
    }
    return text;
  }

  const Plan& plan_;
  World world_;
  JobDeeds job_deeds_{world_};
  NodeDeeds node_deeds_{world_};
  ReplicaWatch watch_{world_, job_deeds_};
  Verdict verdict_;
  Jobs jobs_;                       ///< As submitted.
  std::set<JobId, ById> forgiven_;  ///< They were lost with a disk.
  EpochWatch epochs_{world_};
  ClaimWatch claims_{world_, plan_.world.params.sharing};
  PreemptWatch preempts_{world_, plan_.world.params.worker};
  GangWatch gangs_{world_, plan_, jobs_};
  AfterWatch after_{
      world_, job_deeds_, jobs_, [this](const JobId& job) { return is_forgiven(job); }};
  InputWatch inputs_{world_};
  ClockWatch clocks_{world_};
  IdleWatch idle_{world_};
  WordWatch words_{world_, jobs_};
  UsageWatch usage_{world_, job_deeds_};
  StageWatch stages_{
      world_, job_deeds_, jobs_, [this](const JobId& job) { return is_forgiven(job); }};
};

}  // namespace

Verdict run(const Plan& plan) {
  return Run(plan).run();
}

}  // namespace dunlin::test
