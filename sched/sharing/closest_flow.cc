// SPDX-License-Identifier: MIT
#include "sched/sharing/closest_flow.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "overlay/ensure.h"

// Tickets flow from nodes to classes, and the cost of a pair is the square of its distance from the
// ideal: convex, so each further ticket in the same direction costs more. A flow of convex cost is
// the cheapest exactly when no cycle of exchanges makes it cheaper. It moves 2^k tickets at a time
// while that helps, then half as many: n tickets take log n rounds, and the last step of one ticket
// makes the result exact. Nodes are no places of the search: between two classes only that node
// counts at which an exchange is the cheapest. So the graph has as many places as classes and two
// more, however many nodes there are. Source: Ahuja, Magnanti and Orlin 1993, section 14.5.
namespace dunlin::sched {
namespace {

/// Cycles that one call cancels at most: far more than are ever needed. Without a bound, costs that
/// differ only by rounding could make it turn in circles for ever.
constexpr std::size_t kCyclesMax = 1'000'000;

constexpr double kImpossible = std::numeric_limits<double>::infinity();

/// Moves tickets between places: the classes, "free" (tickets of a node that no class holds) and
/// "missing" (tickets that a class lacks). To move from place a to place b by way of node i is to
/// take from a at i and give to b at i; into and out of "missing", a class as a whole gains or
/// loses.
class Flow {
 public:
  Flow(const ReservesProblem& problem, const Matrix<double>& ideal, Tickets total)
      : problem_(problem),
        ideal_(ideal),
        total_(total),
        nodes_(problem.tickets.size()),
        classes_(problem.desired.size()),
        free_(classes_),
        missing_(classes_ + 1),
        places_(classes_ + 2),
        flow_(nodes_, classes_),
        spare_(problem.tickets),
        lacks_(problem.desired) {
    Tickets smallest = kTicketsMax;
    for (const Tickets tickets : problem.tickets) {
      if (tickets > 0) smallest = std::min(smallest, tickets);
    }
    // Above what rounding may feign, below what a ticket makes on nodes a million times as large.
    tolerance_ = 1e-14 / static_cast<double>(smallest);
    start();
  }

  Matrix<Tickets> run() && {
    Tickets largest = 1;
    for (const Tickets tickets : problem_.tickets) largest = std::max(largest, tickets);
    const auto first = std::bit_floor(static_cast<std::uint64_t>(largest));
    for (step_ = static_cast<Tickets>(first); step_ > 0; step_ /= 2) {
      while (cancel_cycle()) {
      }
      while (placed_ + step_ <= total_ && augment()) {
      }
    }
    return std::move(flow_);
  }

 private:
  /// The ideal, rounded down and cut to fit: near the optimum, so few moves are left to make.
  void start() {
    for (std::size_t i = 0; i < nodes_; ++i) {
      for (std::size_t j = 0; j < classes_; ++j) {
        const double wanted = std::max(0.0, ideal_(i, j));
        const Tickets part_max =
            std::min({problem_.caps(i, j), spare_[i], lacks_[j], total_ - placed_});
        const Tickets part =
            wanted >= static_cast<double>(part_max) ? part_max : static_cast<Tickets>(wanted);
        change(i, j, part);
        lacks_[j] -= part;
        placed_ += part;
      }
    }
  }

  /// Gives tickets of node i to class j, or takes them away if `tickets` is negative.
  void change(std::size_t i, std::size_t j, Tickets tickets) {
    flow_(i, j) += tickets;
    spare_[i] -= tickets;
  }

  /// The cost per ticket of giving `step` tickets to j at i, or of taking them if it is negative.
  /// With before b and step s that is ((b + s)^2 - b^2) / s = 2 b + s, over T_i squared.
  double slope(std::size_t i, std::size_t j, Tickets step) const {
    const auto capacity = static_cast<double>(problem_.tickets[i]);
    const auto before = static_cast<double>(flow_(i, j)) - ideal_(i, j);
    const auto change = static_cast<double>(step);
    return (2 * before + change) * (step > 0 ? 1 : -1) / (capacity * capacity);
  }

  /// Finds the cheapest node for each move between two places. A move that is not possible costs
  /// kImpossible.
  void find_moves() {
    costs_.assign(places_ * places_, kImpossible);
    ways_.assign(places_ * places_, nodes_);
    std::vector<double> gives(classes_ + 1);
    std::vector<double> takes(classes_ + 1);
    for (std::size_t i = 0; i < nodes_; ++i) {
      if (problem_.tickets[i] == 0) continue;
      for (std::size_t j = 0; j < classes_; ++j) {
        const bool can_give = flow_(i, j) + step_ <= problem_.caps(i, j);
        gives[j] = can_give ? slope(i, j, step_) : kImpossible;
        takes[j] = flow_(i, j) >= step_ ? slope(i, j, -step_) : kImpossible;
      }
      gives[free_] = 0;
      takes[free_] = spare_[i] >= step_ ? 0 : kImpossible;
      for (std::size_t a = 0; a <= free_; ++a) {
        if (takes[a] == kImpossible) continue;
        for (std::size_t b = 0; b <= free_; ++b) {
          const double cost = takes[a] + gives[b];
          if (a == b || !(cost < costs_[a * places_ + b])) continue;
          costs_[a * places_ + b] = cost;
          ways_[a * places_ + b] = i;
        }
      }
    }
    for (std::size_t j = 0; j < classes_; ++j) {
      if (lacks_[j] >= step_) costs_[j * places_ + missing_] = 0;
      if (problem_.desired[j] - lacks_[j] >= step_) costs_[missing_ * places_ + j] = 0;
    }
  }

  /// Measures the distances from one place, or from all at once if `from` is places_, by the method
  /// of Bellman and Ford: costs may be negative. Returns a place that a cycle which saves leads to,
  /// or places_ if there is none.
  std::size_t measure(std::size_t from) {
    distances_.assign(places_, from == places_ ? 0.0 : kImpossible);
    before_.assign(places_, places_);
    if (from != places_) distances_[from] = 0;
    std::size_t last = places_;
    for (std::size_t round = 0; round < places_; ++round) {
      last = places_;
      for (std::size_t a = 0; a < places_; ++a) {
        if (distances_[a] == kImpossible) continue;
        for (std::size_t b = 0; b < places_; ++b) {
          const double distance = distances_[a] + costs_[a * places_ + b];
          if (!(distance < distances_[b] - tolerance_)) continue;
          distances_[b] = distance;
          before_[b] = a;
          last = b;
        }
      }
      if (last == places_) return places_;
    }
    return last;
  }

  /// Moves `step_` tickets around a cycle that saves. False if there is none.
  bool cancel_cycle() {
    find_moves();
    std::size_t at = measure(places_);
    // The place found may only hang on a cycle. As many steps back as there are places end on it.
    for (std::size_t k = 0; k < places_ && at != places_; ++k) at = before_[at];
    if (at == places_ || cycles_left_ == 0 || !(cost_of_cycle(at) < -tolerance_)) return false;
    --cycles_left_;
    std::size_t to = at;
    do {
      move(before_[to], to);
      to = before_[to];
    } while (to != at);
    return true;
  }

  /// The exact cost: what measure() found may be an artefact of rounding.
  double cost_of_cycle(std::size_t at) const {
    double cost = 0;
    std::size_t to = at;
    do {
      cost += costs_[before_[to] * places_ + to];
      to = before_[to];
    } while (to != at);
    return cost;
  }

  /// Places `step_` more tickets: the cheapest path from free ones to a class that lacks them.
  /// False if there is no path.
  bool augment() {
    find_moves();
    // A path begins at the free place and ends at the missing one, and passes neither in between.
    for (std::size_t a = 0; a < places_; ++a) {
      costs_[a * places_ + free_] = kImpossible;
      costs_[missing_ * places_ + a] = kImpossible;
    }
    if (measure(free_) != places_) {
      // Rounding made a cycle look cheap. Any path will do then, for cycles are cancelled after it.
      for (double& cost : costs_) cost = cost == kImpossible ? kImpossible : 0;
      measure(free_);
    }
    if (distances_[missing_] == kImpossible) return false;
    for (std::size_t to = missing_; to != free_; to = before_[to]) move(before_[to], to);
    placed_ += step_;
    while (cancel_cycle()) {
    }
    return true;
  }

  /// Moves `step_` tickets along one edge, at the node that find_moves() chose for it.
  void move(std::size_t from, std::size_t to) {
    if (to == missing_) {
      lacks_[from] -= step_;
    } else if (from == missing_) {
      lacks_[to] += step_;
    } else {
      const std::size_t i = ways_[from * places_ + to];
      if (from != free_) change(i, from, -step_);
      if (to != free_) change(i, to, step_);
    }
  }

  const ReservesProblem& problem_;
  const Matrix<double>& ideal_;
  Tickets total_;
  std::size_t nodes_;
  std::size_t classes_;
  std::size_t free_;
  std::size_t missing_;
  std::size_t places_;
  Matrix<Tickets> flow_;
  std::vector<Tickets> spare_;  ///< By node: tickets that no class holds.
  std::vector<Tickets> lacks_;  ///< By class: tickets below its desired share.
  Tickets placed_ = 0;
  double tolerance_ = 0;
  std::size_t cycles_left_ = kCyclesMax;
  Tickets step_ = 1;
  std::vector<double> costs_;
  std::vector<std::size_t> ways_;  ///< By edge: the node at which it is the cheapest.
  std::vector<double> distances_;
  std::vector<std::size_t> before_;  ///< By place: the one before it on the shortest path.
};

}  // namespace

Matrix<Tickets> closest_flow(
    const ReservesProblem& problem, const Matrix<double>& ideal, Tickets total) {
  ensure(problem.caps.has_size(problem.tickets.size(), problem.desired.size()) &&
          ideal.has_size(problem.tickets.size(), problem.desired.size()),
      "caps or an ideal of other nodes or classes");
  return Flow(problem, ideal, total).run();
}

Tickets flow_max(const ReservesProblem& problem) {
  const Matrix<double> nothing(problem.tickets.size(), problem.desired.size());
  const Tickets total = std::accumulate(problem.tickets.begin(), problem.tickets.end(), Tickets{0});
  const auto flow = closest_flow(problem, nothing, total);
  return std::accumulate(flow.items().begin(), flow.items().end(), Tickets{0});
}

}  // namespace dunlin::sched
