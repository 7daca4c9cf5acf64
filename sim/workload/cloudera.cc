// SPDX-License-Identifier: MIT
#include "sim/workload/cloudera.h"

#include <algorithm>

#include "sim/fields.h"

namespace dunlin::sim {
namespace {

constexpr std::uint64_t kCountMax = 1'000'000;
constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 60;

Duration share_of(Duration sum, std::uint64_t tasks) {
  return std::max(Duration{1}, sum / static_cast<Duration::rep>(tasks));
}

/// KiB/s of each of the tasks that moved so many bytes in that time, all together.
std::uint32_t rate_of(std::uint64_t bytes, Duration time) {
  // A time of nothing would be a rate without a bound.
  const double seconds = std::max(1.0, std::chrono::duration<double>(time).count());
  const double rate = static_cast<double>(bytes) / 1024 / seconds;
  return static_cast<std::uint32_t>(std::min(rate, static_cast<double>(sched::kRateMax)));
}

}  // namespace

Result<void> ClouderaFormat::read(std::string_view line, std::vector<TraceJob>& jobs) {
  // A header tells nothing, wherever it stands.
  if (line.empty() || line.starts_with("submit_s,")) return {};
  const auto at = seconds_in(cut_field(line, ','));
  const auto duration = seconds_in(cut_field(line, ','));
  const auto maps = count_in(cut_field(line, ','), kCountMax);
  const auto map_time = seconds_in(cut_field(line, ','));
  const auto reduces = count_in(cut_field(line, ','), kCountMax);
  const auto reduce_time = seconds_in(cut_field(line, ','));
  const auto input = count_in(cut_field(line, ','), kBytesMax);
  const auto shuffle = count_in(cut_field(line, ','), kBytesMax);
  const auto output = count_in(cut_field(line, ','), kBytesMax);
  if (!at || !duration || !maps || !map_time || !reduces || !reduce_time || !input || !shuffle ||
      !output) {
    return failure(ErrorKind::corrupt,
        "expected: submit_s,duration_s,maps,map_task_s,reduces,reduce_task_s,input_B,shuffle_B,"
        "output_B");
  }
  const std::uint64_t family = ++lines_;
  TraceJob stage{.at = *at, .family = family};
  if (*maps > 0) {
    stage.tasks = static_cast<std::uint32_t>(*maps);
    stage.durations = {share_of(*map_time, *maps)};
    stage.rates.disk_read = rate_of(*input, *map_time);
    // Without reduces, maps write the output themselves.
    stage.rates.disk_write = rate_of(*reduces > 0 ? *shuffle : *output, *map_time);
    // Two keys a line: one for its maps, one for its reduces.
    stage.key = 2 * family;
    jobs.push_back(stage);
  }
  if (*reduces > 0) {
    stage.tasks = static_cast<std::uint32_t>(*reduces);
    stage.durations = {share_of(*reduce_time, *reduces)};
    stage.rates = {.cpu = 0,
        .memory = 0,
        .custom = {},
        .disk_write = rate_of(*output, *reduce_time),
        .net_in = rate_of(*shuffle, *reduce_time)};
    if (*maps > 0) stage.parents = {2 * family};
    stage.key = 2 * family + 1;
    jobs.push_back(std::move(stage));
  }
  return {};
}

}  // namespace dunlin::sim
