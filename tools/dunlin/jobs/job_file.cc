// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_file.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "config/toml.h"
#include "overlay/param_entries.h"
#include "sched/constraints.h"
#include "sched/ledger/class_name.h"
#include "sched/resources.h"
#include "tools/dunlin/jobs/deadline.h"
#include "tools/dunlin/jobs/time_limit.h"

namespace dunlin::cli {
namespace {

/// An error in a value: what it must be. Empty if it is right.
using Wrong = std::optional<std::string>;

Wrong wrong(std::string text) {
  return text;
}

Wrong take_text(const toml::node& node, std::string& text) {
  const auto* value = node.as_string();
  if (value == nullptr) return wrong("must be a string");
  text = value->get();
  return {};
}

template <typename Number>
Wrong take_integer(const toml::node& node, Number& number, std::int64_t min, std::int64_t max) {
  const auto* value = node.as_integer();
  if (value == nullptr || value->get() < min || value->get() > max) {
    return wrong("must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
  }
  number = static_cast<Number>(value->get());
  return {};
}

Wrong take_command(const toml::node& node, node::TaskSpec& spec) {
  if (const auto* line = node.as_string()) {
    spec.command = {{"/bin/sh"}, {"-c"}, {line->get()}};
    return {};
  }
  const auto* words = node.as_array();
  if (words == nullptr || words->empty()) {
    return wrong("must be a list of words, or one string for /bin/sh -c");
  }
  for (const auto& word : *words) {
    if (!word.is_string()) return wrong("must be a list of strings");
    spec.command.push_back({word.as_string()->get()});
  }
  return {};
}

Wrong take_cpus(const toml::node& node, std::uint32_t& milli) {
  std::string text;
  if (const auto* whole = node.as_integer()) {
    text = std::to_string(whole->get());
  } else if (const auto* part = node.as_floating_point()) {
    text = overlay::number_text(part->get());
  } else if (const auto* written = node.as_string()) {
    text = written->get();
  }
  const auto cpu = sched::parse_cpu(text);
  if (!cpu) return wrong("must be a number of CPUs such as 2, 0.5 or \"250m\"");
  milli = *cpu;
  return {};
}

Wrong take_memory(const toml::node& node, std::uint32_t& mebibytes) {
  const auto* text = node.as_string();
  if (text == nullptr) return wrong("must be a string with a unit, such as \"4G\"");
  const auto memory = sched::parse_memory(text->get());
  if (!memory) return wrong(memory.error().text);
  mebibytes = *memory;
  return {};
}

Wrong take_resources(const toml::node& node, sched::Resources& demand) {
  const auto* table = node.as_table();
  if (table == nullptr) return wrong("must be a table such as { gpu = 1 }");
  for (const auto& [name, amount] : *table) {
    if (!amount.is_integer()) return wrong("must hold integers: { gpu = 1 }");
    const std::string text =
        std::string(name.str()) + "=" + std::to_string(amount.as_integer()->get());
    if (auto fine = sched::parse_amount(text, demand); !fine) return wrong(fine.error().text);
  }
  return {};
}

Wrong take_constraints(const toml::node& node, std::vector<sched::Constraint>& constraints) {
  const auto* list = node.as_array();
  if (list == nullptr) return wrong("must be a list such as [\"arch=x86_64\"]");
  for (const auto& each : *list) {
    if (!each.is_string()) return wrong("must be a list of strings");
    auto constraint = sched::parse_constraint(each.as_string()->get());
    if (!constraint) return wrong(constraint.error().text);
    constraints.push_back(std::move(*constraint));
  }
  return {};
}

Wrong take_time(const toml::node& node, overlay::Duration& time) {
  const auto* text = node.as_string();
  if (text == nullptr) return wrong("must be a string such as \"1h30m\"");
  const auto parsed = parse_time_limit(text->get());
  if (!parsed) return wrong(parsed.error().text);
  time = *parsed;
  return {};
}

Wrong take_environment(const toml::node& node, std::vector<node::Variable>& environment) {
  const auto* table = node.as_table();
  if (table == nullptr) return wrong("must be a table such as { LEVEL = \"9\" }");
  for (const auto& [name, value] : *table) {
    if (!value.is_string()) return wrong("must hold strings: { LEVEL = \"9\" }");
    auto variable = parse_variable(std::string(name.str()) + "=" + value.as_string()->get());
    if (!variable) return wrong(variable.error().text);
    environment.push_back(std::move(*variable));
  }
  return {};
}

Wrong take_class(const toml::node& node, std::string& service_class) {
  if (auto problem = take_text(node, service_class)) return problem;
  if (auto fine = sched::check_class_name(service_class); !fine) return wrong(fine.error().text);
  return {};
}

Wrong take_deadline(const toml::node& node, overlay::OptionalDuration& deadline) {
  const auto* text = node.as_string();
  if (text == nullptr) return wrong("must be a string such as \"10m\" or \"18:00\"");
  const auto parsed = parse_deadline(text->get(), std::chrono::system_clock::now());
  if (!parsed) return wrong(parsed.error().text);
  deadline = *parsed;
  return {};
}

Wrong take_past_deadline(const toml::node& node, std::string& word) {
  if (auto problem = take_text(node, word)) return problem;
  if (auto fine = check_past_deadline(word); !fine) return wrong(fine.error().text);
  return {};
}

/// A key of a [[group]] and its effect.
struct Key {
  std::string_view name;
  Wrong (*take)(const toml::node&, GroupRequest&);
};

constexpr std::array kGroupKeys = {
    Key{"name", [](const toml::node& n, GroupRequest& g) { return take_text(n, g.name); }},
    Key{"command", [](const toml::node& n, GroupRequest& g) { return take_command(n, g.spec); }},
    Key{"count",
        [](const toml::node& n, GroupRequest& g) {
          return take_integer(n, g.count, 1, UINT32_MAX);
        }},
    Key{"each_line",
        [](const toml::node& n, GroupRequest& g) { return take_text(n, g.each_line); }},
    Key{"cpus", [](const toml::node& n, GroupRequest& g) { return take_cpus(n, g.demand.cpu); }},
    Key{"memory",
        [](const toml::node& n, GroupRequest& g) { return take_memory(n, g.demand.memory); }},
    Key{"resources",
        [](const toml::node& n, GroupRequest& g) { return take_resources(n, g.demand); }},
    Key{"constraints",
        [](const toml::node& n, GroupRequest& g) { return take_constraints(n, g.constraints); }},
    Key{"priority",
        [](const toml::node& n, GroupRequest& g) {
          return take_integer(n, g.priority, sched::kPriorityMin, sched::kPriorityMax);
        }},
    Key{"retries",
        [](const toml::node& n, GroupRequest& g) { return take_integer(n, g.retries, 0, 1000); }},
    Key{"time_limit",
        [](const toml::node& n, GroupRequest& g) { return take_time(n, g.time_limit); }},
    Key{"duration", [](const toml::node& n, GroupRequest& g) { return take_time(n, g.duration); }},
    Key{"env",
        [](const toml::node& n, GroupRequest& g) {
          return take_environment(n, g.spec.environment);
        }},
    Key{"cwd", [](const toml::node& n, GroupRequest& g) { return take_text(n, g.spec.directory); }},
    Key{"stdout",
        [](const toml::node& n, GroupRequest& g) { return take_text(n, g.spec.stdout_path); }},
    Key{"stderr",
        [](const toml::node& n, GroupRequest& g) { return take_text(n, g.spec.stderr_path); }},
};

std::string place(const std::string& where, const toml::node& node) {
  return where + ":" + std::to_string(node.source().begin.line) + ": ";
}

tl::unexpected<Error> unknown_key(
    const std::string& where, const toml::key& key, const std::string& known) {
  return failure(ErrorKind::usage,
      where + ":" + std::to_string(key.source().begin.line) + ": unknown key '" +
          std::string(key.str()) + "'; known are: " + known);
}

Result<GroupRequest> parse_group(
    const toml::table& table, const std::string& where, const std::string& directory) {
  GroupRequest group;
  group.where = place(where, table);
  group.spec.directory = directory;
  group.spec.submit_directory = directory;
  for (const auto& [key, node] : table) {
    const auto* found = std::ranges::find(kGroupKeys, key.str(), &Key::name);
    if (found == kGroupKeys.end()) {
      std::string known;
      for (const Key& each : kGroupKeys)
        known += (known.empty() ? "" : ", ") + std::string(each.name);
      return unknown_key(where, key, known);
    }
    if (const auto problem = found->take(node, group)) {
      return failure(
          ErrorKind::usage, place(where, node) + std::string(key.str()) + ": " + *problem);
    }
  }
  if (group.spec.command.empty()) {
    return failure(ErrorKind::usage, place(where, table) + "a group needs a command");
  }
  return group;
}

Result<std::string> read_all(std::FILE* file, const std::string& path) {
  std::string text;
  char piece[65536];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, file)) {
    text.append(piece, size);
    if (text.size() > kJobFileBytesMax) {
      return failure(ErrorKind::usage,
          path + ": larger than 1 MiB, which no job file is; many tasks belong in each_line");
    }
  }
  if (std::ferror(file) != 0) return failure_of(errno, path);
  return text;
}

}  // namespace

Result<JobRequest> parse_job_file(
    std::string_view text, const std::string& where, const std::string& directory) {
  const toml::parse_result parsed = toml::parse(text, where);
  if (!parsed) {
    const auto& error = parsed.error();
    return failure(ErrorKind::usage,
        where + ":" + std::to_string(error.source().begin.line) + ": " +
            std::string(error.description()));
  }
  const toml::table& table = parsed.table();
  JobRequest request;
  for (const auto& [key, node] : table) {
    Wrong problem;
    if (key == "name") {
      problem = take_text(node, request.name);
    } else if (key == "class") {
      problem = take_class(node, request.service_class);
    } else if (key == "deadline") {
      problem = take_deadline(node, request.deadline);
    } else if (key == "past_deadline") {
      problem = take_past_deadline(node, request.past_deadline);
    } else if (key == "allow_unsatisfiable") {
      if (!node.is_boolean()) problem = wrong("must be true or false");
      request.allow_unsatisfiable = node.value_or(false);
    } else if (key == "group") {
      if (!node.is_array_of_tables()) problem = wrong("groups are written [[group]]");
    } else {
      return unknown_key(
          where, key, "name, class, deadline, past_deadline, allow_unsatisfiable, [[group]]");
    }
    if (problem) {
      return failure(
          ErrorKind::usage, place(where, node) + std::string(key.str()) + ": " + *problem);
    }
  }
  const auto* groups = table["group"].as_array();
  if (groups == nullptr || groups->empty()) {
    return failure(ErrorKind::usage, where + ": no [[group]]: what shall run?");
  }
  if (groups->size() > sched::kJobGroupsMax) {
    return failure(ErrorKind::usage,
        where + ": more than " + std::to_string(sched::kJobGroupsMax) +
            " groups; use count or each_line");
  }
  for (const auto& node : *groups) {
    auto group = parse_group(*node.as_table(), where, directory);
    if (!group) return tl::unexpected(group.error());
    request.groups.push_back(std::move(*group));
  }
  return request;
}

Result<JobRequest> read_job_file(const std::string& path, const std::string& directory) {
  if (path == "-") {
    const auto text = read_all(stdin, "stdin");
    if (!text) return tl::unexpected(text.error());
    return parse_job_file(*text, "stdin", directory);
  }
  std::FILE* const file = std::fopen(path.c_str(), "r");
  // The user named it, as --each-line does its file: a file that is not there is a wrong word.
  if (file == nullptr) {
    return failure(ErrorKind::usage, "--file: " + path + ": " + std::strerror(errno));
  }
  const auto text = read_all(file, path);
  std::fclose(file);
  if (!text) return tl::unexpected(text.error());
  return parse_job_file(*text, path, directory);
}

}  // namespace dunlin::cli
