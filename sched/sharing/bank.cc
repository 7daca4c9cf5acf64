// SPDX-License-Identifier: MIT
#include "sched/sharing/bank.h"

#include <algorithm>
#include <numeric>

#include "sched/sharing/apportion.h"

// The bank lets a class that leaves tickets unused now have more than its share later. Part 1 looks
// at each class on each node alone: its grant follows its use, and the part of its share that it
// leaves unused is a deposit (cases 1 to 4). Part 2 gives the room which this leaves on a node to
// its classes that used up all they had: first for savings, those at the node before those of the
// cell, then for nothing, since a ticket that no class holds is lost. When every node is full there
// is no room to draw for, so classes with high balances get some at the cost of the others
// (compensation). Source: CS 736 slides, "Approach 2: Bank Account Mechanism".
namespace dunlin::sched {
namespace {

Tickets sum_of(std::span<const Tickets> row) {
  return std::accumulate(row.begin(), row.end(), Tickets{0});
}

/// One period's reckoning. It works on a copy of the balances, so a class that drew for one node
/// has that much less to draw for the next.
class Reckoning {
 public:
  Reckoning(const BankParams& params, const SharingInput& input)
      : params_(params),
        input_(input),
        nodes_(input.tickets.size()),
        classes_(input.weights.size()),
        desired_(desired_of(input)),
        cases_(nodes_, classes_),
        balances_(input.balances),
        plan_(empty_plan(input)) {
    balances_.resize(classes_, 0);
  }

  SharingPlan run() && {
    for (std::size_t i = 0; i < nodes_; ++i) {
      for (std::size_t j = 0; j < classes_; ++j) allot(i, j);
    }
    if (everything_is_full() && params_.compensation) {
      each_node([this](std::size_t i) { compensate(i); });
    } else {
      each_node([this](std::size_t i) { fill_up(i); });
    }
    for (std::size_t i = 0; i < nodes_; ++i) {
      plan_.unassigned[i] = room(i);
      ensure(plan_.unassigned[i] >= 0, "a node that gives more than it has");
    }
    return std::move(plan_);
  }

 private:
  /// Part 1. In case 3 a class had little because it used little before, and has used that up: it
  /// may want its whole share again, or just a little more. A parameter decides.
  void allot(std::size_t i, std::size_t j) {
    const Tickets desired = desired_(i, j);
    const Tickets used = input_.used(i, j);
    Tickets& grant = plan_.grants(i, j);
    cases_(i, j) = bank_case(params_, input_, i, j, desired);
    switch (cases_(i, j)) {
      case BankCase::saves:
      case BankCase::gives_back:
        grant = std::min(used, desired);
        return save(i, j, desired - grant);
      case BankCase::catches_up:
        grant = params_.catch_up == BankCatchUp::share ? desired
                                                       : std::min(used + params_.step, desired);
        return;
      case BankCase::wants_more:
        grant = desired;
        return;
    }
  }

  /// The unused part of a share goes to the bank, except a part of what is soon needed at this very
  /// node: a local reserve is at hand there, and no other node can draw it.
  void save(std::size_t i, std::size_t j, Tickets left) {
    const Tickets soon = input_.soon.empty() ? 0 : std::min(left, input_.soon(i, j));
    const auto kept = static_cast<Tickets>(static_cast<double>(soon) * params_.local_reserve_share);
    plan_.deposits_local(i, j) = kept;
    plan_.deposits(i, j) = left - kept;
  }

  /// A balance belongs to the whole cell, so the node that is served first could take it all: each
  /// period another node is first.
  void each_node(auto&& visit) {
    for (std::size_t k = 0; k < nodes_; ++k) visit((k + input_.period) % nodes_);
  }

  Tickets room(std::size_t i) const { return input_.tickets[i] - sum_of(plan_.grants.row(i)); }

  bool everything_is_full() const {
    for (std::size_t i = 0; i < nodes_; ++i) {
      if (room(i) > 0) return false;
    }
    return true;
  }

  bool wants_more(std::size_t i, std::size_t j) const {
    return cases_(i, j) == BankCase::wants_more;
  }

  /// Part 2 on a node with room: local reserves, then savings, then gifts.
  void fill_up(std::size_t i) {
    if (room(i) > 0) draw_local(i);
    if (room(i) > 0 && params_.drawing == BankDrawing::largest_first) draw_largest_first(i);
    if (room(i) > 0 && params_.drawing == BankDrawing::proportional) {
      draw_in_proportion(i, room(i), [&](std::size_t j) { return wants_more(i, j); });
    }
    if (room(i) > 0) give_spare(i);
  }

  /// A local reserve expires soon and is of use at this node alone: it is drawn before savings.
  void draw_local(std::size_t i) {
    if (input_.local_reserves.empty()) return;
    std::vector<Tickets> reserves(classes_, 0);
    for (std::size_t j = 0; j < classes_; ++j) {
      if (wants_more(i, j)) reserves[j] = input_.local_reserves(i, j);
    }
    const auto parts = apportion(room(i), reserves, reserves);
    for (std::size_t j = 0; j < classes_; ++j) {
      plan_.grants(i, j) += parts[j];
      plan_.drawn_local(i, j) += parts[j];
    }
  }

  void draw(std::size_t i, std::size_t j, Tickets tickets) {
    plan_.grants(i, j) += tickets;
    plan_.drawn(i, j) += tickets;
    balances_[j] -= tickets;
  }

  /// Option 1 of the slides: the largest balance first, at most draw_max tickets each.
  void draw_largest_first(std::size_t i) {
    std::vector<std::size_t> order(classes_);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return balances_[a] > balances_[b]; });
    for (const std::size_t j : order) {
      if (wants_more(i, j)) draw(i, j, std::min({balances_[j], params_.draw_max, room(i)}));
    }
  }

  /// Option 2 of the slides: all claims at once, each by its balance.
  void draw_in_proportion(std::size_t i, Tickets tickets, auto&& may) {
    std::vector<Tickets> claims(classes_, 0);
    for (std::size_t j = 0; j < classes_; ++j) {
      if (may(j)) claims[j] = balances_[j];
    }
    const auto parts = apportion(tickets, claims, claims);
    for (std::size_t j = 0; j < classes_; ++j) draw(i, j, parts[j]);
  }

  /// Gives away room that no savings claim. No class pays for it: the next period begins with part
  /// 1 again.
  void give_spare(std::size_t i) {
    std::vector<Tickets> shares(classes_, 0);
    std::vector<Tickets> needs(classes_, 0);
    for (std::size_t j = 0; j < classes_; ++j) {
      if (!wants_more(i, j)) continue;
      shares[j] = input_.weights[j];
      if (input_.need.empty()) continue;
      // Tasks that wait need only what their class was not granted already.
      needs[j] = std::max<Tickets>(0, input_.used(i, j) + input_.need(i, j) - plan_.grants(i, j));
    }
    if (params_.spare == BankSpare::need) give(i, apportion(room(i), needs, needs));
    give(i, apportion(room(i), shares));
  }

  void give(std::size_t i, const std::vector<Tickets>& parts) {
    for (std::size_t j = 0; j < classes_; ++j) plan_.grants(i, j) += parts[j];
  }

  /// Every node is full. Classes with high balances get more all the same, and then all grants are
  /// scaled to fit: the others pay. A class pays from its savings only for what it really gained.
  void compensate(std::size_t i) {
    const std::vector<Tickets> before(plan_.grants.row(i).begin(), plan_.grants.row(i).end());
    const auto balances_before = balances_;
    const auto extra =
        static_cast<Tickets>(static_cast<double>(input_.tickets[i]) * params_.compensation_share);
    draw_in_proportion(i, extra, [&](std::size_t j) { return has_high_balance(j); });
    const auto scaled = apportion(input_.tickets[i], plan_.grants.row(i));
    for (std::size_t j = 0; j < classes_; ++j) {
      // Rounding may not give a class more than it asked for: it has drawn no more.
      const Tickets gained = std::clamp<Tickets>(scaled[j] - before[j], 0, plan_.drawn(i, j));
      plan_.grants(i, j) = std::min(scaled[j], before[j] + gained);
      plan_.drawn(i, j) = gained;
      balances_[j] = balances_before[j] - gained;
    }
  }

  /// Measured by the balance at the start of the period, so the order of the nodes has no part in
  /// it.
  bool has_high_balance(std::size_t j) const {
    Tickets share = 0;
    for (std::size_t i = 0; i < nodes_; ++i) share += desired_(i, j);
    return input_.balances.size() == classes_ && share > 0 &&
        static_cast<double>(input_.balances[j]) >=
        params_.compensation_balance * static_cast<double>(share);
  }

  const BankParams& params_;
  const SharingInput& input_;
  std::size_t nodes_;
  std::size_t classes_;
  Matrix<Tickets> desired_;
  Matrix<BankCase> cases_;
  std::vector<Tickets> balances_;  ///< Less what this reckoning has drawn so far.
  SharingPlan plan_;
};

}  // namespace

BankCase bank_case(const BankParams& params,
    const SharingInput& input,
    std::size_t i,
    std::size_t j,
    Tickets desired) {
  const Tickets had = input.previous(i, j);
  if (!used_up(input, i, j, params.full_use)) {
    return had <= desired ? BankCase::saves : BankCase::gives_back;
  }
  return had < desired ? BankCase::catches_up : BankCase::wants_more;
}

Result<SharingPlan> plan_bank(const BankParams& params, const SharingInput& input) {
  if (auto sound = validate(input); !sound) return tl::unexpected(sound.error());
  return Reckoning(params, input).run();
}

}  // namespace dunlin::sched
