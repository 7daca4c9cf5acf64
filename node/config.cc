// SPDX-License-Identifier: MIT
#include "node/config.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include "config/renamed.h"
#include "config/text.h"
#include "config/toml.h"
#include "node/machine.h"
#include "overlay/param_entries.h"

// Settings come from three places, the later ones over the earlier: file, environment, flags. All
// go through the one table of parameters, so that a key means the same in each, and an unknown one
// is an error everywhere: a setting that is silently ignored is worse than an agent that does not
// start.
namespace dunlin::node {
namespace {

using config::edit_distance;
using overlay::ParamEntry;

// Keys of the section `agent` may go without it, as flags do: --name for agent.name.
ParamEntry* find(std::string_view key, std::span<ParamEntry> entries) {
  const auto found = std::ranges::find_if(entries, [&](const ParamEntry& entry) {
    return entry.key() == key || (entry.section == "agent" && entry.name == key);
  });
  return found == entries.end() ? nullptr : &*found;
}

/// Names the nearest key. Keys are compared by their first 64 characters, more than any has,
/// because the cost of a distance grows with the product of both lengths and a file may hold any
/// text.
tl::unexpected<Error> unknown_key(
    std::string_view key, std::string_view where, std::span<ParamEntry> entries) {
  if (const auto renamed = config::renamed_key(key); !renamed.empty()) {
    return failure(ErrorKind::usage,
        std::string(where) + ": unknown key '" + std::string(key) + "'" + renamed);
  }
  std::string nearest;
  std::size_t distance_min = 64;
  for (const ParamEntry& entry : entries) {
    // A key in the wrong section is as likely as a misspelt one.
    const std::string_view name = key.substr(std::min(key.size(), key.rfind('.') + 1));
    const std::size_t far = std::min(edit_distance(key.substr(0, 64), entry.key()),
        edit_distance(name.substr(0, 64), entry.name) + 2);
    if (far >= distance_min) continue;
    distance_min = far;
    nearest = entry.key();
  }
  return failure(ErrorKind::usage,
      std::string(where) + ": unknown key '" + std::string(key) + "'; did you mean '" + nearest +
          "'?");
}

std::string place(std::string_view where, const toml::source_region& source) {
  return std::string(where) + ":" + std::to_string(source.begin.line) + ":" +
      std::to_string(source.begin.column);
}

/// The text of a scalar, or of an array of scalars joined by commas. Empty if it is neither.
std::optional<std::string> text_of_value(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* number = node.as_floating_point()) return overlay::number_text(number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  const auto* array = node.as_array();
  if (array == nullptr) return std::nullopt;
  std::string joined;
  for (const auto& element : *array) {
    const auto text = element.is_array() ? std::nullopt : text_of_value(element);
    if (!text) return std::nullopt;
    joined += (joined.empty() ? "" : ",") + *text;
  }
  return joined;
}

Result<void> apply_value(const std::string& key,
    const toml::node& node,
    std::string_view where,
    std::span<ParamEntry> entries) {
  const std::string here = place(where, node.source());
  const auto text = text_of_value(node);
  if (!text) {
    if (find(key, entries) == nullptr) return unknown_key(key, here, entries);
    return failure(ErrorKind::usage, here + ": " + key + " must be a single value");
  }
  return apply_setting(key, *text, here, entries);
}

Result<std::string> read_config(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return failure_of(errno, "cannot read " + path);
  // One byte more than allowed tells a file that is too large.
  std::string text(kConfigFileMax + 1, '\0');
  // fread() sets errno only where it fails.
  errno = 0;
  text.resize(std::fread(text.data(), 1, text.size(), file));
  const int code = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (code != 0) return failure_of(code, "cannot read " + path);
  if (text.size() > kConfigFileMax) {
    return failure(ErrorKind::usage, path + ": larger than 1 MiB; this is no configuration file");
  }
  return text;
}

// As TOML wants the default: durations, sizes and words in quotes.
std::string quoted(const ParamEntry& entry) {
  const bool bare = entry.type == "bool" || entry.type == "integer" || entry.type == "number";
  return bare ? entry.fallback : "\"" + entry.fallback + "\"";
}

/// Comment lines of at most 96 columns.
std::string commented(std::string_view text) {
  constexpr std::size_t width = 96;
  std::string out;
  while (!text.empty()) {
    std::size_t cut = text.size();
    if (cut > width) cut = std::min(text.rfind(' ', width), text.size());
    out += "# " + std::string(text.substr(0, cut)) + "\n";
    text.remove_prefix(std::min(cut + 1, text.size()));
  }
  return out;
}

/// "DUNLIN_CYCLON_PERIOD" for "cyclon.period".
std::string variable_of(std::string_view key) {
  std::string name = "DUNLIN_" + std::string(key);
  for (char& c : name) {
    c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

Result<void> apply_environment(const Environment& environment, std::span<ParamEntry> entries) {
  const auto wrong = [](const std::string& name, const std::string& why) {
    return failure(ErrorKind::usage, "environment: " + name + ": " + why);
  };
  // An old name must not be passed over: the setting would be lost with an upgrade.
  for (const config::RenamedKey& key : config::renamed_keys()) {
    const std::string name = variable_of(key.was);
    if (environment(name.c_str()) == nullptr) continue;
    return wrong(name, "it is called '" + variable_of(key.is) + "' now");
  }
  for (const ParamEntry& entry : entries) {
    const std::string name = environment_name(entry);
    const char* value = environment(name.c_str());
    if (value == nullptr) continue;
    if (auto set = entry.set(value); !set) {
      return wrong(name, set.error().text + config::renamed_word(entry.key(), value));
    }
  }
  return {};
}

}  // namespace

Result<void> apply_setting(std::string_view key,
    std::string_view value,
    std::string_view where,
    std::span<ParamEntry> entries) {
  ParamEntry* entry = find(key, entries);
  if (entry == nullptr) return unknown_key(key, where, entries);
  auto set = entry->set(value);
  if (set) {
    // What an agent offers is a text with a form of its own, which the table does not know.
    const auto fine = check_offer_option(entry->key(), std::string(value));
    if (fine) return {};
    return failure(ErrorKind::usage, std::string(where) + ": " + fine.error().text);
  }
  return failure(ErrorKind::usage,
      std::string(where) + ": " + entry->key() + ": " + set.error().text +
          config::renamed_word(entry->key(), value));
}

Result<void> apply_toml(
    std::string_view text, std::string_view where, std::span<ParamEntry> entries) {
  const auto parsed = toml::parse(text);
  if (!parsed) {
    return failure(ErrorKind::usage,
        place(where, parsed.error().source()) + ": " + std::string(parsed.error().description()));
  }
  for (const auto& [section, node] : parsed.table()) {
    const auto* table = node.as_table();
    if (table == nullptr) {
      const std::string key(section.str());
      if (auto applied = apply_value(key, node, where, entries); !applied) return applied;
      continue;
    }
    for (const auto& [name, value] : *table) {
      const std::string key = std::string(section.str()) + "." + std::string(name.str());
      if (auto applied = apply_value(key, value, where, entries); !applied) return applied;
    }
  }
  return {};
}

std::string environment_name(const ParamEntry& entry) {
  return variable_of(entry.key());
}

std::vector<std::string> variable_names() {
  std::vector<std::string> names;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable(*each);
    names.emplace_back(variable.substr(0, variable.find('=')));
  }
  return names;
}

// Only names that begin like a section of ours are judged: other programs, and our own client
// (DUNLIN_ADDRESS), have variables that begin with DUNLIN_ too.
Result<void> check_variables(std::span<const std::string> names) {
  Configuration defaults;
  const std::vector<ParamEntry> entries = all_entries(defaults);
  std::vector<std::string> known;
  for (const ParamEntry& entry : entries) known.push_back(environment_name(entry));
  for (const config::RenamedKey& key : config::renamed_keys())
    known.push_back(variable_of(key.was));
  const auto is_of_section = [&](std::string_view name) {
    return std::ranges::any_of(entries, [&](const ParamEntry& entry) {
      return name.starts_with(variable_of(std::string(entry.section) + "."));
    });
  };
  for (const std::string& name : names) {
    if (!is_of_section(name) || std::ranges::find(known, name) != known.end()) continue;
    const auto nearest = std::ranges::min_element(known, {}, [&](const std::string& each) {
      return edit_distance(std::string_view(name).substr(0, 64), each);
    });
    return failure(ErrorKind::usage,
        "environment: " + name + " is no setting; did you mean " + *nearest + "?");
  }
  return {};
}

Result<Configuration> load_configuration(
    const std::string& file, const Settings& flags, const Environment& environment) {
  Configuration configuration;
  std::vector<ParamEntry> entries = all_entries(configuration);

  std::error_code ignored;
  // The usual file need not exist; one that was named must.
  const bool standard = file.empty() && std::filesystem::exists(kConfigFile, ignored);
  if (!file.empty() || standard) {
    const std::string path = standard ? kConfigFile : file;
    const auto text = read_config(path);
    if (!text) return tl::unexpected(text.error());
    if (auto applied = apply_toml(*text, path, entries); !applied) {
      return tl::unexpected(applied.error());
    }
  }
  if (auto applied = apply_environment(environment, entries); !applied) {
    return tl::unexpected(applied.error());
  }
  for (const auto& [key, value] : flags) {
    if (auto applied = apply_setting(key, value, "--" + key, entries); !applied) {
      return tl::unexpected(applied.error());
    }
  }
  // Rules over several fields come last: a file may set one of them, and a flag the other.
  if (auto valid = validate(configuration); !valid) return tl::unexpected(valid.error());
  return configuration;
}

std::string sample_config() {
  Configuration defaults;
  std::string text =
      "# Dunlin agent. Every key stands here with its default; uncomment what you change.\n"
      "# Each is also a flag, --cyclon.period=1s, and an environment variable,\n"
      "# DUNLIN_CYCLON_PERIOD=1s: a flag wins over a variable, a variable over this file.\n";
  std::string section;
  for (const ParamEntry& entry : all_entries(defaults)) {
    if (entry.section != section) {
      section = entry.section;
      text += "\n[" + section + "]\n";
    }
    std::string comment = entry.meaning;
    if (!entry.range.empty()) comment += " (" + entry.range + ")";
    text += commented(comment) + "# " + entry.name + " = " + quoted(entry) + "\n";
  }
  return text;
}

}  // namespace dunlin::node
