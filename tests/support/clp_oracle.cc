// SPDX-License-Identifier: MIT
#include "tests/support/clp_oracle.h"

#include <coin/ClpSimplex.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <numeric>

namespace dunlin::testing {

using sched::Tickets;

std::optional<double> clp_distance(
    const sched::ReservesProblem& problem, const sched::Matrix<double>& ideal, Tickets placed) {
  const std::size_t nodes = problem.tickets.size();
  const std::size_t classes = problem.desired.size();
  const std::size_t size = nodes * classes;
  const auto total = static_cast<double>(
      std::accumulate(problem.tickets.begin(), problem.tickets.end(), Tickets{0}));
  // In fractions of nodes, and of the cluster.
  std::vector<double> upper(size, 0.0);
  std::vector<double> linear(size, 0.0);
  std::vector<double> values;
  std::vector<int> rows;
  std::vector<int> columns;
  double constant = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t i = k / classes;
    const auto tickets = static_cast<double>(problem.tickets[i]);
    if (tickets == 0) continue;
    const double wanted = ideal(i, k % classes) / tickets;
    upper[k] = static_cast<double>(problem.caps(i, k % classes)) / tickets;
    linear[k] = -2 * wanted;
    constant += wanted * wanted;
    for (const auto& [row, value] :
        {std::pair(i, 1.0), std::pair(nodes + k % classes, tickets / total),
            std::pair(nodes + classes, tickets / total)}) {
      rows.push_back(static_cast<int>(row));
      columns.push_back(static_cast<int>(k));
      values.push_back(value);
    }
  }
  const std::vector<double> nothing(size, 0.0);
  std::vector<double> row_min(nodes + classes + 1, -COIN_DBL_MAX);
  std::vector<double> row_max(nodes, 1.0);
  for (const Tickets desired : problem.desired)
    row_max.push_back(static_cast<double>(desired) / total);
  const double share = static_cast<double>(placed) / total;
  row_min.back() = share - 1e-9;
  row_max.push_back(share + 1e-9);

  ClpSimplex model;
  model.setLogLevel(0);
  CoinPackedMatrix matrix(
      true, rows.data(), columns.data(), values.data(), static_cast<int>(values.size()));
  matrix.setDimensions(static_cast<int>(row_max.size()), static_cast<int>(size));
  model.loadProblem(
      matrix, nothing.data(), upper.data(), linear.data(), row_min.data(), row_max.data());
  std::vector<int> starts(size + 1);
  std::iota(starts.begin(), starts.end(), 0);
  const std::vector<double> diagonal(size, 2.0);
  model.loadQuadraticObjective(
      static_cast<int>(size), starts.data(), starts.data(), diagonal.data());
  model.primal();
  if (model.status() != 0) return std::nullopt;
  double distance = constant;
  for (std::size_t k = 0; k < size; ++k) {
    const double x = model.primalColumnSolution()[k];
    distance += x * x + linear[k] * x;
  }
  return distance;
}

}  // namespace dunlin::testing
