// SPDX-License-Identifier: MIT
#include "sched/cell/manager/voter_choice.h"

#include <algorithm>
#include <bit>
#include <utility>

// Every change of voters is a risk, and moves a whole copy of the books. So voters change for a
// reason alone: a voter that is lost goes at once, for it counts against the majority; one that
// drains goes when another has taken its place; and a better node replaces the worst voter only if
// it was better by voter_margin for voter_rounds rounds in a row. Their number is odd: an even
// number survives no more losses than one less. One change at a time keeps two majorities
// overlapping. Two voters are worse than one, because both are needed: so a sole voter gets two
// more, and neither votes before both are ready.
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

/// True if `a` should be the next voter rather than `b`: one that has the log is there sooner.
bool next_before(const VoterCandidate& a, const VoterCandidate& b) {
  return a.spare != b.spare ? a.spare : better(a, b);
}

/// The number of voters when `fit` nodes could be some: odd, and at most `voters_max`.
std::size_t wanted(std::size_t voters_max, std::size_t fit) {
  const std::size_t count = std::max<std::size_t>(1, std::min(voters_max, fit));
  return count - (count % 2 == 0 ? 1 : 0);
}

}  // namespace

std::uint32_t voter_score(Duration uptime, Tickets capacity) {
  return 4 * bucket(uptime / std::chrono::minutes(1)) + bucket(capacity / 1000);
}

VoterStep VoterChoice::next(const CellParams& params,
    std::size_t voters_max,
    std::span<const PeerId> voters,
    std::span<const VoterCandidate> candidates) {
  using What = VoterStep::What;
  const VoterCandidate* best = nullptr;   // Among nodes that do not vote.
  const VoterCandidate* next = nullptr;   // The one to add, if one is missing, ...
  const VoterCandidate* after = nullptr;  // ... and after it.
  const VoterCandidate* worst = nullptr;  // Among voters.
  std::size_t fit = 0;
  std::size_t stopping = 0;  // Voters that drain.
  for (const auto& candidate : candidates) {
    const bool votes = std::ranges::find(voters, candidate.node) != voters.end();
    if (votes && candidate.lost && voters.size() > 1) return {What::remove, candidate.node};
    if (candidate.lost) continue;
    if (!candidate.draining) ++fit;
    if (votes && candidate.draining) ++stopping;
    if (votes) {
      const bool worse = worst == nullptr || (candidate.draining && !worst->draining) ||
          (candidate.draining == worst->draining && better(*worst, candidate));
      if (worse) worst = &candidate;
    } else if (!candidate.draining) {
      if (best == nullptr || better(candidate, *best)) best = &candidate;
      if (next == nullptr || next_before(candidate, *next)) {
        after = std::exchange(next, &candidate);
      } else if (after == nullptr || next_before(candidate, *after)) {
        after = &candidate;
      }
    }
  }
  // A voter that stops, with no node to take its place, may come back: a majority of the others
  // goes on meanwhile. To shrink instead would leave the books to a single disk.
  if (best == nullptr && voters.size() >= 3) fit += stopping;
  const std::size_t target = wanted(voters_max, fit);
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
    const bool pair = voters.size() == 1 && after != nullptr;
    return {What::add, next->node, pair ? after->node : PeerId{}};
  }
  if (worst == nullptr) return {};
  if (worst->draining) return {What::add, best->node};
  if (best->score < worst->score + params.voter_margin) {
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
