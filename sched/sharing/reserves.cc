// SPDX-License-Identifier: MIT
#include "sched/sharing/reserves.h"

#include <algorithm>
#include <numeric>

#include "sched/sharing/apportion.h"
#include "sched/sharing/closest_flow.h"

namespace dunlin::sched {
namespace {

Tickets sum_of(const std::vector<Tickets>& parts) {
  return std::accumulate(parts.begin(), parts.end(), Tickets{0});
}

Tickets row_sum(const Matrix<Tickets>& matrix, std::size_t i) {
  const auto row = matrix.row(i);
  return std::accumulate(row.begin(), row.end(), Tickets{0});
}

/// In tickets: D_j × T_i, or what there was.
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

/// What each class lacks in all, laid to the nodes where it leaves its share unused.
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

/// To those who can use it: first what they contributed, then by share.
void give_spare(const ReservesParams& params, const SharingInput& input, SharingPlan& plan) {
  const std::size_t nodes = input.tickets.size();
  const std::size_t classes = input.weights.size();
  std::vector<Tickets> balances = input.balances;
  balances.resize(classes, 0);
  for (std::size_t k = 0; k < nodes; ++k) {
    // Contributions are those of the cell, so each period another node is the first to repay.
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
  const Tickets lacking = least_deviation(problem).value_or(0);
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
