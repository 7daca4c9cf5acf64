// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "sched/kernel.h"
#include "sched/sharing/apportion.h"
#include "sched/sharing/closest_flow.h"
#include "sched/sharing/solver.h"
#include "tests/paper/reserves_tables.h"
#include "tests/support/clp_oracle.h"

// The optimiser of Cluster Reserves, by the objective of each of its steps: against searching
// everything, and against another solver.
namespace dunlin::sched {
namespace {

/// Objective of step 2, in squares of fractions of a node.
double distance(const ReservesProblem& problem, const Matrix<double>& ideal, const Tables& flow) {
  double sum = 0;
  for (std::size_t i = 0; i < flow.rows(); ++i) {
    if (problem.tickets[i] == 0) continue;
    for (std::size_t j = 0; j < flow.columns(); ++j) {
      const double off =
          (static_cast<double>(flow(i, j)) - ideal(i, j)) / static_cast<double>(problem.tickets[i]);
      sum += off * off;
    }
  }
  return sum;
}

struct Drawn {
  ReservesProblem problem;
  Matrix<double> ideal;
};

Drawn draw_problem(Rng& rng, std::size_t nodes, std::size_t classes, std::uint32_t tickets_max) {
  Drawn drawn{.problem = {.tickets = {}, .desired = {}, .caps = Tables(nodes, classes)},
      .ideal = Matrix<double>(nodes, classes)};
  Tickets total = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    drawn.problem.tickets.push_back(rng.chance(0.1) ? 0 : 1 + rng.below(tickets_max));
    total += drawn.problem.tickets.back();
  }
  std::vector<Tickets> weights;
  for (std::size_t j = 0; j < classes; ++j) weights.push_back(1 + rng.below(4));
  drawn.problem.desired = apportion(total, weights);
  const bool previous = rng.chance(0.5);
  const auto sum = static_cast<double>(std::accumulate(weights.begin(), weights.end(), Tickets{0}));
  for (std::size_t i = 0; i < nodes; ++i) {
    const Tickets tickets = drawn.problem.tickets[i];
    for (std::size_t j = 0; j < classes; ++j) {
      drawn.problem.caps(i, j) = rng.chance(0.4)
          ? tickets
          : static_cast<Tickets>(rng.index(static_cast<std::size_t>(tickets) + 1));
      drawn.ideal(i, j) = static_cast<double>(tickets) *
          (previous ? rng.uniform() : static_cast<double>(weights[j]) / sum);
    }
  }
  return drawn;
}

/// Tries every allocation in whole tickets: the least deviation, and the least distance with it.
class Exhaustive {
 public:
  explicit Exhaustive(const Drawn& drawn)
      : drawn_(drawn),
        flow_(drawn.problem.caps.rows(), drawn.problem.caps.columns()) {
    fill(0, 0, 0);
  }
  Tickets deviation = std::numeric_limits<Tickets>::max();
  double distance_min = 0;

 private:
  void fill(std::size_t i, std::size_t j, Tickets in_row) {
    if (i == flow_.rows()) return judge();
    const auto [next_i, next_j] =
        j + 1 == flow_.columns() ? std::pair(i + 1, std::size_t{0}) : std::pair(i, j + 1);
    const Tickets part_max =
        std::min(drawn_.problem.caps(i, j), drawn_.problem.tickets[i] - in_row);
    for (Tickets part = 0; part <= part_max; ++part) {
      flow_(i, j) = part;
      fill(next_i, next_j, next_i == i ? in_row + part : 0);
    }
  }
  void judge() {
    Tickets off = 0;
    for (std::size_t j = 0; j < flow_.columns(); ++j) {
      off += std::abs(column_sum(flow_, j) - drawn_.problem.desired[j]);
    }
    if (off > deviation) return;
    const double far = distance(drawn_.problem, drawn_.ideal, flow_);
    distance_min = off < deviation ? far : std::min(distance_min, far);
    deviation = off;
  }

  const Drawn& drawn_;
  Tables flow_;
};

// Both steps, by the objective of each, in 300 problems.
TEST(ReservesOptimiser, EqualsTryingEverything) {
  Rng rng(11);
  for (int seed = 0; seed < 300; ++seed) {
    const std::size_t nodes = 2 + rng.index(2);
    const std::size_t classes = 2 + rng.index(2);
    const auto drawn = draw_problem(rng, nodes, classes, nodes * classes > 6 ? 4 : 7);
    const auto& problem = drawn.problem;
    const Exhaustive best(drawn);
    const auto deviation = min_deviation(problem);
    ASSERT_EQ(deviation, best.deviation) << "problem " << seed;
    const Tickets total =
        std::accumulate(problem.tickets.begin(), problem.tickets.end(), Tickets{0});
    const auto flow = closest_flow(problem, drawn.ideal, total - *deviation);
    ASSERT_EQ(sum_of(flow), total - *deviation);
    ASSERT_NEAR(distance(problem, drawn.ideal, flow), best.distance_min, 1e-9)
        << "problem " << seed;
  }
}

// At the size of cells: within all bounds, as close as another solver comes, and never further.
TEST(ReservesOptimiser, IsNeverFurtherThanClp) {
  Rng rng(12);
  for (int seed = 0; seed < 12; ++seed) {
    const auto drawn = draw_problem(rng, 3 + rng.index(18), 2 + rng.index(5), 32000);
    const auto& problem = drawn.problem;
    const auto deviation = min_deviation(problem);
    ASSERT_TRUE(deviation);
    const Tickets total =
        std::accumulate(problem.tickets.begin(), problem.tickets.end(), Tickets{0});
    const Tickets placed = total - *deviation;
    ASSERT_EQ(flow_max(problem), placed) << "problem " << seed;
    const auto flow = closest_flow(problem, drawn.ideal, placed);
    ASSERT_EQ(sum_of(flow), placed);
    for (std::size_t i = 0; i < flow.rows(); ++i) {
      Tickets row = 0;
      for (std::size_t j = 0; j < flow.columns(); ++j) {
        ASSERT_GE(flow(i, j), 0);
        ASSERT_LE(flow(i, j), problem.caps(i, j));
        row += flow(i, j);
      }
      ASSERT_LE(row, problem.tickets[i]);
    }
    for (std::size_t j = 0; j < flow.columns(); ++j) {
      ASSERT_LE(column_sum(flow, j), problem.desired[j]);
    }
    const auto clp = testing::clp_distance(problem, drawn.ideal, placed);
    ASSERT_TRUE(clp) << "problem " << seed;
    // Fractions of tickets may come a little closer than whole ones.
    const double ours = distance(problem, drawn.ideal, flow);
    ASSERT_LE(ours, *clp + 1e-6) << "problem " << seed;
    ASSERT_NEAR(ours, *clp, 1e-3 * (1 + ours)) << "problem " << seed;
  }
}

}  // namespace
}  // namespace dunlin::sched
