// SPDX-License-Identifier: MIT
#include "sched/packing/packer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

// Three wishes are weighed. Fairness draws the circle: only the jobs that hold least compete.
// Within it the last tasks of a stage go first, for others wait for them. Among the rest a score
// decides: alignment A packs, and the work P that the job has left is held against it, for mean
// completion times are shortest if short jobs go first. A is a product of shares and P a time, so a
// factor brings both to one scale: the mean A by the mean P of all that compete.
//
// The circle leaves no room idle. If nothing of it fits, the job with the least share of those
// outside that have something to start is served.
namespace dunlin::sched::packing {
namespace {

/// (1 - F) J is a whole number as often as not, and rounding must not make it one more.
constexpr double kRounding = 1e-9;

/// Those that hold least come first.
auto fairness_key(std::span<const Job> jobs, std::size_t job) {
  return std::tuple(jobs[job].share, jobs[job].submitted, job);
}

/// Says of each job if it competes.
std::vector<char> draw_circle(double fairness, std::span<const Job> jobs) {
  const std::size_t size = competing_jobs(fairness, jobs.size());
  if (size == jobs.size()) return std::vector<char>(jobs.size(), 1);
  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(size), {},
      [&](std::uint32_t job) { return fairness_key(jobs, job); });
  std::vector<char> competes(jobs.size(), 0);
  for (std::size_t i = 0; i < size; ++i) competes[order[i]] = 1;
  return competes;
}

/// The indices of the candidates among which the score decides. Requires some candidate.
std::vector<std::size_t> competitors(
    double fairness, std::span<const Job> jobs, std::span<const Candidate> candidates) {
  std::vector<char> competes = draw_circle(fairness, jobs);
  const auto is_inside = [&](const Candidate& each) { return competes[each.job] != 0; };
  if (std::ranges::none_of(candidates, is_inside)) {
    const auto poorest = std::ranges::min_element(
        candidates, {}, [&](const Candidate& each) { return fairness_key(jobs, each.job); });
    competes[poorest->job] = 1;
  }
  const bool any_hurries = std::ranges::any_of(
      candidates, [&](const Candidate& each) { return each.hurries && is_inside(each); });
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (is_inside(candidates[i]) && (candidates[i].hurries || !any_hurries)) found.push_back(i);
  }
  return found;
}

}  // namespace

std::size_t competing_jobs(double fairness, std::size_t jobs) {
  const double part = (1 - fairness) * static_cast<double>(jobs);
  const auto size = static_cast<std::size_t>(std::ceil(part - kRounding));
  return std::clamp<std::size_t>(size, std::min<std::size_t>(jobs, 1), jobs);
}

bool nears_barrier(double barrier, double finished) {
  return finished >= barrier && finished < 1;
}

double Packer::alignment(
    const Candidate& candidate, const Shares& free, const Shares& weights) const {
  const double own = score(rules_.score, dimensions_.shares(*candidate.demand), free, weights);
  return candidate.remote ? penalised(own, rules_.remote_penalty) : own;
}

std::optional<std::size_t> Packer::choose(const Resources& free,
    const Shares& weights,
    std::span<const Job> jobs,
    std::span<const Candidate> candidates) const {
  if (candidates.empty()) return std::nullopt;
  const std::vector<std::size_t> competing = competitors(rules_.fairness, jobs, candidates);
  const Shares free_shares = dimensions_.shares(free);
  std::vector<double> alignments;
  alignments.reserve(competing.size());
  double all_alignment = 0;
  double all_work = 0;
  for (const std::size_t i : competing) {
    alignments.push_back(alignment(candidates[i], free_shares, weights));
    all_alignment += alignments.back();
    all_work += candidates[i].work_left;
  }
  // Some scores are never above 0: their size is the scale all the same.
  const double epsilon = all_work > 0 ? rules_.srtf_weight * std::abs(all_alignment) / all_work : 0;
  const auto key = [&](std::size_t at) {
    const Candidate& each = candidates[competing[at]];
    return std::tuple(
        epsilon * each.work_left - alignments[at], jobs[each.job].submitted, competing[at]);
  };
  std::size_t best = 0;
  for (std::size_t at = 1; at < competing.size(); ++at) {
    if (key(at) < key(best)) best = at;
  }
  return competing[best];
}

}  // namespace dunlin::sched::packing
