// SPDX-License-Identifier: MIT
#include "sched/cell/manager/allocation.h"

#include <algorithm>

#include "overlay/ensure.h"
#include "sched/sharing/bank.h"
#include "sched/sharing/reserves.h"

// A period's plan counts only members that reported under their present grants: what a member used
// under older ones says nothing of these. The others keep what they have until it is over. One
// allocation is under way at a time. A cell may have more members, and a plan open more accounts,
// than one entry of the log should carry. So sheets and deposits go in several entries, each as a
// period of its own: it replaces the grants of its own nodes alone.
namespace dunlin::sched {
namespace {

/// Sheets, and deposits, that one entry of the log carries.
constexpr std::size_t kSheetsPerEntry = books::Allocate::kSheetsMax;
constexpr std::size_t kDepositsPerEntry = 1024;

/// The part of a list that goes into entry `i`, if each takes `size` of it.
template <typename T>
std::vector<T> part_of(const std::vector<T>& all, std::size_t i, std::size_t size) {
  const std::size_t first = std::min(all.size(), i * size);
  const std::size_t last = std::min(all.size(), first + size);
  return {all.begin() + static_cast<std::ptrdiff_t>(first),
      all.begin() + static_cast<std::ptrdiff_t>(last)};
}

std::vector<ClassId> class_ids_of(const CellBooks& books) {
  std::vector<ClassId> ids;
  for (const auto& each : books.roster().classes.classes) ids.push_back(each.class_id);
  return ids;
}

}  // namespace

Allocation::Allocation(const SharingParams& params, Membership& members)
    : params_(&params),
      members_(&members) {}

bool Allocation::is_on(const LeaderTurn& turn) const {
  return turn.level() == 0 || params_->cell.sharing != SharingMode::bank;
}

void Allocation::on_report(const LeaderTurn& turn, const cell::MemberReport& report) {
  if (is_on(turn)) fresh_.note(report.member);
}

void Allocation::on_period(const LeaderTurn& turn) {
  ++rounds_;
  if (is_on(turn) && !turn.ending) allocate(turn);
}

void Allocation::on_outcome(const LeaderTurn& turn, const Resolution& outcome) {
  if (outcome.id != proposal_) return;
  proposal_.reset();
  if (outcome.committed) members_->answer_all(turn);
}

void Allocation::set_weights(std::span<const cell::Grant> weights, Time until) {
  weights_.assign(weights.begin(), weights.end());
  weights_until_ = until;
}

Tickets Allocation::weight_of(const books::Class& each) const {
  if (weights_.empty()) return each.share;
  const auto at = std::ranges::find(weights_, each.class_id, &cell::Grant::class_id);
  return at == weights_.end() ? 0 : at->tickets;
}

// Rows are the members that reported, columns the classes, both in the order of the books.
SharingInput Allocation::input(const CellBooks& books, std::span<const MemberId> nodes) const {
  const auto& classes = books.roster().classes.classes;
  SharingInput input;
  input.period = rounds_;
  input.previous = Matrix<Tickets>(nodes.size(), classes.size());
  input.used = input.previous;
  input.need = input.previous;
  input.soon = input.previous;
  input.local_reserves = input.previous;
  for (const auto& each : classes) {
    input.weights.push_back(weight_of(each));
    input.balances.push_back(books.ledger().balance(each.class_id));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) add_row(books, nodes[i], i, input);
  return input;
}

// A class with tasks that wait did not leave tickets unused of its own accord, so it counts as
// having used them: a node that runs few tasks at once cannot deal out its time by the ticket.
void Allocation::add_row(
    const CellBooks& books, MemberId id, std::size_t row, SharingInput& input) const {
  const Ledger& ledger = books.ledger();
  ensure(ledger.node(id) != nullptr && members_->find(id) != nullptr, "a plan for no member");
  const books::Node& node = *ledger.node(id);
  const cell::MemberReport& report = members_->find(id)->report;
  const auto& classes = books.roster().classes.classes;
  input.tickets.push_back(node.tickets);
  for (std::size_t j = 0; j < classes.size(); ++j) {
    const ClassId class_id = classes[j].class_id;
    const auto grant = std::ranges::find(node.grants, class_id, &books::Share::class_id);
    if (grant != node.grants.end()) input.previous(row, j) = grant->tickets;
    if (const books::Use* use = use_of(report, class_id)) {
      input.need(row, j) = sound(use->need);
      const Tickets owed = input.need(row, j) > 0 ? input.previous(row, j) : 0;
      input.used(row, j) = std::max(sound(use->used), owed);
      input.soon(row, j) = sound(use->soon);
    }
    input.local_reserves(row, j) = ledger.local_reserve(class_id, id);
  }
}

Result<SharingPlan> Allocation::plan(const SharingInput& input) const {
  if (params_->cell.sharing != SharingMode::cluster_reserves) {
    return plan_bank(params_->bank, input);
  }
  return plan_reserves(params_->reserves, input).map([](ReservesPlan&& made) {
    return std::move(made.plan);
  });
}

// Even with nothing to grant, time has to go on in the books: savings and grants expire by it. The
// weights of a parent that is lost end with their term, as grants do at a node.
void Allocation::allocate(const LeaderTurn& turn) {
  if (proposal_) return;
  if (turn.now >= weights_until_) weights_.clear();
  const auto nodes = fresh_.reporting(turn.books, *members_);
  const SharingInput known = input(turn.books, nodes);
  const bool weighted =
      std::ranges::any_of(known.weights, [](Tickets weight) { return weight > 0; });
  if (nodes.empty() || !weighted) {
    turn.propose(books::Tick{});
    return;
  }
  const auto made = plan(known);
  if (!made) return;
  const bool bank = params_->cell.sharing == SharingMode::bank;
  books::Allocate command =
      to_command(*made, turn.books.ledger().state().period + 1, nodes, class_ids_of(turn.books),
          {.now = turn.stamp(),
              .grant_life = params_->cell.grant_life,
              .margin = params_->cell.margin,
              .expiry = bank ? params_->bank.expiry : params_->reserves.memory,
              .local_reserve_expiry = params_->bank.local_reserve_expiry});
  for (const MemberId node : nodes) fresh_.use(node);
  propose(turn, std::move(command));
}

void Allocation::propose(const LeaderTurn& turn, books::Allocate command) {
  const std::vector<books::Sheet> sheets = std::exchange(command.sheets, {});
  const std::vector<books::Saving> deposits = std::exchange(command.deposits, {});
  for (std::size_t i = 0;
      i == 0 || i * kSheetsPerEntry < sheets.size() || i * kDepositsPerEntry < deposits.size();
      ++i) {
    command.sheets = part_of(sheets, i, kSheetsPerEntry);
    command.deposits = part_of(deposits, i, kDepositsPerEntry);
    // Members are told when the last entry with grants is committed.
    const auto id = turn.propose(command);
    if (i == 0 || !command.sheets.empty()) proposal_ = id;
    command.draws.clear();
    ++command.period;
  }
}

}  // namespace dunlin::sched
