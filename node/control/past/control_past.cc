// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "node/control/control_handlers.h"
#include "node/control/past/past_ring.h"
#include "node/ids.h"
#include "node/wall_clock.h"
#include "sched/node_spec.h"
#include "sched/peer.h"

// The verb `past`: figures of this agent over the last hour, or the last two days.
namespace dunlin::node {
namespace {

/// Values of one answer: what a turn can write down.
constexpr std::size_t kPastValuesMax = 4000;
/// Steps that are told without a word of since when.
constexpr std::int64_t kPastStepsUsual = 100;

constexpr const char* kPastKindWords[] = {"mean", "sum", "high"};

/// The figures of these names; all without any. Empty if one is of no figure.
std::vector<std::size_t> figures_named(const std::vector<std::string>& names) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < kPastCount && names.empty(); ++i) numbers.push_back(i);
  for (const std::string& name : names) {
    const auto* const found = std::ranges::find(kPastFigures, name, &PastFigure::name);
    if (found == std::end(kPastFigures)) return {};
    numbers.push_back(static_cast<std::size_t>(found - std::begin(kPastFigures)));
  }
  return numbers;
}

/// The wall clock's time at which the step ended, if it was not set since.
std::int64_t end_of_step(
    const AgentServices& agent, const PastRing::Ring& ring, std::int64_t step) {
  const auto end = (step + 1) * ring.step;
  return wall_clock_ns() - (agent.now().time_since_epoch() - end).count();
}

/// The step that ended nearest to that time of the wall clock: two clocks are never read at one
/// moment.
std::int64_t step_ended_at(
    const AgentServices& agent, const PastRing::Ring& ring, std::int64_t wall_ns) {
  const std::int64_t ago = wall_clock_ns() - wall_ns;
  const std::int64_t end = agent.now().time_since_epoch().count() - ago;
  const std::int64_t step_ns = ring.step.count();
  return (end + step_ns / 2) / step_ns - 1;
}

}  // namespace

Result<Json> handle_past(AgentServices& agent, ControlSession&, Args& args) {
  const auto numbers = figures_named(args.texts("figures", kPastCount));
  if (numbers.empty()) args.fail("figures", "names of figures, such as cpu_free_milli and running");
  constexpr std::int64_t kFineStep = PastRing::kFine.step.count();
  constexpr std::int64_t kCoarseStep = PastRing::kCoarse.step.count();
  const auto step_ns = args.number("step_ns", kFineStep, kCoarseStep, kFineStep);
  if (step_ns != kFineStep && step_ns != kCoarseStep) {
    args.fail("step_ns", "5000000000 (the last hour) or 60000000000 (the last two days)");
  }
  const auto since = args.number("since_at_ns", 0, INT64_MAX, 0);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());

  const PastRing& past = agent.local().past;
  const PastRing::Ring& ring = step_ns == kFineStep ? PastRing::kFine : PastRing::kCoarse;
  const PastRing::Kept kept = past.kept(ring);
  const std::int64_t wanted =
      since == 0 ? kept.end - kPastStepsUsual : step_ended_at(agent, ring, since);
  const std::int64_t first = std::clamp(wanted, kept.first, kept.end);
  const auto fit = static_cast<std::int64_t>(kPastValuesMax / numbers.size());
  const std::int64_t end = std::min(kept.end, first + fit);
  Json figures = Json::array();
  for (const std::size_t number : numbers) {
    Json values = Json::array();
    for (std::int64_t step = first; step < end; ++step) {
      const std::int64_t value = past.at(ring, step, number);
      values.push_back(value == PastRing::kUnknown ? Json(nullptr) : Json(value));
    }
    figures.push_back({{"name", kPastFigures[number].name},
        {"kind", kPastKindWords[static_cast<std::size_t>(kPastFigures[number].kind)]},
        {"values", std::move(values)}});
  }
  return Json{{"node", to_string(agent.id())}, {"node_name", agent.peer().self().name},
      {"step_ns", step_ns}, {"first_at_ns", end_of_step(agent, ring, first)},
      {"figures", std::move(figures)},
      {"next_at_ns", end < kept.end ? Json(end_of_step(agent, ring, end)) : Json(nullptr)}};
}

}  // namespace dunlin::node
