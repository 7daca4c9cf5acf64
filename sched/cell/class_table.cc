// SPDX-License-Identifier: MIT
#include "sched/cell/class_table.h"

#include <algorithm>

#include "sched/ledger/cell_books.h"
#include "sched/ledger/wide.h"
#include "sched/sharing/apportion.h"

// A class that left its share unused is granted next to nothing, and the others get what it left.
// If it wants something in the middle of a period, it should not wait for the next grants. So the
// worker gives it a weight beside those of the others which makes just its share of the whole:
// w / (w + tickets) = share / tickets, hence w = share × tickets / (tickets - share). One that
// waits and was granted nothing all the same is to have its share on other nodes: it gets no
// weight.
namespace dunlin::sched {
namespace {

/// A class that was granted less than one part in so many of a node was granted nothing to speak
/// of.
constexpr Tickets kSmallestPart = 100;

/// total × part / whole, no more than can be.
Tickets share_of(Tickets total, Tickets part, Tickets whole) {
  return static_cast<Tickets>(std::min<Wide>(Wide{total} * part / whole, kTicketsMax));
}

}  // namespace

bool ClassTable::adopt(const books::Classes& classes) {
  if (classes.version <= classes_.version || !validate(classes)) return false;
  classes_ = classes;
  return true;
}

Result<void> ClassTable::may_follow(const books::Classes& classes) const {
  if (auto sound = validate(classes); !sound) return sound;
  if (classes.version > classes_.version) return {};
  return failure(ErrorKind::conflict,
      "the class table has version " + std::to_string(classes_.version) +
          " already; read it again, and give yours the next one");
}

ClassTickets ClassTable::shares(Tickets tickets) const {
  std::vector<Tickets> weights;
  for (const auto& each : classes_.classes) weights.push_back(each.share);
  const auto parts = apportion(tickets, weights);
  ClassTickets shares;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    shares.emplace_back(classes_.classes[j].class_id, parts[j]);
  }
  return shares;
}

ClassTickets ClassTable::weights(Tickets tickets, std::span<const cell::Grant> grants) const {
  if (grants.empty()) return shares(tickets);
  ClassTickets weights;
  for (const auto& grant : grants) weights.emplace_back(grant.class_id, grant.tickets);
  for (const auto& [class_id, share] : shares(tickets)) {
    const Tickets whole = share < tickets ? share_of(tickets, share, tickets - share) : tickets;
    const auto at = std::ranges::find(weights, class_id, &ClassTickets::value_type::first);
    if (at == weights.end()) {
      weights.emplace_back(class_id, whole);
    } else if (at->second > 0 && at->second < tickets / kSmallestPart) {
      at->second = std::max(at->second, whole);
    }
  }
  std::ranges::sort(weights);
  return weights;
}

}  // namespace dunlin::sched
