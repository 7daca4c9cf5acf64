// SPDX-License-Identifier: MIT
#include "sched/cell/manager/transfer_orders.h"

#include <algorithm>

#include "sched/sharing/apportion.h"

// A class may have savings in one cell and tasks that wait in another. The cells cannot see that,
// but a cell above both can: reports tell what each class saved and used below. It plans which of
// its members should send how much to which, and orders it. Savings lie in cells of nodes alone, so
// an order goes down to the richest of them on the one side, and names the neediest on the other.
// The order is a wish: the books of the two cells do the transfer, and an order that is lost is
// planned again in the next period.
namespace dunlin::sched {
namespace {

std::optional<std::size_t> column_of(const CellBooks& books, ClassId class_id) {
  const auto& classes = books.roster().classes.classes;
  const auto at = std::ranges::find(classes, class_id, &books::Class::class_id);
  if (at == classes.end()) return std::nullopt;
  return static_cast<std::size_t>(at - classes.begin());
}

/// The cell of nodes to which savings for a member go: the member itself, or one below it.
std::optional<cell::Neediest> receiver_in(
    const CellBooks& books, const KnownMember& member, ClassId class_id) {
  const CellId id = member.report.member.cell();
  if (level_of(books.cell()) == 1) {
    return cell::Neediest{.class_id = class_id, .cell = id, .contact = contact_of(member.from)};
  }
  const auto& neediest = member.report.neediest;
  const auto at = std::ranges::find(neediest, class_id, &cell::Neediest::class_id);
  if (at == neediest.end() || !at->cell || level_of(at->cell) != 0) return std::nullopt;
  return *at;
}

}  // namespace

TransferOrders::TransferOrders(
    const SharingParams& params, const Membership& members, TransferDesk& desk)
    : params_(&params),
      members_(&members),
      desk_(&desk) {}

bool TransferOrders::is_on(const LeaderTurn& turn) const {
  return turn.level() > 0 && params_->cell.sharing == SharingMode::bank;
}

// A balance counts as the member last reported it, less what it was ordered to send since.
void TransferOrders::on_report(const LeaderTurn& turn, const cell::MemberReport& report) {
  if (!is_on(turn)) return;
  fresh_.note(report.member);
  std::erase_if(ordered_, [&](const auto& each) { return each.first.first == report.member; });
}

// Time goes on in the books of this cell, too: savings grow old there.
void TransferOrders::on_period(const LeaderTurn& turn) {
  if (!is_on(turn) || turn.ending) return;
  plan(turn);
  turn.propose(books::Tick{});
}

std::vector<MemberId> TransferOrders::known(const CellBooks& books) const {
  std::vector<MemberId> known;
  for (const auto& node : books.ledger().state().nodes) {
    const KnownMember* member = members_->find(node.node);
    if (!node.leaving && member != nullptr && member->sequence) known.push_back(node.node);
  }
  return known;
}

std::vector<ManagerReport> TransferOrders::reports_of(
    const CellBooks& books, std::span<const MemberId> members) const {
  std::vector<Tickets> weights;
  for (const auto& each : books.roster().classes.classes) weights.push_back(each.share);
  std::vector<ManagerReport> reports;
  for (const MemberId id : members) {
    ManagerReport report{.cell = id.cell(), .balances = {}, .used = {}, .shares = {}};
    report.shares = apportion(books.ledger().node(id)->tickets, weights);
    for (const auto& each : books.roster().classes.classes) {
      const books::Use* use = use_of(members_->find(id)->report, each.class_id);
      const auto ordered = ordered_.find({id, each.class_id});
      const Tickets gone = ordered == ordered_.end() ? 0 : ordered->second;
      report.balances.push_back(
          use == nullptr ? 0 : std::max<Tickets>(0, sound(use->balance) - gone));
      report.used.push_back(use == nullptr ? 0 : sound(use->used));
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

void TransferOrders::plan(const LeaderTurn& turn) {
  const auto& classes = turn.books.roster().classes.classes;
  const auto cells = fresh_.reporting(turn.books, *members_);
  if (classes.empty() || cells.size() < 2) return;
  for (const MemberId id : cells) fresh_.use(id);
  const auto plan = plan_transfers(params_->transfer, reports_of(turn.books, cells));
  if (!plan) return;
  for (const Transfer& transfer : *plan) {
    const KnownMember& taker = *members_->find(transfer.to);
    const auto receiver = receiver_in(turn.books, taker, classes[transfer.class_id].class_id);
    if (receiver) order(turn, transfer, *receiver);
  }
}

void TransferOrders::order(
    const LeaderTurn& turn, const Transfer& transfer, const cell::Neediest& receiver) {
  ordered_[{transfer.from, receiver.class_id}] += transfer.tickets;
  turn.out.send(members_->find(transfer.from)->from,
      cell::Order{.cell = transfer.from,
          .parent = turn.cell(),
          .epoch = turn.epoch(),
          .number = ++orders_,
          .to = receiver.cell,
          .contact = receiver.contact,
          .class_id = receiver.class_id,
          .tickets = transfer.tickets});
}

Handling TransferOrders::on_message(
    const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) {
  const auto* order = std::get_if<cell::Order>(&message);
  if (order == nullptr) return Handling::passed;
  if (!turn.speaks_for(order->parent, from.id)) return Handling::refused;
  const books::Roster& roster = turn.books.roster();
  const bool obeys = order->parent == roster.parent && !roster.dissolving;
  if (!obeys || order->to == turn.cell() || !seen_.take(*order)) return Handling::handled;
  // A cell of cells may have savings of its own, of a cell that ended.
  const Tickets all = sound(order->tickets);
  const Tickets own = std::min(all, turn.books.ledger().balance(order->class_id));
  if (own > 0) desk_->send(turn, order->to, endpoint_of(order->contact), order->class_id, own);
  if (is_on(turn)) hand_down(turn, *order, all - own);
  return Handling::handled;
}

void TransferOrders::hand_down(const LeaderTurn& turn, const cell::Order& order, Tickets tickets) {
  const auto column = column_of(turn.books, order.class_id);
  if (!column) return;
  const auto reports = reports_of(turn.books, known(turn.books));
  const cell::Neediest receiver{
      .class_id = order.class_id, .cell = order.to, .contact = order.contact};
  for (const Transfer& transfer :
      take_from_richest(params_->transfer, reports, order.to, *column, tickets)) {
    this->order(turn, transfer, receiver);
  }
}

std::vector<cell::Neediest> TransferOrders::neediest(const CellBooks& books) const {
  std::vector<cell::Neediest> neediest;
  if (level_of(books.cell()) == 0 || params_->cell.sharing != SharingMode::bank) return neediest;
  const auto members = known(books);
  const auto reports = reports_of(books, members);
  const auto& classes = books.roster().classes.classes;
  for (std::size_t j = 0; j < classes.size(); ++j) {
    const auto at = neediest_of(reports, j);
    if (!at) continue;
    const auto receiver = receiver_in(books, *members_->find(members[*at]), classes[j].class_id);
    if (receiver) neediest.push_back(*receiver);
  }
  return neediest;
}

}  // namespace dunlin::sched
