// SPDX-License-Identifier: MIT
#include "sched/sharing/reserves.h"

#include <algorithm>
#include <numeric>

#include "sched/sharing/apportion.h"
#include "sched/sharing/closest_flow.h"

// A share is a property of the whole cluster: a class that cannot use its share on one node gets
// more on another. A class that left tickets unused on a node can take no more there than it used;
// one that used up all it had may take any number (a resource sink). Within these caps a linear
// program finds how near to their shares the sums of all classes can come (step 1), and a flow
// finds, among the allocations that come so near, the one nearest to the ideal on each node (step
// 2). Tickets left after that repay classes for contributions of earlier periods, then go by share.
// Source: Aron, Druschel and Zwaenepoel 2000; CS 736 slides, "Cluster Reserves", (1) and (2).
namespace dunlin::sched {
namespace {

Tickets sum_of(const std::vector<Tickets>& parts) {
  return std::accumulate(parts.begin(), parts.end(), Tickets{0});
}

Tickets row_sum(const Matrix<Tickets>& matrix, std::size_t i) {
  const auto row = matrix.row(i);
  return std::accumulate(row.begin(), row.end(), Tickets{0});
}

/// The ideal of step 2 in tickets: D_j × T_i, or the previous allocation. An allocation beyond what
/// the node has now is cut: a node may have shrunk since.
Matrix<double> ideal_of(const ReservesParams& params, const SharingInput& input) {
  Matrix<double> ideal(input.tickets.size(), input.weights.size());
  const auto weights = static_cast<double>(sum_of(input.weights));
  for (std::size_t i = 0; i < ideal.rows(); ++i) {
    const auto tickets = static_cast<double>(input.tickets[i]);
    for (std::size_t j = 0; j < ideal.columns(); ++j) {
      ideal(i, j) = params.objective == ReservesObjective::desired
          ? tickets * static_cast<double>(input.weights[j]) / weights
          : std::min(tickets, static_cast<double>(input.previous(i, j)));
    }
  }
  return ideal;
}

/// Deposits what a class contributed: the tickets that it lacks of its share in the whole cell,
/// laid to those nodes where it leaves its own share unused. A class that has its share in all has
/// lent nothing, wherever it has it.
void remember_contributions(
    const SharingInput& input, const ReservesProblem& problem, SharingPlan& plan) {
  const auto desired = desired_of(input);
  for (std::size_t j = 0; j < desired.columns(); ++j) {
    Tickets lacks = problem.desired[j];
    std::vector<Tickets> unused;
    for (std::size_t i = 0; i < desired.rows(); ++i) {
      lacks -= plan.grants(i, j);
      const bool capped = plan.grants(i, j) == problem.caps(i, j);
      unused.push_back(capped ? std::max<Tickets>(0, desired(i, j) - plan.grants(i, j)) : 0);
    }
    const auto parts = apportion(std::max<Tickets>(0, lacks), unused, unused);
    for (std::size_t i = 0; i < desired.rows(); ++i) plan.deposits(i, j) = parts[i];
  }
}

/// Gives what is left on each node to classes that used up all they had there: first as a repayment
/// of what they contributed, then by share.
void give_spare(const ReservesParams& params, const SharingInput& input, SharingPlan& plan) {
  const std::size_t nodes = input.tickets.size();
  const std::size_t classes = input.weights.size();
  std::vector<Tickets> balances = input.balances;
  balances.resize(classes, 0);
  for (std::size_t k = 0; k < nodes; ++k) {
    // A balance belongs to the whole cell: each period another node is the first to repay.
    const std::size_t i = (k + input.period) % nodes;
    std::vector<Tickets> claims(classes, 0);
    std::vector<Tickets> shares(classes, 0);
    for (std::size_t j = 0; j < classes; ++j) {
      if (!used_up(input, i, j, params.full_use)) continue;
      claims[j] = balances[j];
      shares[j] = input.weights[j];
    }
    const Tickets room = input.tickets[i] - row_sum(plan.grants, i);
    const auto repaid = apportion(room, claims, claims);
    const auto given = apportion(room - sum_of(repaid), shares);
    for (std::size_t j = 0; j < classes; ++j) {
      plan.grants(i, j) += repaid[j] + given[j];
      plan.drawn(i, j) = repaid[j];
      balances[j] -= repaid[j];
    }
  }
}

}  // namespace

ReservesProblem reserves_problem(const ReservesParams& params, const SharingInput& input) {
  ReservesProblem problem{.tickets = input.tickets,
      .desired = apportion(sum_of(input.tickets), input.weights),
      .caps = Matrix<Tickets>(input.tickets.size(), input.weights.size())};
  for (std::size_t i = 0; i < input.tickets.size(); ++i) {
    for (std::size_t j = 0; j < input.weights.size(); ++j) {
      problem.caps(i, j) = used_up(input, i, j, params.full_use)
          ? input.tickets[i]
          : std::min(input.tickets[i], input.used(i, j));
    }
  }
  return problem;
}

Result<ReservesPlan> plan_reserves(const ReservesParams& params, const SharingInput& input) {
  if (auto sound = validate(input); !sound) return tl::unexpected(sound.error());
  ReservesPlan result{.plan = empty_plan(input)};
  SharingPlan& plan = result.plan;
  const ReservesProblem problem = reserves_problem(params, input);
  const Tickets total = sum_of(input.tickets);
  // At the least deviation no class is above its share: taking what is too much away would make it
  // less. So the deviation is what is lacking, and step 2 places all the rest. Should the solver
  // give up, the flow finds the most by itself.
  const Tickets lacking = min_deviation(problem).value_or(0);
  plan.grants = closest_flow(problem, ideal_of(params, input), total - std::min(total, lacking));
  const auto& placed = plan.grants.items();
  result.deviation = total - std::accumulate(placed.begin(), placed.end(), Tickets{0});

  remember_contributions(input, problem, plan);
  if (params.spare) give_spare(params, input, plan);
  for (std::size_t i = 0; i < input.tickets.size(); ++i) {
    plan.unassigned[i] = input.tickets[i] - row_sum(plan.grants, i);
    ensure(plan.unassigned[i] >= 0, "a node that gives more than it has");
  }
  return result;
}

}  // namespace dunlin::sched
