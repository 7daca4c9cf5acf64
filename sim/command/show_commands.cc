// SPDX-License-Identifier: MIT
#include "sim/command/show_commands.h"

#include <algorithm>
#include <iostream>
#include <sstream>

#include "config/text_table.h"
#include "sim/command/find_scenario.h"
#include "sim/scenario/advice.h"
#include "sim/scenario/scenario.h"
#include "sim/study/read_plan.h"

namespace dunlin::sim {
namespace {

/// The title of a scenario, or what is wrong with it.
std::string headline_of(const std::string& file) {
  const auto scenario = load_scenario(file);
  if (!scenario) return scenario.error().text;
  const auto plan = load_plan(file);
  return plan ? scenario->title : plan.error().text;
}

}  // namespace

void list(const std::string& given) {
  const std::string folder = given.empty() ? experiments_folder() : given;
  const auto files = scenarios_in(folder);
  if (files.empty()) std::cout << "no scenario in " << folder << '\n';
  auto table = config::TextTable::by_content({"SCENARIO", "TITLE"});
  for (const auto& file : files) {
    // What find_scenario() finds needs no path.
    table.add({given.empty() ? scenario_name(file) : file, headline_of(file)});
  }
  if (!files.empty()) std::cout << table.text();
}

void params() {
  Scenario scenario;
  std::string section;
  for (const auto& entry : entries_of(scenario)) {
    if (entry.section != section) {
      std::cout << (section.empty() ? "" : "\n") << '[' << entry.section << "]\n";
    }
    section = entry.section;
    std::cout << "# " << entry.meaning;
    if (!entry.source.empty()) std::cout << " Source: " << entry.source << '.';
    // As TOML has it: what is printed can be read as a scenario.
    const bool bare = entry.type == "number" || entry.type == "integer" || entry.type == "bool";
    const std::string quote = bare ? "" : "\"";
    std::cout << "\n# " << entry.type << ", " << entry.range << '\n'
              << entry.name << " = " << quote << entry.fallback << quote << '\n';
  }
}

Result<void> describe(const std::string& given) {
  const auto found = find_scenario(given);
  if (!found) return tl::unexpected(found.error());
  const std::string& file = *found;
  auto scenario = load_scenario(file);
  if (!scenario) return tl::unexpected(scenario.error());
  const auto plan = load_plan(file);
  if (!plan) return tl::unexpected(plan.error());
  std::cout << scenario->title << "\n\n";
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  std::istringstream in(*text);
  // The comment that a file begins with says what the scenario shows; the first other line ends it.
  for (std::string line; std::getline(in, line) && line.starts_with('#');) {
    std::cout << line.substr(std::min<std::size_t>(2, line.size())) << '\n';
  }
  std::cout << '\n';
  for (const auto& entry : entries_of(*scenario)) {
    // What has its default would only hide what the scenario is about.
    if (entry.get() == entry.fallback) continue;
    std::cout << entry.key() << " = " << entry.get() << "  (default " << entry.fallback << ")\n";
  }
  for (const auto& [name, value] : scenario->attributes) {
    std::cout << name << " = " << value << '\n';
  }
  for (const Axis& axis : plan->axes) {
    std::cout << "axis " << axis.key << ":";
    for (const auto& value : axis.values) std::cout << ' ' << value;
    std::cout << '\n';
  }
  return {};
}

}  // namespace dunlin::sim
