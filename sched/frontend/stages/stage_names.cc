// SPDX-License-Identifier: MIT
#include "sched/frontend/stages/stage_names.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

// Groups may stand in any order in a job, so a name may be of one that comes later. Which waits for
// which is a graph, and a job can only end if it has no circle. One is found by taking away, again
// and again, the groups that wait for none that is left: what stays is the circles and what waits
// for them.
namespace dunlin::sched {
namespace {

using After = std::vector<std::vector<std::uint16_t>>;

/// The groups of a circle in the order in which they wait for each other; empty if there is none.
std::vector<std::uint16_t> circle_of(const After& after) {
  const auto count = static_cast<std::uint16_t>(after.size());
  std::vector<std::size_t> waits(after.size());
  std::vector<std::vector<std::uint16_t>> dependants(after.size());
  std::vector<std::uint16_t> free;
  for (std::uint16_t group = 0; group < count; ++group) {
    waits[group] = after[group].size();
    for (const std::uint16_t before : after[group]) dependants[before].push_back(group);
    if (waits[group] == 0) free.push_back(group);
  }
  while (!free.empty()) {
    const std::uint16_t next = free.back();
    free.pop_back();
    for (const std::uint16_t group : dependants[next]) {
      if (--waits[group] == 0) free.push_back(group);
    }
  }
  const auto stays = [&](std::uint16_t group) { return waits[group] > 0; };
  std::vector<std::uint16_t> path;
  for (std::uint16_t group = 0; group < count && path.empty(); ++group) {
    if (stays(group)) path.push_back(group);
  }
  if (path.empty()) return path;
  // Each group that stays waits for one that stays: a walk along them comes back.
  while (true) {
    const std::uint16_t next = *std::ranges::find_if(after[path.back()], stays);
    const auto before = std::ranges::find(path, next);
    if (before != path.end()) return {before, path.end()};
    path.push_back(next);
  }
}

std::string quoted(const std::string& name) {
  return "'" + name + "'";
}

std::string known_names(std::span<const NamedStage> stages) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(stages.size(), kShown); ++i) {
    const std::string& name = stages[i].name;
    text += (i == 0 ? "" : ", ") + (name.empty() ? std::string("one without a name") : name);
  }
  return text + (stages.size() > kShown ? ", ..." : "");
}

StageMistake circle_mistake(std::span<const NamedStage> stages, std::vector<std::uint16_t> circle) {
  std::ranges::rotate(circle, std::ranges::min_element(circle));
  std::string text = "group " + stages[circle.front()].name;
  for (std::size_t i = 1; i <= circle.size(); ++i) {
    const std::string& name = stages[circle[i % circle.size()]].name;
    text += (i == 1 ? " waits for " : ", which waits for ") + name;
  }
  const std::uint16_t next = circle[1 % circle.size()];
  const std::vector<std::string>& names = stages[circle.front()].after;
  const auto at = std::ranges::find(names, stages[next].name);
  return {circle.front(), static_cast<std::size_t>(at - names.begin()),
      text + ": none of them could ever start"};
}

}  // namespace

tl::expected<std::vector<std::vector<std::uint16_t>>, StageMistake> resolve_stages(
    std::span<const NamedStage> stages) {
  std::map<std::string, std::vector<std::uint16_t>> by_name;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    by_name[stages[i].name].push_back(static_cast<std::uint16_t>(i));
  }
  After after(stages.size());
  for (std::size_t group = 0; group < stages.size(); ++group) {
    const std::vector<std::string>& names = stages[group].after;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto mistake = [&](std::string text) {
        return tl::unexpected(StageMistake{group, i, std::move(text)});
      };
      const auto found = names[i].empty() ? by_name.end() : by_name.find(names[i]);
      if (found == by_name.end()) {
        return mistake(
            "no group is named " + quoted(names[i]) + "; there are: " + known_names(stages));
      }
      if (found->second.size() > 1) {
        return mistake(std::to_string(found->second.size()) + " groups are named " +
            quoted(names[i]) + ": give each a name of its own");
      }
      const std::uint16_t before = found->second.front();
      if (before == group) return mistake("group " + names[i] + " cannot wait for itself");
      if (std::ranges::count(after[group], before) > 0) {
        return mistake(quoted(names[i]) + " stands there twice: once is enough");
      }
      after[group].push_back(before);
    }
  }
  if (auto circle = circle_of(after); !circle.empty()) {
    return tl::unexpected(circle_mistake(stages, std::move(circle)));
  }
  for (auto& each : after) std::ranges::sort(each);
  return after;
}

bool has_sound_stages(std::span<const TaskGroup> groups) {
  After after;
  bool waits = false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::vector<std::uint16_t>& each = groups[i].after;
    const auto wrong = [&](std::uint16_t before) { return before >= groups.size() || before == i; };
    const bool ascending = std::ranges::adjacent_find(each, std::greater_equal{}) == each.end();
    if (!ascending || std::ranges::any_of(each, wrong)) return false;
    waits = waits || !each.empty();
    after.push_back(each);
  }
  return !waits || circle_of(after).empty();
}

}  // namespace dunlin::sched
