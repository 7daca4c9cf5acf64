// SPDX-License-Identifier: MIT
#include "sched/sharing/sharing_plan.h"

#include <algorithm>
#include <numeric>

#include "sched/sharing/apportion.h"

// The bank and Cluster Reserves take the same input and make the same kind of plan, so a manager
// need not know which of them is at work. The input is made of reports of other nodes, which may be
// wrong: it is checked whole before either begins. A plan is a set of matrices; the command for the
// ledger names only what is not zero, for one entry of the log has to carry a whole cell.
namespace dunlin::sched {
namespace {

Result<void> wrong(const std::string& what) {
  return failure(ErrorKind::usage, "sharing: " + what);
}

bool sound(const auto& amounts) {
  return std::ranges::all_of(
      amounts, [](Tickets tickets) { return tickets >= 0 && tickets <= kTicketsMax; });
}

}  // namespace

Matrix<Tickets> desired_of(const SharingInput& input) {
  Matrix<Tickets> desired(input.tickets.size(), input.weights.size());
  for (std::size_t i = 0; i < input.tickets.size(); ++i) {
    std::ranges::copy(apportion(input.tickets[i], input.weights), desired.row(i).begin());
  }
  return desired;
}

Result<void> validate(const SharingInput& input) {
  const std::size_t nodes = input.tickets.size();
  const std::size_t classes = input.weights.size();
  if (!sound(input.tickets)) return wrong("a node has a negative number of tickets, or too many");
  if (!sound(input.weights) || std::ranges::count(input.weights, 0) == std::ssize(input.weights)) {
    return wrong("give each class a weight from 0 upwards, and one of them more");
  }
  struct Table {
    const char* name;
    const Matrix<Tickets>* matrix;
    bool optional;
  };
  for (const auto& [name, matrix, optional] :
      {Table{"previous", &input.previous, false}, Table{"used", &input.used, false},
          Table{"need", &input.need, true}, Table{"soon", &input.soon, true},
          Table{"local reserves", &input.local_reserves, true}}) {
    if (!(optional && matrix->empty()) && !matrix->has_size(nodes, classes)) {
      return wrong(std::string(name) + " has another size than nodes × classes");
    }
    if (!sound(matrix->items())) return wrong(std::string(name) + " has an amount out of bounds");
  }
  if (!input.balances.empty() && input.balances.size() != classes) {
    return wrong("there must be a balance for each class, or none at all");
  }
  if (std::ranges::any_of(input.balances, [](Tickets balance) { return balance < 0; })) {
    return wrong("a balance is negative");
  }
  return {};
}

// By the letter a class with nothing that used nothing has used all (0 = 0), and would be given its
// share every other period for nothing. Its need tells better, where it is known.
bool used_up(const SharingInput& input, std::size_t i, std::size_t j, double full_use) {
  const Tickets had = input.previous(i, j);
  const Tickets used = input.used(i, j);
  if (had == 0 && used == 0 && !input.need.empty()) return input.need(i, j) > 0;
  return static_cast<double>(used) >= static_cast<double>(had) * full_use;
}

SharingPlan empty_plan(const SharingInput& input) {
  const Matrix<Tickets> nothing(input.tickets.size(), input.weights.size());
  return {.grants = nothing,
      .deposits = nothing,
      .deposits_local = nothing,
      .drawn = nothing,
      .drawn_local = nothing,
      .unassigned = input.tickets};
}

// Deposits and draws name the node they come from or go to. A draw on the bank names none: an
// account belongs to the whole cell.
books::Allocate to_command(const SharingPlan& plan,
    std::uint64_t period,
    std::span<const MemberId> nodes,
    std::span<const ClassId> class_ids,
    const PeriodTimes& times) {
  ensure(plan.grants.has_size(nodes.size(), class_ids.size()), "a plan of other nodes or classes");
  books::Allocate command;
  command.period = period;
  command.until = times.now + times.grant_life;
  command.release = command.until + times.margin;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    books::Sheet sheet{.node = nodes[i], .grants = {}};
    for (std::size_t j = 0; j < class_ids.size(); ++j) {
      const auto class_id = class_ids[j];
      const auto save = [&](Tickets tickets, Duration life, bool local) {
        if (tickets == 0) return;
        command.deposits.push_back({.node = nodes[i],
            .class_id = class_id,
            .tickets = tickets,
            .expires = times.now + life,
            .local = local});
      };
      const auto draw = [&](Tickets tickets, MemberId from) {
        if (tickets == 0) return;
        command.draws.push_back({.class_id = class_id, .tickets = tickets, .node = from});
      };
      if (plan.grants(i, j) > 0) {
        sheet.grants.push_back({.class_id = class_id, .tickets = plan.grants(i, j)});
      }
      save(plan.deposits(i, j), times.expiry, false);
      save(plan.deposits_local(i, j), times.local_reserve_expiry, true);
      draw(plan.drawn(i, j), {});
      draw(plan.drawn_local(i, j), nodes[i]);
    }
    command.sheets.push_back(std::move(sheet));
  }
  return command;
}

}  // namespace dunlin::sched
