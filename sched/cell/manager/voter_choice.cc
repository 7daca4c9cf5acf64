// SPDX-License-Identifier: MIT
#include "sched/cell/manager/voter_choice.h"

#include <algorithm>
#include <bit>

// Every change of voters is a risk, and moves a whole copy of the books. So voters change for a
// reason alone: a voter that is lost goes at once, for it counts against the majority; one that
// drains goes when another has taken its place; and a better node replaces the worst voter only if
// it was better by voter_margin for voter_rounds rounds in a row. Their number is odd: an even
// number survives no more losses than one less. One change at a time keeps two majorities
// overlapping. Two voters are worse than one, because both are needed: so a sole voter gets two
// more, and neither votes before both are ready. Voters of one machine are lost together: they
// count as one, as long as a machine without any has a node that could.
namespace dunlin::sched {
namespace {

std::uint32_t bucket(std::int64_t value) {
  return static_cast<std::uint32_t>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0))));
}

/// True if `a` would keep the books better than `b`; between equals the lower id decides.
bool better(const VoterCandidate& a, const VoterCandidate& b) {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

/// The number of voters when `fit` nodes could be some: odd, and at most `voters_max`.
std::size_t wanted(std::size_t voters_max, std::size_t fit) {
  const std::size_t count = std::max<std::size_t>(1, std::min(voters_max, fit));
  return count - (count % 2 == 0 ? 1 : 0);
}

/// The candidates of one round.
class Field {
 public:
  Field(std::span<const PeerId> voters, std::span<const VoterCandidate> all)
      : voters_(voters),
        all_(all) {}

  bool votes(const VoterCandidate& candidate) const {
    return std::ranges::find(voters_, candidate.node) != voters_.end();
  }
  /// True if another voter is on its machine.
  bool is_double(const VoterCandidate& candidate, const VoterCandidate* also = nullptr) const {
    return candidate.machine != 0 && std::ranges::any_of(all_, [&](const VoterCandidate& other) {
      const bool counts = (votes(other) && !other.lost) || &other == also;
      return counts && other.node != candidate.node && other.machine == candidate.machine;
    });
  }
  /// The first voter that is lost.
  const VoterCandidate* lost() const {
    const auto at = std::ranges::find_if(
        all_, [&](const VoterCandidate& each) { return each.lost && votes(each); });
    return at == all_.end() ? nullptr : &*at;
  }
  std::size_t fit() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        all_, [](const VoterCandidate& each) { return !each.lost && !each.draining; }));
  }
  /// Voters that drain.
  std::size_t stopping() const {
    return static_cast<std::size_t>(std::ranges::count_if(all_,
        [&](const VoterCandidate& each) { return !each.lost && each.draining && votes(each); }));
  }
  /// The best of those that do not vote, on a machine of its own if there is one.
  const VoterCandidate* best() const {
    return first(false, [&](const VoterCandidate& a, const VoterCandidate& b) {
      const bool doubles = is_double(a);
      return doubles != is_double(b) ? !doubles : better(a, b);
    });
  }
  /// The one of those to add if a voter is missing, beside `also`: on a machine of its own if there
  /// is one; one that has the log is there sooner.
  const VoterCandidate* next(const VoterCandidate* also) const {
    return first(
        false,
        [&](const VoterCandidate& a, const VoterCandidate& b) {
          const bool doubles = is_double(a, also);
          if (doubles != is_double(b, also)) return !doubles;
          return a.spare != b.spare ? a.spare : better(a, b);
        },
        also);
  }
  /// The voter that should go if one must.
  const VoterCandidate* worst() const {
    return first(true, [&](const VoterCandidate& a, const VoterCandidate& b) {
      if (a.draining != b.draining) return a.draining;
      const bool doubles = is_double(a);
      return doubles != is_double(b) ? doubles : better(b, a);
    });
  }

 private:
  /// The first in that order of those that are not lost, and vote or could.
  const VoterCandidate* first(
      bool voters, auto before, const VoterCandidate* besides = nullptr) const {
    const VoterCandidate* found = nullptr;
    for (const VoterCandidate& each : all_) {
      if (each.lost || &each == besides || votes(each) != voters) continue;
      if (!voters && each.draining) continue;
      if (found == nullptr || before(each, *found)) found = &each;
    }
    return found;
  }

  std::span<const PeerId> voters_;
  std::span<const VoterCandidate> all_;
};

}  // namespace

std::uint32_t voter_score(Duration uptime, Tickets capacity) {
  return 4 * bucket(uptime / std::chrono::minutes(1)) + bucket(capacity / 1000);
}

VoterStep VoterChoice::next(const CellParams& params,
    std::size_t voters_max,
    std::span<const PeerId> voters,
    std::span<const VoterCandidate> candidates) {
  using What = VoterStep::What;
  const Field field(voters, candidates);
  if (field.lost() != nullptr && voters.size() > 1) return {What::remove, field.lost()->node};
  const VoterCandidate* const best = field.best();
  const VoterCandidate* const worst = field.worst();
  // A voter that stops, with no node to take its place, may come back: a majority of the others
  // goes on meanwhile. To shrink instead would leave the books to a single disk.
  const bool waits = best == nullptr && voters.size() >= 3;
  const std::size_t target = wanted(voters_max, field.fit() + (waits ? field.stopping() : 0));
  const auto start_over = [this] {
    challenger_ = {};
    rounds_ = 0;
  };
  if (voters.size() > target && worst != nullptr) {
    start_over();
    return {What::remove, worst->node};
  }
  if (best == nullptr) return {};
  if (voters.size() < target) {
    const VoterCandidate* const next = field.next(nullptr);
    const VoterCandidate* const after = voters.size() == 1 ? field.next(next) : nullptr;
    return {What::add, next->node, after != nullptr ? after->node : PeerId{}};
  }
  if (worst == nullptr) return {};
  if (worst->draining) return {What::add, best->node};
  if (field.is_double(*worst) && !field.is_double(*best)) return {What::add, best->node};
  if (field.is_double(*best) || best->score < worst->score + params.voter_margin) {
    start_over();
    return {};
  }
  rounds_ = challenger_ == best->node ? static_cast<std::uint16_t>(rounds_ + 1) : std::uint16_t{1};
  challenger_ = best->node;
  if (rounds_ < params.voter_rounds) return {};
  start_over();
  return {What::add, best->node};
}

}  // namespace dunlin::sched
