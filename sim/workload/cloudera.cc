// SPDX-License-Identifier: MIT
#include "sim/workload/cloudera.h"

#include <algorithm>

#include "sim/fields.h"

namespace dunlin::sim {
namespace {

constexpr std::uint64_t kCountMax = 1'000'000;

Duration share_of(Duration sum, std::uint64_t tasks) {
  return std::max(Duration{1}, sum / static_cast<Duration::rep>(tasks));
}

}  // namespace

Result<void> ClouderaFormat::read(std::string_view line, std::vector<TraceJob>& jobs) {
  if (line.empty() || line.starts_with("submit_s,")) return {};
  const auto at = seconds_in(cut_field(line, ','));
  const auto duration = seconds_in(cut_field(line, ','));
  const auto maps = count_in(cut_field(line, ','), kCountMax);
  const auto map_time = seconds_in(cut_field(line, ','));
  const auto reduces = count_in(cut_field(line, ','), kCountMax);
  const auto reduce_time = seconds_in(cut_field(line, ','));
  if (!at || !duration || !maps || !map_time || !reduces || !reduce_time) {
    return failure(ErrorKind::corrupt,
        "expected: submit_s,duration_s,maps,map_task_s,reduces,reduce_task_s, then bytes");
  }
  const std::uint64_t family = ++lines_;
  TraceJob stage{.at = *at, .family = family};
  if (*maps > 0) {
    stage.tasks = static_cast<std::uint32_t>(*maps);
    stage.durations = {share_of(*map_time, *maps)};
    stage.key = 2 * family;
    jobs.push_back(stage);
  }
  if (*reduces > 0) {
    stage.tasks = static_cast<std::uint32_t>(*reduces);
    stage.durations = {share_of(*reduce_time, *reduces)};
    if (*maps > 0) stage.parents = {2 * family};
    stage.key = 2 * family + 1;
    jobs.push_back(std::move(stage));
  }
  return {};
}

}  // namespace dunlin::sim
