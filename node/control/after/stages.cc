// SPDX-License-Identifier: MIT
#include "node/control/after/stages.h"

#include <algorithm>
#include <utility>

#include "sched/frontend/stages/stage_names.h"

// Groups that wait for other groups: names become numbers when a job is submitted, and numbers
// become sentences when a user asks why a group waits.
namespace dunlin::node {
namespace {

std::string count_of_tasks(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " task" : " tasks");
}

}  // namespace

Result<void> set_stages(
    std::vector<sched::TaskGroup>& groups, std::vector<std::vector<std::string>> names) {
  std::vector<sched::NamedStage> stages;
  stages.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    stages.push_back({.name = groups[i].name, .after = std::move(names[i])});
  }
  auto after = sched::resolve_stages(stages);
  if (!after) {
    const sched::StageMistake& mistake = after.error();
    return failure(ErrorKind::usage,
        "'groups[" + std::to_string(mistake.group) + "].after[" + std::to_string(mistake.name) +
            "]': " + mistake.text);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].after = std::move((*after)[i]);
  return {};
}

Json stages_json(const sched::JobState& job, std::uint16_t group) {
  Json json = Json::array();
  for (const std::uint16_t before : job.spec_of(group).after) {
    const std::uint32_t left = job.stages().left(before);
    const bool missed = job.stages().has_failed(before);
    json.push_back(
        {{"group", job.spec_of(before).name}, {"tasks", job.spec_of(before).count}, {"left", left},
            {"state",
                left == 0    ? "met"
                    : missed ? "missed"
                             : "open"}});
  }
  return json;
}

std::string stage_text(const sched::JobState& job, std::uint16_t group) {
  std::string text;
  for (const std::uint16_t before : job.spec_of(group).after) {
    const std::uint32_t left = job.stages().left(before);
    if (left == 0) continue;
    text += (text.empty() ? "group " + job.spec_of(group).name + " waits for " : ", and for ") +
        job.spec_of(before).name + ": " + std::to_string(left) + " of " +
        count_of_tasks(job.spec_of(before).count) + " left";
  }
  return text;
}

// The first group that is held back stands for all: a line has room for one reason.
std::string stage_text(const sched::JobState& job) {
  for (std::uint16_t group = 0; group < sched::group_count(job); ++group) {
    const auto& state = job.groups()[group];
    if (state.waiting + state.resting == 0 || !job.stages().holds(group)) continue;
    return stage_text(job, group);
  }
  return "";
}

std::string missed_stage_text(const sched::JobState& job) {
  for (std::uint16_t group = 0; group < sched::group_count(job); ++group) {
    if (!job.stages().is_missed(group)) continue;
    const std::uint32_t first = job.groups()[group].first;
    std::uint32_t count = 0;
    for (std::uint32_t i = first; i < first + job.spec_of(group).count; ++i) {
      if (job.task(i).state == sched::TaskState::cancelled) ++count;
    }
    if (count == 0) continue;
    const std::vector<std::uint16_t>& after = job.spec_of(group).after;
    const auto before = *std::ranges::find_if(
        after, [&](std::uint16_t each) { return job.stages().has_failed(each); });
    return "group " + job.spec_of(before).name + " did not succeed, which cancelled " +
        count_of_tasks(count) + " of group " + job.spec_of(group).name + ", which waits for it";
  }
  return "";
}

}  // namespace dunlin::node
