// SPDX-License-Identifier: MIT
#include "sched/sharing/solver.h"

#include <cmath>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinError.hpp>
#include <coin/CoinPackedMatrix.hpp>

#include "overlay/ensure.h"

// Step 1 of Cluster Reserves as a linear program. The distance of a class from its share is an
// absolute value, which is not linear. So each class has two further columns, for what it has too
// much and for what it lacks; both cost 1 a ticket, so at the optimum one of them is 0. A node's
// row bounds what it gives; a class's row ties its sum, less the excess, plus the lack, to its
// share. This is the one file that sees Clp, and the exceptions of Clp end here. Source: CS 736
// slides, (1).
namespace dunlin::sched {
namespace {

/// The program in the form that Clp takes. Columns: x_ij by rows; then what each class has too
/// much; then what each lacks. Rows: the nodes, then the classes.
class Program {
 public:
  explicit Program(const ReservesProblem& problem)
      : nodes_(problem.tickets.size()),
        classes_(problem.desired.size()) {
    const auto columns = nodes_ * classes_ + 2 * classes_;
    upper_.assign(columns, COIN_DBL_MAX);
    costs_.assign(columns, 0.0);
    for (std::size_t k = 0; k < nodes_ * classes_; ++k) {
      upper_[k] = static_cast<double>(problem.caps.items()[k]);
    }
    for (const Tickets tickets : problem.tickets) add_row(0, static_cast<double>(tickets));
    for (const Tickets desired : problem.desired) {
      add_row(static_cast<double>(desired), static_cast<double>(desired));
    }
    for (std::size_t i = 0; i < nodes_; ++i) {
      for (std::size_t j = 0; j < classes_; ++j) {
        add(i, i * classes_ + j, 1);
        add(nodes_ + j, i * classes_ + j, 1);
      }
    }
    for (std::size_t j = 0; j < classes_; ++j) {
      const std::size_t excess = nodes_ * classes_ + j;
      add(nodes_ + j, excess, -1);
      add(nodes_ + j, excess + classes_, 1);
      costs_[excess] = costs_[excess + classes_] = 1;
    }
  }

  /// Empty if Clp does not prove its result optimal: an unproven one could be anything.
  std::optional<double> minimum() const {
    const CoinPackedMatrix matrix(
        true, at_row_.data(), at_column_.data(), values_.data(), static_cast<int>(values_.size()));
    ClpSimplex model;
    model.setLogLevel(0);
    const std::vector<double> nothing(upper_.size(), 0.0);
    model.loadProblem(
        matrix, nothing.data(), upper_.data(), costs_.data(), row_min_.data(), row_max_.data());
    model.primal();
    if (!model.isProvenOptimal()) return std::nullopt;
    return model.objectiveValue();
  }

 private:
  void add_row(double min, double max) {
    row_min_.push_back(min);
    row_max_.push_back(max);
  }
  void add(std::size_t row, std::size_t column, double value) {
    at_row_.push_back(static_cast<int>(row));
    at_column_.push_back(static_cast<int>(column));
    values_.push_back(value);
  }

  std::size_t nodes_;
  std::size_t classes_;
  std::vector<double> upper_;
  std::vector<double> costs_;
  std::vector<double> row_min_;
  std::vector<double> row_max_;
  std::vector<int> at_row_;
  std::vector<int> at_column_;
  std::vector<double> values_;
};

}  // namespace

std::optional<Tickets> min_deviation(const ReservesProblem& problem) {
  ensure(problem.caps.has_size(problem.tickets.size(), problem.desired.size()),
      "caps of other nodes or classes");
  if (problem.caps.empty()) return 0;
  try {
    const auto minimum = Program(problem).minimum();
    if (!minimum || !std::isfinite(*minimum) || *minimum < -0.5) return std::nullopt;
    return std::llround(*minimum);
  } catch (const CoinError&) {
    return std::nullopt;
  }
}

}  // namespace dunlin::sched
