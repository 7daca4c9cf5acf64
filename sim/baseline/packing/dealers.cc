// SPDX-License-Identifier: MIT
#include "sim/baseline/packing/dealers.h"

#include <algorithm>
#include <tuple>

// Which task a machine with free room gets, by the schedulers that packing is compared with: slots
// of memory with fair shares of them, dominant resource fairness, and Tetris' packer. Each sees all
// jobs, and what is free on each machine as its last report had it.
namespace dunlin::sim {
namespace {

using sched::packing::Shares;

/// Of the jobs with something to start, the one that `key` puts first; then the first to come.
template <typename Choice, typename Claims, typename Startable, typename Key>
std::optional<Choice> first_by(const Claims& claims, Startable&& startable, Key&& key) {
  std::optional<Choice> best;
  double min = 0;
  for (const auto& claim : claims) {
    const double value = key(*claim);
    // Before `startable`, which is the dear part: few jobs come first.
    if (best && value >= min) continue;
    const auto stage = startable(*claim);
    if (!stage) continue;
    best = Choice{claim.get(), *stage};
    min = value;
  }
  return best;
}

/// The resources of which there is some, in the order of a node's dimensions.
Shares shares_of(const Usage& amounts, const Usage& total) {
  Shares shares;
  for (std::size_t r = 0; r < kResourceKinds; ++r) {
    if (total[r] > 0) shares.push_back(amounts[r] / total[r]);
  }
  return shares;
}

}  // namespace

SlotDealer::SlotDealer(const Options& options, Recorder& recorder)
    : Dealer(options, recorder),
      slot_(params().slot) {
  if (slot_ > 0) return;
  // Larger slots would leave CPUs idle beside memory that no task needs.
  slot_ = 1;
  for (std::uint32_t i = 0; i < machines(); ++i) {
    const std::uint32_t cpus = std::max(1u, total(i).cpu / 1000);
    slot_ = std::max(slot_, total(i).memory / cpus);
  }
}

sched::Resources SlotDealer::counted(const sched::Resources& demand) const {
  // A task of little memory takes a whole slot, and one of more than a slot takes several.
  const std::uint32_t slots = std::max(1u, (demand.memory + slot_ - 1) / slot_);
  // CPU does not count for slots: that is what they are blamed for.
  return {.cpu = 0, .memory = slots * slot_, .custom = {}};
}

std::optional<Dealer::Choice> SlotDealer::choose(std::uint32_t, const sched::Resources& free) {
  return first_by<Choice>(
      claims(), [&](const Claim& claim) { return startable(claim, free); },
      [&](const Claim& claim) {
        // Slots that its running tasks take.
        std::uint64_t slots = 0;
        // By what its tasks take now, not by what they got so far: a job that has just ended many
        // is served like one that has none.
        for (std::size_t i = 0; i < claim.stages().size(); ++i) {
          const Claim::Stage& stage = claim.stages()[i];
          const std::uint64_t each = counted(claim.group(i).demand).memory / slot_;
          slots += (stage.next - stage.ended) * each;
        }
        return static_cast<double>(slots);
      });
}

sched::Resources DominantShareDealer::counted(const sched::Resources& demand) const {
  if (params().resources == DealtResources::all) return demand;
  return {.cpu = demand.cpu, .memory = demand.memory, .custom = {}};
}

std::optional<Dealer::Choice> DominantShareDealer::choose(
    std::uint32_t, const sched::Resources& free) {
  return first_by<Choice>(
      claims(), [&](const Claim& claim) { return startable(claim, free); },
      [&](const Claim& claim) {
        Usage held = claim.held();
        if (params().resources == DealtResources::cpu_memory) {
          // Disks and networks are no resources of this variant.
          std::fill(held.begin() + kMemoryKind + 1, held.end(), 0.0);
        }
        return dominant_share(held, cluster());
      });
}

TetrisDealer::TetrisDealer(const Options& options, Recorder& recorder) : Dealer(options, recorder) {
  for (std::uint32_t i = 0; i < machines(); ++i) packers_.emplace_back(options.rules, total(i));
}

Shares TetrisDealer::weights(std::uint32_t machine) const {
  const sched::packing::Packer& packer = packers_[machine];
  // Weights that all are 1 need no walk over the claims.
  if (packer.rules().scarcity == 0) return packer.dimensions().all(1);
  Usage backlog{};
  for (const auto& claim : claims()) {
    for (std::size_t r = 0; r < kResourceKinds; ++r) backlog[r] += claim->work()[r];
  }
  return sched::packing::scarcity_weights(
      shares_of(backlog, usage_of(total(machine))), packer.rules().scarcity);
}

std::optional<Dealer::Choice> TetrisDealer::find_place(
    Claim& claim, std::size_t stage, std::uint32_t machine, const sched::Resources& free) const {
  using sched::InputPlace;
  const Claim::Stage& of = claim.stages()[stage];
  const sched::TaskGroup& group = claim.group(stage);
  const bool has_places = of.inputs.any();
  const bool fits_elsewhere = sched::fits(group.demand, free);
  if (!has_places) return fits_elsewhere ? std::optional<Choice>({&claim, stage}) : std::nullopt;
  // Here first: a task beside its input needs no loan.
  if (claim.waiting_at(stage, machine) > 0 && sched::fits(of.here, free)) {
    return Choice{&claim, stage, InputPlace::here};
  }
  if (!fits_elsewhere) return std::nullopt;
  const sched::Resources loan = sched::borrowed_for_input(sched::input_terms(group.inputs, 0));
  for (const std::uint32_t source : claim.sources(stage)) {
    if (source == machine) return std::nullopt;  // It is here, and finds no room.
    if (!sched::fits(loan, this->free(source))) continue;
    return Choice{&claim, stage, InputPlace::elsewhere, source};
  }
  return std::nullopt;
}

std::optional<Dealer::Choice> TetrisDealer::choose(
    std::uint32_t machine, const sched::Resources& free) {
  const sched::packing::Packer& packer = packers_[machine];
  const Usage has = usage_of(total(machine));
  jobs_.clear();
  candidates_.clear();
  choices_.clear();
  for (const auto& claim : claims()) {
    bool waits = false;
    const auto job = static_cast<std::uint32_t>(jobs_.size());
    for (std::size_t i = 0; i < claim->stages().size(); ++i) {
      if (claim->waiting(i) == 0) continue;
      waits = true;
      const auto choice = find_place(*claim, i, machine, free);
      if (!choice) continue;
      const bool here = choice->input == sched::InputPlace::here;
      candidates_.push_back({.job = job,
          .demand = here ? &claim->stages()[i].here : &claim->group(i).demand,
          // In shares of this very machine, as the packer compares what fits there.
          .work_left = sum_of_shares(claim->work(), has),
          .remote = choice->input == sched::InputPlace::elsewhere,
          .hurries = sched::packing::nears_barrier(packer.rules().barrier, claim->finished(i))});
      choices_.push_back(*choice);
    }
    if (!waits) continue;
    jobs_.push_back({.share = dominant_share(claim->held(), cluster()),
        .submitted = static_cast<std::int64_t>(claim->order())});
  }
  if (candidates_.empty()) return std::nullopt;
  const auto best = packer.choose(free, weights(machine), jobs_, candidates_);
  return best ? std::optional(choices_[*best]) : std::nullopt;
}

}  // namespace dunlin::sim
