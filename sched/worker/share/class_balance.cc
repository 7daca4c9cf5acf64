// SPDX-License-Identifier: MIT
#include "sched/worker/share/class_balance.h"

#include <algorithm>
#include <functional>

#include "sched/worker/share/class_shares.h"
#include "sched/worker/share/stride.h"

namespace dunlin::sched {
namespace {

/// More than any whole there is.
constexpr std::uint64_t kPartMax = std::uint64_t{1} << 50;

std::int64_t signed_part(std::uint64_t part) {
  return static_cast<std::int64_t>(std::min(part, kPartMax));
}

}  // namespace

ClassBalance::ClassBalance(const ClassShares& shares)
    : ClassBalance(shares.tickets(), kWholeNode) {}

ClassBalance::ClassBalance(
    std::span<const std::pair<ClassId, Tickets>> shares, std::int64_t whole) {
  double all = 0;
  for (const auto& [class_id, tickets] : shares) all += static_cast<double>(tickets);
  for (const auto& [class_id, tickets] : shares) {
    const double part = all > 0 ? static_cast<double>(tickets) / all : 0;
    const auto share = static_cast<std::int64_t>(static_cast<double>(whole) * part);
    classes_.push_back({.class_id = class_id, .above = -share});
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

bool ClassBalance::affords(ClassId class_id, std::uint64_t part) const {
  const Standing* const standing = find(class_id);
  return standing != nullptr && standing->above + signed_part(part) <= 0;
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

std::vector<ClassId> ClassBalance::above() const {
  std::vector<Standing> found;
  for (const Standing& each : classes_) {
    if (each.above > 0) found.push_back(each);
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Standing::above);
  std::vector<ClassId> class_ids;
  for (const Standing& each : found) class_ids.push_back(each.class_id);
  return class_ids;
}

}  // namespace dunlin::sched
