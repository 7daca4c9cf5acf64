// SPDX-License-Identifier: MIT
#include "sched/sharing/transfer.h"

#include <algorithm>
#include <limits>

// Savings are worth something only where their class has work. A class is in need in a cell where
// it uses about its share or more (use_high), and can spare its savings where it uses far less
// (use_low). The places, a class in a cell each, are walked from the greatest need down. `simple`
// makes one transfer a class: the greatest need takes from the richest. `detailed` serves every
// place in need, each from several others, the idlest first. Balances are counted down as they are
// promised, so no ticket is promised twice. Source: CS 736 slides, "Transfer Strategy".
namespace dunlin::sched {
namespace {

/// A class at a manager, both by index.
struct Place {
  std::size_t manager = 0;
  std::size_t class_id = 0;
  double use = 0;  ///< Usage in shares.
};

/// Usage in shares; infinite for a class that uses something and has no share.
double use_of(const ManagerReport& report, std::size_t class_id) {
  const auto used = static_cast<double>(report.used[class_id]);
  if (report.shares[class_id] > 0) return used / static_cast<double>(report.shares[class_id]);
  return used > 0 ? std::numeric_limits<double>::infinity() : 0;
}

Result<void> validate(std::span<const ManagerReport> reports) {
  for (const ManagerReport& report : reports) {
    const std::string name = "transfer: the report of cell " + std::to_string(report.cell.value);
    const std::size_t classes = reports.front().balances.size();
    for (const auto* row : {&report.balances, &report.used, &report.shares}) {
      if (row->size() != classes) {
        return failure(ErrorKind::usage, name + " has another number of classes than the first");
      }
      if (std::ranges::any_of(*row, [](Tickets tickets) { return tickets < 0; })) {
        return failure(ErrorKind::usage, name + " has a negative amount");
      }
    }
  }
  return {};
}

/// One round of planning.
class Transfers {
 public:
  Transfers(const TransferParams& params, std::span<const ManagerReport> reports)
      : params_(params),
        reports_(reports) {
    for (std::size_t i = 0; i < reports.size(); ++i) {
      balances_.push_back(reports[i].balances);
      for (std::size_t j = 0; j < reports[i].balances.size(); ++j) {
        places_.push_back({.manager = i, .class_id = j, .use = use_of(reports[i], j)});
      }
    }
    // The greatest need comes first; equals keep the order of cells and classes.
    std::ranges::stable_sort(places_, [](const Place& a, const Place& b) { return a.use > b.use; });
  }

  std::vector<Transfer> run() && {
    std::vector<bool> served(reports_.empty() ? 0 : reports_[0].balances.size(), false);
    for (const Place& taker : places_) {
      if (params_.strategy == TransferStrategy::none || taker.use < params_.use_high) break;
      if (params_.strategy == TransferStrategy::simple) {
        if (!served[taker.class_id]) take_from_richest(taker);
        served[taker.class_id] = true;
      } else {
        take_from_idlest(taker);
      }
    }
    return std::move(transfers_);
  }

 private:
  bool may_give(const Place& giver, const Place& taker) const {
    return giver.class_id == taker.class_id && giver.manager != taker.manager &&
        giver.use <= params_.use_low && balance_of(giver) > 0;
  }
  Tickets balance_of(const Place& place) const { return balances_[place.manager][place.class_id]; }

  void take_from_richest(const Place& taker) {
    const Place* richest = nullptr;
    for (const Place& giver : places_) {
      if (!may_give(giver, taker)) continue;
      if (richest == nullptr || balance_of(giver) > balance_of(*richest)) richest = &giver;
    }
    if (richest != nullptr) move(*richest, taker);
  }

  void take_from_idlest(const Place& taker) {
    std::size_t givers = 0;
    for (auto giver = places_.rbegin(); giver != places_.rend(); ++giver) {
      if (givers == params_.givers_max) return;
      if (!may_give(*giver, taker)) continue;
      move(*giver, taker);
      ++givers;
    }
  }

  void move(const Place& giver, const Place& taker) {
    Tickets& balance = balances_[giver.manager][giver.class_id];
    const Tickets tickets = std::min(balance, params_.amount);
    balance -= tickets;
    transfers_.push_back({.from = reports_[giver.manager].cell,
        .to = reports_[taker.manager].cell,
        .class_id = taker.class_id,
        .tickets = tickets});
  }

  const TransferParams& params_;
  std::span<const ManagerReport> reports_;
  std::vector<std::vector<Tickets>> balances_;  ///< By manager and class, less what was taken.
  std::vector<Place> places_;
  std::vector<Transfer> transfers_;
};

}  // namespace

Result<std::vector<Transfer>> plan_transfers(
    const TransferParams& params, std::span<const ManagerReport> reports) {
  if (auto sound = validate(reports); !sound) return tl::unexpected(sound.error());
  return Transfers(params, reports).run();
}

std::optional<std::size_t> neediest_of(
    std::span<const ManagerReport> reports, std::size_t class_id) {
  std::optional<std::size_t> neediest;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const double use = use_of(reports[i], class_id);
    if (use > (neediest ? use_of(reports[*neediest], class_id) : 0)) neediest = i;
  }
  return neediest;
}

std::vector<Transfer> take_from_richest(const TransferParams& params,
    std::span<const ManagerReport> reports,
    CellId to,
    std::size_t class_id,
    Tickets tickets) {
  std::vector<const ManagerReport*> givers;
  for (const ManagerReport& report : reports) {
    const bool spares = report.balances[class_id] > 0 && use_of(report, class_id) <= params.use_low;
    if (spares && report.cell != to) givers.push_back(&report);
  }
  std::ranges::stable_sort(givers, [&](const ManagerReport* a, const ManagerReport* b) {
    return a->balances[class_id] > b->balances[class_id];
  });
  std::vector<Transfer> transfers;
  for (const ManagerReport* giver : givers) {
    const Tickets part = std::min(tickets, giver->balances[class_id]);
    if (part <= 0) break;
    transfers.push_back({.from = giver->cell, .to = to, .class_id = class_id, .tickets = part});
    tickets -= part;
  }
  return transfers;
}

}  // namespace dunlin::sched
