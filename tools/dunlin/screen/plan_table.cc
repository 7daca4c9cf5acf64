// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/plan_table.h"

#include <cstdint>

#include "tools/dunlin/screen/share_table.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// Each cell plans for itself, so there is a paragraph for each. A job's need and its slack stand
// beside its slots: from these two a reader sees why it got them.
namespace dunlin::cli {
namespace {

constexpr const char* kNoPlan =
    "no plan: workers go by their discipline. `dunlin plan set assured` sets one.\n";

// 0 for what is no number.
double seconds_in(const Json& nanoseconds) {
  return as<double>(nanoseconds) / 1e9;
}

// Nothing for a job without a deadline: it cannot be late.
std::string slack_text(const Json& job) {
  const Json& slack = member(job, "slack_ns");
  if (!slack.is_number()) return "";
  const double left = seconds_in(slack);
  return left < 0 ? span_text(-left) + " late" : span_text(left);
}

/// Why it was made, as `plan` of the control protocol says it.
std::string cause_text(const std::string& cause) {
  if (cause == "rule") return "another rule was set";
  if (cause == "jobs") return "jobs changed";
  if (cause == "workers") return "nodes changed";
  return "a job was off its course";
}

// Each cell plans by itself, so a cluster has as many plans as cells.
std::string cell_text(const Json& cell, const Terminal& terminal) {
  std::string text = "cell " + printable(value<std::string>(cell, "cell")) + ", manager " +
      printable(value<std::string>(cell, "manager_name")) + ": plan " +
      std::to_string(value<std::int64_t>(cell, "number")) + ", made " +
      age_text(seconds_in(member(cell, "age_ns"))) + " ago because " +
      cause_text(value<std::string>(cell, "cause")) + "; it gives " +
      count_text(value<std::uint64_t>(cell, "slots"), "slot") + ", " +
      std::to_string(value<std::int64_t>(cell, "moved")) + " of them to another job than before\n";
  const Json& jobs = member(cell, "jobs");
  Table rows({{"JOB"}, {"SLOTS", Align::right}, {"NEED", Align::right}, {"SLACK", Align::right}});
  for (const Json& job : jobs) {
    rows.add(
        {value<std::string>(job, "node") + "." + std::to_string(value<std::int64_t>(job, "number")),
            std::to_string(value<std::int64_t>(job, "slots")),
            std::to_string(value<std::int64_t>(job, "need")), slack_text(job)});
  }
  // A header without a row would look like an error.
  if (!rows.empty()) text += rows.render(terminal);
  // The answer has only so many jobs; that there are more is said.
  const auto all = value<std::int64_t>(cell, "job_count");
  const auto shown = static_cast<std::int64_t>(jobs.size());
  if (all > shown) {
    text += "and " + count_text(static_cast<std::uint64_t>(all - shown), "more job") + "\n";
  }
  return text;
}

}  // namespace

std::string plan_title(const Json& plan) {
  const auto policy = value<std::string>(plan, "policy");
  if (policy == "off")
    return "no plan, version " + std::to_string(value<std::int64_t>(plan, "version"));
  return "policy " + printable(policy) + ", spare slots by " +
      printable(value<std::string>(plan, "spare")) + ", version " +
      std::to_string(value<std::int64_t>(plan, "version"));
}

std::string plan_text(const Json& plan, const Terminal& terminal) {
  if (value<std::string>(plan, "policy") == "off") return kNoPlan;
  std::string text = plan_title(plan) + "\n";
  const Json& cells = member(plan, "cells");
  for (const Json& cell : cells) text += cell_text(cell, terminal);
  if (cells.empty()) text += "no manager has planned yet\n";
  const auto silent = member(plan, "silent").size();
  if (silent > 0) {
    text += std::to_string(silent) + (silent == 1 ? " cell does" : " cells do") + " not answer\n";
  }
  return text;
}

}  // namespace dunlin::cli
