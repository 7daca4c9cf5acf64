// SPDX-License-Identifier: MIT
#include "sim/scenario/scenario.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "config/renamed.h"
#include "config/toml.h"
#include "sim/scenario/advice.h"
#include "sim/scenario/machines.h"

// Scenarios are read through the same tables of parameters as an agent's settings: a key, its range
// and its meaning stand once. An unknown key is an error with advice, since a sweep over a key that
// was misspelt would draw a flat line after hours.
namespace dunlin::sim {
namespace {

using overlay::ParamEntry;

/// "; workload.load: number, 0.01 .. 2".
std::string expectation(const ParamEntry& entry) {
  return "; " + entry.key() + ": " + entry.type + ", " + entry.range;
}

/// Advice on an unknown key: its new name, or the nearest key that is known.
std::string advice_on(const std::string& full_key,
    const std::string& written,
    const std::vector<std::string>& known) {
  auto renamed = config::renamed_key(full_key);
  return renamed.empty() ? advice(written, known) : renamed;
}

/// A TOML value as the text that a ParamEntry reads; empty if no parameter can have such a value.
std::optional<std::string> text_of_node(const toml::node& node) {
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
          "unknown key '" + name + "' in [" + section + "]" +
              advice_on(section + "." + name, name, known));
    }
    const std::string place = place_of(file, node.source());
    const auto text = text_of_node(node);
    const std::string expected = expectation(*entry);
    if (!text) return wrong(place, "neither text, number nor bool" + expected);
    if (const auto set = entry->set(*text); !set) {
      return wrong(place, set.error().text + config::renamed_word(entry->key(), *text) + expected);
    }
  }
  return {};
}

/// [attributes]: "ns3::UdpSocket::RcvBufSize" = 262144.
Result<void> read_attributes(
    const toml::table& table, std::vector<Ns3Attribute>& attributes, const std::string& file) {
  for (const auto& [key, node] : table) {
    const std::string place = place_of(file, key.source());
    const auto text = text_of_node(node);
    if (!text) return wrong(place, "neither text, number nor bool");
    if (auto set = set_attribute(attributes, {std::string(key.str()), *text}); !set) {
      return wrong(place, set.error().text);
    }
  }
  return {};
}

}  // namespace

std::uint64_t Scenario::chance() const {
  // The first run of a seed draws from the seed itself.
  // Run numbers are small and follow each other; the factor spreads them over all bits.
  if (simulation.run == 1) return simulation.seed;
  return overlay::Rng{simulation.seed ^ simulation.run * 0x9e3779b97f4a7c15}();
}

// The baselines sampling, gradient and T-Man are our own peers with those parts switched off that
// their papers lack: what differs is what the papers say.
sched::PeerParams Scenario::peer_in_effect() const {
  sched::PeerParams params = peer;
  const bool tman = baseline.scheduler == Scheduler::tman;
  if (baseline.scheduler == Scheduler::sampling || tman) {
    params.frontend.placement = tman ? sched::PlacementName::tman : sched::PlacementName::random;
    params.frontend.hops_max = 0;
    params.frontend.probe_ratio_full = 1;
    params.frontend.probes_crowded = 1;
    params.worker.discipline = sched::DisciplineName::fifo;
    params.worker.express_share = 0;
  } else if (baseline.scheduler == Scheduler::gradient) {
    params.frontend.placement = sched::PlacementName::gradient;
    params.frontend.probe_ratio_full = 1;
  }
  if (cluster.start == Start::celled) {
    // Rounded up, so that the largest of the cells that stand from the start is not divided at
    // once.
    params.sharing.cell.cell_size =
        static_cast<std::uint16_t>((cluster.peers + cluster.cells - 1) / cluster.cells);
  }
  return params;
}

std::vector<ParamEntry> entries_of(Scenario& scenario) {
  std::vector<ParamEntry> entries;
  overlay::append_entries(scenario.simulation, entries);
  overlay::append_entries(scenario.cluster, entries);
  overlay::append_entries(scenario.network, entries);
  overlay::append_entries(scenario.faults, entries);
  overlay::append_entries(scenario.workload, entries);
  overlay::append_entries(scenario.map_reduce, entries);
  overlay::append_entries(scenario.trace, entries);
  overlay::append_entries(scenario.baseline, entries);
  overlay::append_entries(scenario.processing, entries);
  overlay::append_entries(scenario.classes, entries);
  overlay::append_entries(scenario.measures, entries);
  sched::for_each_section(
      scenario.peer, [&](auto& section) { overlay::append_entries(section, entries); });
  return entries;
}

Result<Scenario> parse_scenario(std::string_view text, const std::string& file) {
  const auto root = parse_toml(text, file);
  if (!root) return tl::unexpected(root.error());
  Scenario scenario;
  const auto entries = entries_of(scenario);
  auto sections = sections_of(entries);
  // [sweep] is of parse_plan(), which reads the same file.
  sections.insert(sections.end(), {"attributes", "sweep"});
  for (const auto& [key, node] : *root) {
    const std::string name(key.str());
    if (name == "title") {
      if (!node.is_string()) return wrong(place_of(file, node.source()), "the title is not text");
      scenario.title = node.as_string()->get();
      continue;
    }
    if (std::ranges::find(sections, name) == sections.end()) {
      const auto renamed = config::renamed_section(name);
      return wrong(place_of(file, key.source()),
          (node.is_table() ? "unknown section [" + name + "]" : "unknown key '" + name + "'") +
              (renamed.empty() ? advice(name, sections) : renamed));
    }
    if (!node.is_table()) {
      return wrong(place_of(file, node.source()), "'" + name + "' is a section: [" + name + "]");
    }
    if (name == "sweep") continue;
    const toml::table& table = *node.as_table();
    const auto read = name == "attributes" ? read_attributes(table, scenario.attributes, file)
                                           : read_section(table, name, entries, file);
    if (!read) return tl::unexpected(read.error());
  }
  return scenario;
}

Result<Scenario> load_scenario(const std::string& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_scenario(*text, file);
}

Result<void> apply_settings(Scenario& scenario, std::span<const std::string> settings) {
  const auto entries = entries_of(scenario);
  for (const std::string& setting : settings) {
    const std::string place = "--set " + setting;
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) return wrong(place, "expected key=value");
    const std::string key = setting.substr(0, equals);
    if (names_ns3_attribute(key)) {
      const auto set = set_attribute(scenario.attributes, {key, setting.substr(equals + 1)});
      if (!set) return wrong(place, set.error().text);
      continue;
    }
    std::vector<const ParamEntry*> found;
    std::vector<std::string> known;
    for (const auto& entry : entries) {
      // Advice is in the words that were used: a key without its section is compared with such
      // keys.
      known.push_back(key.find('.') == std::string::npos ? entry.name : entry.key());
      if (entry.key() == key || entry.name == key) found.push_back(&entry);
    }
    if (found.empty())
      return wrong(place, "unknown key '" + key + "'" + advice_on(key, key, known));
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

Result<void> apply_scale(Scenario& scenario) {
  // Once: a scenario that is applied twice must not grow twice.
  const std::uint32_t scale = std::exchange(scenario.cluster.scale, 1);
  if (scale == 1) return {};
  const std::string peers = std::to_string(std::uint64_t{scenario.cluster.peers} * scale);
  for (const auto& entry : entries_of(scenario)) {
    if (entry.key() != "cluster.peers") continue;
    if (const auto set = entry.set(peers); !set) {
      return wrong("cluster.scale", set.error().text + expectation(entry));
    }
  }
  scenario.workload.jobs_max *= scale;
  // More peers at the same load need as many more jobs in the same time.
  scenario.workload.job_gap /= scale;
  return {};
}

}  // namespace dunlin::sim
