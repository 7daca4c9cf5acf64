// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/cell/cell_manager.h"
#include "sched/sharing/apportion.h"
#include "sched/sharing/bank.h"

// What a manager does each period: allocate, and move savings between cells.
namespace dunlin::sched {
namespace {

/// Deposits that one entry of the log carries beside the sheets of a whole cell.
constexpr std::size_t kDepositsPerEntry = 1024;

const books::Use* use_of(const cell::MemberReport& report, ClassId class_id) {
  const auto at = std::ranges::find(report.uses, class_id, &books::Use::class_id);
  return at == report.uses.end() ? nullptr : &*at;
}

/// What a stranger says, as an amount.
Tickets sound(Tickets tickets) {
  return std::clamp<Tickets>(tickets, 0, kTicketsMax);
}

}  // namespace

void CellManager::wake(const CellTurn& turn, const LeaderContext& context, const CellHints& hints) {
  if (turn.now < next_) return;
  next_ = turn.now + params_->cell.period;
  if (context.books.roster().closed) return;
  ++rounds_;
  evict(turn, context);
  look_for_lost(turn, context, hints);
  desk_.offer_all(turn, context, stamp(turn.now), hints);
  if (context.books.roster().dissolving) return wind_up(turn, context, hints);
  change_voters(turn, context);
  consider_merging(turn, context, hints);
  const bool above = level_of(context.books.cell()) > 0;
  if (above && params_->cell.sharing == SharingMode::bank) {
    order_transfers(turn, context);
    propose_command(turn, context, books::Tick{});
  } else {
    allocate(turn, context);
  }
}

std::vector<PeerId> CellManager::reporting(const LeaderContext& context) const {
  std::vector<PeerId> nodes;
  for (const auto& node : context.books.ledger().state().nodes) {
    const auto at = members_.find(node.node);
    // What was used under other grants says nothing of these.
    const bool counts =
        at != members_.end() && at->second.reported && at->second.report.period >= node.period;
    if (!node.leaving && counts) nodes.push_back(node.node);
  }
  return nodes;
}

Tickets CellManager::weight_of(const books::Class& each) const {
  if (weights_.empty()) return each.share;
  const auto at = std::ranges::find(weights_, each.class_id, &cell::Grant::class_id);
  return at == weights_.end() ? 0 : at->tickets;
}

SharingInput CellManager::input(const LeaderContext& context, std::span<const PeerId> nodes) const {
  const Ledger& ledger = context.books.ledger();
  const auto& classes = context.books.roster().classes.classes;
  SharingInput input;
  input.period = rounds_;
  input.previous = Matrix<Tickets>(nodes.size(), classes.size());
  input.used = input.previous;
  input.need = input.previous;
  input.local_reserves = input.previous;
  for (const auto& each : classes) {
    input.weights.push_back(weight_of(each));
    input.balances.push_back(ledger.balance(each.class_id));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const books::Node& node = *ledger.node(nodes[i]);
    const cell::MemberReport& report = members_.at(nodes[i]).report;
    input.tickets.push_back(node.tickets);
    for (std::size_t j = 0; j < classes.size(); ++j) {
      const ClassId class_id = classes[j].class_id;
      const auto grant = std::ranges::find(node.grants, class_id, &books::Share::class_id);
      if (grant != node.grants.end()) input.previous(i, j) = grant->tickets;
      if (const books::Use* use = use_of(report, class_id)) {
        input.need(i, j) = sound(use->need);
        // Whose tasks wait did not leave tickets unused of its own accord: a node that runs but a
        // few tasks at once cannot deal it out by the ticket, and its worker makes up for it later.
        const Tickets owed = input.need(i, j) > 0 ? input.previous(i, j) : 0;
        input.used(i, j) = std::max(sound(use->used), owed);
      }
      input.local_reserves(i, j) = ledger.local_reserve(class_id, nodes[i]);
    }
  }
  return input;
}

// Without a class table nothing is granted; but time goes on in the books.
void CellManager::allocate(const CellTurn& turn, const LeaderContext& context) {
  if (allocation_ != 0) return;
  const auto nodes = reporting(context);
  const SharingInput known = input(context, nodes);
  const bool weighted =
      std::ranges::any_of(known.weights, [](Tickets weight) { return weight > 0; });
  if (nodes.empty() || !weighted) {
    propose_command(turn, context, books::Tick{});
    return;
  }
  Result<SharingPlan> plan = params_->cell.sharing == SharingMode::cluster_reserves
      ? plan_reserves(params_->reserves, known).map([](ReservesPlan&& made) {
          return std::move(made.plan);
        })
      : plan_bank(params_->bank, known);
  if (!plan) return;
  std::vector<ClassId> class_ids;
  for (const auto& each : context.books.roster().classes.classes) {
    class_ids.push_back(each.class_id);
  }
  const bool bank = params_->cell.sharing == SharingMode::bank;
  books::Allocate command =
      to_command(*plan, context.books.ledger().state().period + 1, nodes, class_ids,
          {.now = stamp(turn.now),
              .grant_life = params_->cell.grant_life,
              .margin = params_->cell.margin,
              .expiry = bank ? params_->bank.expiry : params_->reserves.memory,
              .local_reserve_expiry = params_->bank.local_reserve_expiry});
  std::vector<books::Saving> deposits = std::move(command.deposits);
  command.deposits.clear();
  for (const PeerId node : nodes) members_.at(node).reported = false;
  const std::uint64_t period = command.period;
  for (std::size_t first = 0; first == 0 || first < deposits.size(); first += kDepositsPerEntry) {
    const std::size_t last = std::min(deposits.size(), first + kDepositsPerEntry);
    command.deposits.assign(deposits.begin() + static_cast<std::ptrdiff_t>(first),
        deposits.begin() + static_cast<std::ptrdiff_t>(last));
    const auto id = propose_command(turn, context, command);
    if (command.period == period) allocation_ = id;
    command.sheets.clear();
    command.draws.clear();
    ++command.period;
  }
}

std::vector<books::Use> CellManager::uses(const LeaderContext& context) const {
  std::vector<books::Use> uses;
  for (const auto& each : context.books.roster().classes.classes) {
    books::Use sum{.class_id = each.class_id, .used = 0, .need = 0, .balance = 0};
    for (const auto& node : context.books.ledger().state().nodes) {
      const auto at = members_.find(node.node);
      const books::Use* use =
          at == members_.end() ? nullptr : use_of(at->second.report, each.class_id);
      if (use == nullptr) continue;
      sum.used += sound(use->used);
      sum.need += sound(use->need);
      sum.cpu += sound(use->cpu);
      sum.balance += level_of(context.books.cell()) > 0 ? sound(use->balance) : 0;
    }
    sum.balance = sound(sum.balance + context.books.ledger().balance(each.class_id));
    sum.used = sound(sum.used);
    sum.need = sound(sum.need);
    sum.cpu = sound(sum.cpu);
    uses.push_back(sum);
  }
  return uses;
}

// Source: CS 736 slides, "Transfer Strategy": from usage reports of lower managers.
void CellManager::order_transfers(const CellTurn& turn, const LeaderContext& context) {
  const auto& classes = context.books.roster().classes.classes;
  const auto cells = reporting(context);
  if (classes.empty() || cells.size() < 2) return;
  std::vector<Tickets> weights;
  for (const auto& each : classes) weights.push_back(each.share);
  std::vector<ManagerReport> reports;
  for (const PeerId id : cells) {
    Member& member = members_.at(id);
    member.reported = false;
    ManagerReport report{.cell = id.value, .balances = {}, .used = {}, .shares = {}};
    report.shares = apportion(context.books.ledger().node(id)->tickets, weights);
    for (const auto& each : classes) {
      const books::Use* use = use_of(member.report, each.class_id);
      report.balances.push_back(use == nullptr ? 0 : sound(use->balance));
      report.used.push_back(use == nullptr ? 0 : sound(use->used));
    }
    reports.push_back(std::move(report));
  }
  const auto plan = plan_transfers(params_->transfer, reports);
  if (!plan) return;
  for (const Transfer& transfer : *plan) {
    turn.out.send(members_.at({transfer.from}).from,
        cell::Order{.cell = transfer.from,
            .parent = context.books.cell(),
            .epoch = epoch_,
            .number = ++orders_,
            .to = transfer.to,
            .contact = contact_of(members_.at({transfer.to}).from),
            .class_id = classes[transfer.class_id].class_id,
            .tickets = transfer.tickets});
  }
}

void CellManager::order(
    const CellTurn& turn, const LeaderContext& context, const cell::Order& order) {
  desk_.order(context, order, proposer(turn, context));
}

void CellManager::offer(const CellTurn& turn,
    const LeaderContext& context,
    const Endpoint& from,
    const cell::SavingsOffer& offer) {
  desk_.offer(turn, context, from, offer, proposer(turn, context));
}

bool CellManager::verdict(
    const CellTurn& turn, const LeaderContext& context, PeerId from, const cell::Verdict& verdict) {
  return desk_.verdict(context, from, verdict, proposer(turn, context));
}

}  // namespace dunlin::sched
