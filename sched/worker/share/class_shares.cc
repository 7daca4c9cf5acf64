// SPDX-License-Identifier: MIT
#include "sched/worker/share/class_shares.h"

#include <algorithm>

#include "sched/ledger/class_name.h"
#include "sched/ledger/wide.h"

// A stride scheduler says which class is due, a meter says what each used. Both are told of every
// slot that is held or released, under the class that the task counts for.
namespace dunlin::sched {
namespace {

/// The element of `class_id` in a list by class_id, made if there is none.
template <typename T>
T& at(std::vector<std::pair<ClassId, T>>& list, ClassId class_id) {
  const auto found = std::ranges::lower_bound(list, class_id, {}, &std::pair<ClassId, T>::first);
  if (found != list.end() && found->first == class_id) return found->second;
  return list.insert(found, {class_id, T{}})->second;
}

Tickets bounded(Wide tickets) {
  return static_cast<Tickets>(std::clamp<Wide>(tickets, 0, kTicketsMax));
}

}  // namespace

ClassId ClassShares::class_of(ClassId class_id) const {
  static const ClassId kOthers = class_id_of("");
  const bool known =
      std::ranges::binary_search(tickets_, class_id, {}, &std::pair<ClassId, Tickets>::first);
  return known ? class_id : kOthers;
}

void ClassShares::set_tickets(Time now, std::vector<std::pair<ClassId, Tickets>> tickets) {
  tickets_ = std::move(tickets);
  stride_.set_tickets(now, tickets_);
}

void ClassShares::hold(Time now, ClassId class_id, std::uint64_t part) {
  stride_.hold(now, class_of(class_id), part);
  meter_.start(now, class_of(class_id), part);
}

void ClassShares::release(Time now, ClassId class_id, std::uint64_t part) {
  stride_.release(now, class_of(class_id), part);
  meter_.stop(now, class_of(class_id), part);
}

void ClassShares::ran(ClassId class_id, Duration cpu) {
  at(cpu_, class_of(class_id)) += std::max(cpu, Duration{0});
}

std::vector<ClassId> ClassShares::classes_of(std::span<const ClassId> class_ids) const {
  std::vector<ClassId> classes;
  for (const ClassId class_id : class_ids) classes.push_back(class_of(class_id));
  return classes;
}

void ClassShares::contend(Time now, std::span<const ClassId> class_ids) {
  stride_.contend(now, classes_of(class_ids));
}

Stride ClassShares::standing(Time now, std::span<const ClassId> class_ids) const {
  Stride stride = stride_;
  stride.contend(now, classes_of(class_ids));
  return stride;
}

std::vector<books::Use> ClassShares::take(
    Time now, Tickets tickets, std::span<const std::pair<ClassId, std::uint64_t>> need) {
  const auto period = (now - meter_.begun()).count();
  std::vector<std::pair<ClassId, books::Use>> uses;
  const auto use_of = [&](ClassId class_id) -> books::Use& {
    books::Use& use = at(uses, class_id);
    use.class_id = class_id;
    return use;
  };
  for (const auto& [class_id, used] : meter_.take(now, tickets)) use_of(class_id).used = used;
  std::vector<std::pair<ClassId, std::uint64_t>> waiting;
  for (const auto& [class_id, part] : need) at(waiting, class_of(class_id)) += part;
  for (const auto& [class_id, part] : waiting) {
    const auto parts = std::min<std::uint64_t>(part, kWholeNode);
    use_of(class_id).need = bounded(Wide{tickets} * static_cast<Wide>(parts) / kWholeNode);
  }
  // A thousandth of a CPU for the period is a ticket. In a period of no length nothing can be
  // averaged, so its CPU time is kept for the next one.
  for (const auto& [class_id, time] : cpu_) {
    if (period > 0) use_of(class_id).cpu = bounded(Wide{time.count()} * 1000 / period);
  }
  if (period > 0) cpu_.clear();

  std::vector<books::Use> result;
  for (auto& [class_id, use] : uses) result.push_back(use);
  demand_.foretell(Duration{period}, result);
  // Tasks that are in no table add one class, "default", to those that a table can have.
  if (result.size() > books::Classes::kClassesMax) {
    std::erase_if(result, [&](const books::Use& use) {
      return !std::ranges::binary_search(
          tickets_, use.class_id, {}, &std::pair<ClassId, Tickets>::first);
    });
  }
  return result;
}

}  // namespace dunlin::sched
