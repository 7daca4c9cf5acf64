// SPDX-License-Identifier: MIT
#include "sim/workload/alibaba.h"

#include <algorithm>

#include "sim/fields.h"

namespace dunlin::sim {
namespace {

/// The key of group `number` of `job`.
std::uint64_t key_of(std::string_view job, std::string_view number) {
  return hash_of(std::string(job) + '/' + std::string(number));
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Reads the group's own key, and those of its parents. Names of another kind (task_xyz) stand
/// alone.
void read_name(std::string_view name, std::string_view job, TraceJob& to) {
  std::string_view rest = name;
  // The letters before the number name the kind of its tasks, which makes no difference here.
  rest.remove_prefix(std::min(rest.find_first_of("0123456789_"), rest.size()));
  const auto own = cut_field(rest, '_');
  if (!all_digits(own)) {
    to.key = key_of(job, name);
    return;
  }
  to.key = key_of(job, own);
  while (!rest.empty()) {
    const auto parent = cut_field(rest, '_');
    if (all_digits(parent)) to.parents.push_back(key_of(job, parent));
  }
}

}  // namespace

Result<void> AlibabaFormat::read(std::string_view line, std::vector<TraceJob>& jobs) {
  if (line.empty()) return {};
  const auto arrival = seconds_in(cut_field(line, ','));
  const auto job_name = cut_field(line, ',');
  const auto name = cut_field(line, ',');
  const auto duration = seconds_in(cut_field(line, ','));
  const auto cpu = number_in(cut_field(line, ','));
  const auto memory = number_in(cut_field(line, ','));
  const auto instances = count_in(cut_field(line, ','), 1'000'000);
  if (!arrival || job_name.empty() || name.empty() || !duration || !cpu || *cpu < 0 || *cpu > 1e6 ||
      !memory || *memory < 0 || *memory > 100 || !instances) {
    return failure(
        ErrorKind::corrupt, "expected: arrival_s,job,task,duration_s,plan_cpu,plan_mem,instances");
  }
  if (*instances == 0) return {};
  TraceJob job{.at = *arrival,
      .tasks = static_cast<std::uint32_t>(*instances),
      .durations = {*duration},
      // 100 of plan_cpu are one CPU, or 1000 of ours.
      .demand = sched::Resources{.cpu = static_cast<std::uint32_t>(std::ceil(*cpu * 10)),
          .memory = static_cast<std::uint32_t>(std::ceil(*memory / 100 * machine_.memory)),
          .custom = {}},
      .family = hash_of(job_name)};
  read_name(name, job_name, job);
  jobs.push_back(std::move(job));
  return {};
}

}  // namespace dunlin::sim
