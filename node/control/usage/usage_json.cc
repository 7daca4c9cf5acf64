// SPDX-License-Identifier: MIT
#include "node/control/usage/usage_json.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "node/ids.h"
#include "sched/job.h"

// Two forms. People and programs get whole numbers in the units that stand in their names. Agents
// send each other parts by log and epoch, with sums as lists in the order of sched::kUsageSums, so
// that a sum counts no job twice that two nodes have driven. The word of another node is bounded
// before it is added.
namespace dunlin::node {
namespace {

constexpr std::int64_t kUsPerMs = 1000;
constexpr std::int64_t kMsPerS = 1000;
/// Bytes of a line's name at most.
constexpr std::size_t kLineNameMax = sched::kJobNameMax;
/// Whatever a node says, it used no more of anything: sums of many nodes stay numbers.
constexpr std::int64_t kSumMax = std::int64_t{1} << 62;

std::int64_t least_0(std::int64_t sum) {
  return std::max<std::int64_t>(sum, 0);
}

sched::UsageSums sums_of(const Json& told) {
  sched::UsageSums sums;
  if (!told.is_array()) return sums;
  for (std::size_t i = 0; i < std::size(sched::kUsageSums) && i < told.size(); ++i) {
    std::int64_t& sum = sums.*sched::kUsageSums[i];
    if (told[i].is_number_integer())
      sum = std::clamp(told[i].get<std::int64_t>(), -kSumMax, kSumMax);
    if (&sum != &sums.lost) sum = least_0(sum);
  }
  return sums;
}

std::uint64_t log_of(const Json& told) {
  std::uint64_t log = 0;
  if (!told.is_string()) return log;
  const auto& text = told.get_ref<const std::string&>();
  std::from_chars(text.data(), text.data() + text.size(), log, 16);
  return log;
}

std::uint32_t epoch_of(const Json& told) {
  if (!told.is_number_unsigned()) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(told.get<std::uint64_t>(), UINT32_MAX));
}

bool is_line(const Json& told) {
  return told.is_object() && told.contains("line") && told["line"].is_string() &&
      told["line"].get_ref<const std::string&>().size() <= kLineNameMax && told.contains("sums");
}

}  // namespace

Json usage_sums_json(const sched::UsageSums& sums) {
  return {{"jobs", least_0(sums.jobs)}, {"tasks", least_0(sums.tasks)},
      {"failed", least_0(sums.failed)}, {"preempted", least_0(sums.preempted)},
      {"lost", least_0(sums.lost)}, {"cpu_used_ms", least_0(sums.cpu_used) / kUsPerMs},
      {"cpu_held_ms", least_0(sums.cpu_held) / kUsPerMs},
      {"cpu_wasted_ms", least_0(sums.cpu_wasted) / kUsPerMs},
      {"memory_held_mib_s", least_0(sums.memory_held) / kMsPerS},
      {"gpu_held_ms", least_0(sums.gpu_held)}};
}

Json usage_parts_json(const std::vector<sched::UsagePart>& parts) {
  Json all = Json::array();
  for (const sched::UsagePart& part : parts) {
    Json lines = Json::array();
    for (const auto& [line, sums] : part.lines) {
      Json told = Json::array();
      for (std::int64_t sched::UsageSums::* const each : sched::kUsageSums) {
        told.push_back(sums.*each);
      }
      lines.push_back({{"line", line}, {"sums", std::move(told)}});
    }
    all.push_back({{"log", to_string(overlay::PeerId{part.log})}, {"epoch", part.epoch},
        {"lines", std::move(lines)}});
  }
  return all;
}

std::vector<sched::UsagePart> usage_parts_of(const Json& answer) {
  std::vector<sched::UsagePart> parts;
  if (!answer.is_object() || !answer.contains("parts") || !answer["parts"].is_array()) return parts;
  for (const Json& told : answer["parts"]) {
    const bool is_part = told.is_object() && told.contains("log") && told.contains("epoch") &&
        told.contains("lines") && told["lines"].is_array();
    if (!is_part) continue;
    sched::UsagePart& part = parts.emplace_back();
    part.log = log_of(told["log"]);
    part.epoch = epoch_of(told["epoch"]);
    for (const Json& line : told["lines"]) {
      if (!is_line(line)) continue;
      sched::add(part.lines[line["line"].get<std::string>()], sums_of(line["sums"]));
    }
  }
  return parts;
}

}  // namespace dunlin::node
