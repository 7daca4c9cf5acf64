// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "node/agent_options.h"
#include "node/entry.h"
#include "overlay/params.h"

// Where settings come from: a flag wins over an environment variable, which wins over the file.
namespace dunlin::node {

inline constexpr std::size_t kConfigFileMax = 1 << 20;
inline constexpr const char* kConfigFile = "/etc/dunlin/agent.toml";

/// The value of an environment variable, or null. std::getenv, but for tests.
using Environment = std::function<const char*(const char*)>;

/// Reads `file` (empty: kConfigFile if it exists), then the environment, then `flags`, and checks
/// the whole. Fails with `usage`, naming the place (file:line:column, variable or flag), what is
/// wrong and the nearest legal key; with `io` if the file cannot be read.
Result<Configuration> load_configuration(
    const std::string& file, const Settings& flags, const Environment& environment);

/// Refuses a variable such as DUNLIN_CYCLON_PERIO: one of `names` that begins as a section's
/// variables do, but is no setting. A misspelt setting would otherwise be lost without a word.
Result<void> check_variables(std::span<const std::string> names);
/// The names of the process's environment variables.
std::vector<std::string> variable_names();

/// Sets what a TOML text says. `where` names it in errors.
Result<void> apply_toml(
    std::string_view text, std::string_view where, std::span<overlay::ParamEntry> entries);

/// Sets one key ("bind" is short for "agent.bind"). `where` names the origin in errors.
Result<void> apply_setting(std::string_view key,
    std::string_view value,
    std::string_view where,
    std::span<overlay::ParamEntry> entries);

/// "DUNLIN_CYCLON_PERIOD" for cyclon.period.
std::string environment_name(const overlay::ParamEntry& entry);

/// A configuration file with every key at its default, commented out: node/packaging/agent.toml.
std::string sample_config();

}  // namespace dunlin::node
