// SPDX-License-Identifier: MIT
#include "sim/scenario.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <toml++/toml.h>

namespace dunlin::sim {
namespace {

using overlay::ParamEntry;

tl::unexpected<Error> wrong(std::string place, const std::string& text) {
  return failure(ErrorKind::usage, std::move(place) + ": " + text);
}

std::string place_of(const std::string& file, const toml::source_region& source) {
  return file + ":" + std::to_string(source.begin.line) + ":" + std::to_string(source.begin.column);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

/// "; did you mean 'load'?" or, if nothing is near, all there are.
std::string advice(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest =
      std::ranges::min_element(known, {}, [&](const auto& k) { return edit_distance(word, k); });
  if (nearest != known.end() && edit_distance(word, *nearest) <= 2) {
    return "; did you mean '" + *nearest + "'?";
  }
  std::string all;
  for (const auto& each : known) all += (all.empty() ? "; expected one of: " : ", ") + each;
  return all;
}

/// "; workload.load: number, 0.01 .. 2".
std::string expectation(const ParamEntry& entry) {
  return "; " + entry.key() + ": " + entry.type + ", " + entry.range;
}

/// A TOML value as the text that a ParamEntry reads; empty if it is none that a parameter can have.
std::optional<std::string> text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return overlay::number_text(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

std::vector<std::string> sections_of(const std::vector<ParamEntry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (names.empty() || names.back() != entry.section) names.push_back(entry.section);
  }
  return names;
}

Result<void> read_section(const toml::table& table,
    const std::string& section,
    const std::vector<ParamEntry>& entries,
    const std::string& file) {
  std::vector<std::string> known;
  for (const auto& entry : entries) {
    if (entry.section == section) known.push_back(entry.name);
  }
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const auto entry = std::ranges::find_if(
        entries, [&](const auto& e) { return e.section == section && e.name == name; });
    if (entry == entries.end()) {
      return wrong(place_of(file, key.source()),
          "unknown key '" + name + "' in [" + section + "]" + advice(name, known));
    }
    const std::string place = place_of(file, node.source());
    const auto text = text_of(node);
    const std::string expected = expectation(*entry);
    if (!text) return wrong(place, "neither text, number nor bool" + expected);
    if (const auto set = entry->set(*text); !set) return wrong(place, set.error().text + expected);
  }
  return {};
}

}  // namespace

sched::Resources Scenario::capacity() const {
  return {.cpu = static_cast<std::uint32_t>(std::lround(cluster.cpus * 1000)),
      .memory = cluster.memory,
      .custom = {}};
}

std::vector<ParamEntry> entries_of(Scenario& scenario) {
  std::vector<ParamEntry> entries;
  overlay::append_entries(scenario.simulation, entries);
  overlay::append_entries(scenario.cluster, entries);
  overlay::append_entries(scenario.network, entries);
  overlay::append_entries(scenario.faults, entries);
  overlay::append_entries(scenario.workload, entries);
  sched::for_each_section(
      scenario.peer, [&](auto& section) { overlay::append_entries(section, entries); });
  return entries;
}

Result<Scenario> parse_scenario(std::string_view text, const std::string& file) try {
  const toml::table root = toml::parse(text, file);
  Scenario scenario;
  const auto entries = entries_of(scenario);
  const auto sections = sections_of(entries);
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    if (name == "title") {
      if (!node.is_string()) return wrong(place_of(file, node.source()), "the title is not text");
      scenario.title = node.as_string()->get();
      continue;
    }
    if (std::ranges::find(sections, name) == sections.end()) {
      return wrong(place_of(file, key.source()),
          (node.is_table() ? "unknown section [" + name + "]" : "unknown key '" + name + "'") +
              advice(name, sections));
    }
    if (!node.is_table()) {
      return wrong(place_of(file, node.source()), "'" + name + "' is a section: [" + name + "]");
    }
    const auto read = read_section(*node.as_table(), name, entries, file);
    if (!read) return tl::unexpected(read.error());
  }
  return scenario;
} catch (const toml::parse_error& error) {
  return wrong(place_of(file, error.source()), std::string(error.description()));
}

Result<Scenario> load_scenario(const std::string& file) {
  std::ifstream in(file);
  if (!in) return failure_of(errno, file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return failure_of(errno, file);
  return parse_scenario(text, file);
}

Result<void> apply_settings(Scenario& scenario, std::span<const std::string> settings) {
  const auto entries = entries_of(scenario);
  for (const std::string& setting : settings) {
    const std::string place = "--set " + setting;
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) return wrong(place, "expected key=value");
    const std::string key = setting.substr(0, equals);
    std::vector<const ParamEntry*> found;
    std::vector<std::string> known;
    for (const auto& entry : entries) {
      known.push_back(entry.key());
      if (entry.key() == key || entry.name == key) found.push_back(&entry);
    }
    if (found.empty()) return wrong(place, "unknown key '" + key + "'" + advice(key, known));
    if (found.size() > 1) {
      return wrong(place,
          "'" + key + "' stands in several sections: say " + found[0]->key() + " or " +
              found[1]->key());
    }
    const auto set = found[0]->set(std::string_view(setting).substr(equals + 1));
    if (!set) {
      return wrong(place, set.error().text + expectation(*found[0]));
    }
  }
  return {};
}

Result<void> validate(const Scenario& scenario) {
  const sched::Resources demand = demand_of(scenario.workload);
  if (!sched::fits(demand, scenario.capacity())) {
    return failure(ErrorKind::usage,
        "a task of " + sched::to_string(demand) + " fits no peer of " +
            sched::to_string(scenario.capacity()) +
            ": lower workload.task_cpu or task_memory, or raise cluster.cpus or memory");
  }
  const auto& run = scenario.simulation;
  if (run.warm_up >= run.duration) {
    return failure(ErrorKind::usage, "simulation.warm_up must be shorter than simulation.duration");
  }
  if (scenario.workload.first_job >= run.duration) {
    return failure(ErrorKind::usage, "workload.first_job must be earlier than simulation.duration");
  }
  return {};
}

}  // namespace dunlin::sim
