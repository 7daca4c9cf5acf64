// SPDX-License-Identifier: MIT
#include "sim/study/trial_names.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "sim/fields.h"
#include "sim/scenario/scenario.h"

// A result that is kept must be the one that a new run would give, and a result that would not
// change must be kept: else users delete folders by hand, or wait for nothing. So the name is made
// of values that were read, not of the text that they were read from, and of the program's bytes,
// not of a version that stays the same from build to build.
namespace dunlin::sim {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

/// The hash of a file's bytes; 0 if it cannot be read.
std::uint64_t hash_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return 0;
  std::vector<char> chunk(kChunk);
  std::uint64_t hash = 0;
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), in.gcount() > 0) {
    // Each chunk's hash goes on from the last one's.
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(in.gcount()));
    hash = hash * 0x9e3779b97f4a7c15 ^ hash_of(bytes);
  }
  return hash;
}

std::string hexadecimal(std::uint64_t value, int digits) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "%0*llx", digits, static_cast<unsigned long long>(value));
  return text.data();
}

/// A trace counts by its bytes, wherever it is.
TraceParams with_no_place(TraceParams trace) {
  trace.data = {};
  trace.file = {};
  return trace;
}

}  // namespace

std::vector<std::string> libraries_in(std::istream& maps) {
  std::set<std::string> paths;
  std::string line;
  while (std::getline(maps, line)) {
    // The path is the last thing in a line, and nothing before it has a slash.
    const auto slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash);
    const std::string name = std::filesystem::path(path).filename();
    if (name.starts_with("libns3")) paths.insert(path);
  }
  return {paths.begin(), paths.end()};
}

std::string build_of_this_program() {
  std::uint64_t hash = hash_of_file("/proc/self/exe");
  std::ifstream maps("/proc/self/maps");
  for (const std::string& library : libraries_in(maps)) {
    hash = hash * 0x9e3779b97f4a7c15 ^ hash_of_file(library);
  }
  return hexadecimal((hash ^ hash >> 32) & 0xffffffff, 8);
}

std::uint64_t TrialNames::trace_hash(const std::string& path) {
  const auto [known, is_new] = traces_.try_emplace(path, 0);
  if (is_new) known->second = hash_of_file(path);
  return known->second;
}

std::string TrialNames::parameters_of(const Settings& settings) {
  auto scenario = parse_scenario(study_.text, study_.file);
  const bool read = scenario && apply_settings(*scenario, settings) && apply_scale(*scenario);
  if (!read) {
    // Its run will fail and say why; until then it needs a name of its own.
    std::string text = study_.text + '\n';
    for (const auto& each : settings) text += each + '\n';
    return text;
  }
  scenario->simulation.run = 1;  // Named apart.
  const TraceParams trace = std::exchange(scenario->trace, with_no_place(scenario->trace));
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    text.append(name).append("=").append(value).append("\n");
  };
  for (const auto& entry : entries_of(*scenario)) add(entry.key(), entry.get());
  for (const auto& [name, value] : scenario->attributes) add(name, value);
  if (is_trace(scenario->workload.kind)) {
    const auto path = std::filesystem::path(trace.data) / trace.file;
    text += hexadecimal(trace_hash(path.string()), 16);
  }
  return text;
}

std::string TrialNames::of(const Settings& settings, std::uint64_t run) {
  // Replications of a combination follow each other.
  if (parameters_.empty() || settings != settings_) {
    settings_ = settings;
    parameters_ = parameters_of(settings);
  }
  const std::uint64_t hash = hash_of(parameters_ + "\nrun " + std::to_string(run));
  return study_.build + '-' + hexadecimal(hash, 16) + ".json";
}

}  // namespace dunlin::sim
