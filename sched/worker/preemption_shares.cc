// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <string>

#include "sched/resources.h"
#include "sched/worker/preemption.h"
#include "sched/worker/share/stride.h"

// What classes hold of a node. While a local master calls the roll, global masters say which class
// yields to which, by their shares of the cluster; else the shares of this node alone decide.
namespace dunlin::sched {

void Preemption::recount() const {
  if (params_.preempt == PreemptMode::plan) {
    planned_.recount(running_.running(), requests_.pending());
  }
  if (params_.preempt != PreemptMode::share || shares_ == nullptr) return;
  balance_ = ClassBalance(*shares_);
  for (const RunningTask& each : running_.running()) {
    const Resources& held = each.waits ? each.demand : held_by(each);
    if (!each.killed) balance_.hold(class_of(each.class_id), slots_.part(held));
  }
  for (const PendingRequest& each : requests_.pending()) {
    const Reserve& reserve = each.reservation.reserve;
    for (std::uint16_t task = 0; task < each.room; ++task) {
      balance_.hold(class_of(reserve.class_id), slots_.part(reserve.demand));
    }
  }
}

ClassId Preemption::class_of(ClassId class_id) const {
  return shares_ == nullptr ? class_id : shares_->class_of(class_id);
}

bool Preemption::start_over(
    Turn& turn, const QueuedReservation& asked, const Tasks& tasks, ClassId over) {
  const Reserve& reserve = asked.reserve;
  const bool may = params_.preempt == PreemptMode::share && shares_ != nullptr &&
      shares_->enforced() && class_of(reserve.class_id) != over && !slots_.unfit(reserve);
  if (!may || (users_ != nullptr && users_->crowded_by(reserve))) return false;
  std::vector<Resources> leaves;
  const std::vector<Candidate> found =
      candidates([&](const RunningTask& running) { return class_of(running.class_id) == over; },
          turn.now, leaves);
  const auto stopped = choose_victims(reserve.demand, 1, room_for(reserve), found);
  if (!stopped || stopped->empty()) return false;
  running_.start(turn, asked, tasks, tasks.tasks.front(), true);
  for (const std::size_t victim : *stopped) {
    running_.preempt(turn, victim, reserve.job,
        "for job " + std::to_string(reserve.job.number) + " of a class below its share");
  }
  return true;
}

std::vector<ClassUse> Preemption::uses() const {
  std::vector<ClassUse> uses;
  if (params_.preempt != PreemptMode::share || shares_ == nullptr || !shares_->enforced()) {
    return uses;
  }
  for (const RunningTask& each : running_.running()) {
    if (each.killed) continue;
    const ClassId class_id = class_of(each.class_id);
    // Jobs with a log are no global master's, whichever node drives them.
    const PeerId frontend = each.log.log == 0 ? each.frontend.id : PeerId{};
    auto use = std::ranges::find_if(uses, [&](const ClassUse& other) {
      return other.class_id == class_id && other.frontend == frontend;
    });
    if (use == uses.end()) {
      if (uses.size() == MemberRow::kUsesMax) continue;
      use = uses.insert(use, {.class_id = class_id, .frontend = frontend});
    }
    const Resources& held = each.waits ? each.demand : held_by(each);
    use->used += slots_.part(held) * slots_.total().cpu / kWholeNode;
    const bool yields = !each.waits && !each.suspended &&
        each.yield.on_preempt != OnPreempt::never && each.yield.preemptions < params_.preempt_max;
    if (!yields) continue;
    const bool stands = each.yield.on_preempt == OnPreempt::suspend;
    give(use->yields,
        stands ? Resources{.cpu = each.demand.cpu, .memory = 0, .custom = {}} : each.demand);
  }
  return uses;
}

}  // namespace dunlin::sched
