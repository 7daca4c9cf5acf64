// SPDX-License-Identifier: MIT
#include "sched/worker/share/class_balance.h"

#include <algorithm>

#include "sched/worker/share/class_shares.h"
#include "sched/worker/share/stride.h"

namespace dunlin::sched {
namespace {

std::int64_t signed_part(std::uint64_t part) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(part, kWholeNode));
}

}  // namespace

ClassBalance::ClassBalance(const ClassShares& shares) {
  double all = 0;
  for (const auto& [class_id, tickets] : shares.tickets()) all += static_cast<double>(tickets);
  for (const auto& [class_id, tickets] : shares.tickets()) {
    const double share = all > 0 ? kWholeNode * (static_cast<double>(tickets) / all) : 0;
    classes_.push_back({.class_id = class_id, .above = -static_cast<std::int64_t>(share)});
  }
}

const ClassBalance::Standing* ClassBalance::find(ClassId class_id) const {
  const auto found = std::ranges::find(classes_, class_id, &Standing::class_id);
  return found == classes_.end() ? nullptr : &*found;
}

void ClassBalance::add(ClassId class_id, std::int64_t part) {
  const auto found = std::ranges::find(classes_, class_id, &Standing::class_id);
  if (found == classes_.end()) {
    classes_.push_back({.class_id = class_id, .above = part});
  } else {
    found->above += part;
  }
}

void ClassBalance::hold(ClassId class_id, std::uint64_t part) {
  add(class_id, signed_part(part));
}

void ClassBalance::release(ClassId class_id, std::uint64_t part) {
  add(class_id, -signed_part(part));
}

bool ClassBalance::lacks(ClassId class_id, std::uint64_t part) const {
  const Standing* const standing = find(class_id);
  return standing != nullptr && 2 * standing->above + signed_part(part) < 0;
}

bool ClassBalance::spares(ClassId class_id, std::uint64_t part) const {
  const Standing* const standing = find(class_id);
  return standing != nullptr && 2 * standing->above - signed_part(part) > 0;
}

std::optional<ClassId> ClassBalance::furthest() const {
  const auto first = std::ranges::max_element(classes_, {}, &Standing::above);
  if (first == classes_.end() || first->above <= 0) return std::nullopt;
  return first->class_id;
}

}  // namespace dunlin::sched
