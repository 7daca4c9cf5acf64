// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/toml_values.h"

#include <algorithm>

#include "node/task/task_script.h"
#include "overlay/param_entries.h"
#include "sched/constraints.h"
#include "sched/inputs/input_text.h"
#include "sched/labels.h"
#include "sched/ledger/class_name.h"
#include "sched/resources.h"
#include "tools/dunlin/jobs/limits.h"
#include "tools/dunlin/jobs/times/deadline.h"
#include "tools/dunlin/jobs/times/time_limit.h"

// Values of a job file. Each function takes one into its place, or says what it must be; the caller
// adds key and line. Units are said in strings, as on the command line, because a bare number would
// leave open which: "4G", "1h30m".
namespace dunlin::cli {

Wrong wrong(std::string text) {
  return text;
}

Wrong take_text(const toml::node& node, std::string& text) {
  const auto* value = node.as_string();
  if (value == nullptr) return wrong("must be a string");
  text = value->get();
  return {};
}

Wrong take_text(const toml::node& node, std::string& text, const overlay::FieldInfo& info) {
  if (auto problem = take_text(node, text)) return problem;
  // Bytes and not characters: the bound is that of records, which count so.
  if (static_cast<std::int64_t>(text.size()) <= info.max) return {};
  return wrong("must be a string of at most " + std::to_string(info.max) + " bytes");
}

Wrong take_flag(const toml::node& node, bool& flag) {
  // Only true and false, without 0 and 1: a user that writes "yes" is told here, and not by what a
  // job does.
  if (!node.is_boolean()) return wrong("must be true or false");
  flag = node.value_or(false);
  return {};
}

Wrong take_umask(const toml::node& node, std::uint16_t& umask) {
  const auto* text = node.as_string();
  if (text == nullptr) return wrong("must be a string of octal digits, such as \"077\"");
  const auto mask = parse_umask(text->get());
  if (!mask) return wrong(mask.error().text);
  // One more than the mask: 0 stands for none said.
  umask = static_cast<std::uint16_t>(*mask + 1);
  return {};
}

Wrong take_limits(const toml::node& node, node::TaskSpec& spec) {
  const auto* table = node.as_table();
  if (table == nullptr) return wrong("must be a table such as {nofile = 4096, stack = \"64M\"}");
  for (const auto& [name, value] : *table) {
    // Joined to the flag's form, so that file and command line have one parser.
    std::string text(name.str());
    if (const auto* whole = value.as_integer()) {
      text += "=" + std::to_string(whole->get());
    } else if (const auto* written = value.as_string()) {
      text += "=" + written->get();
    }
    if (auto fine = add_limit(text, spec); !fine) return wrong(fine.error().text);
  }
  return {};
}

Wrong take_command(const toml::node& node, node::TaskSpec& spec) {
  if (const auto* line = node.as_string()) {
    // A string has blanks, quotes and pipes, and to take it apart is a shell's work; a list needs
    // none.
    spec.command = {{"/bin/sh"}, {"-c"}, {line->get()}};
    return {};
  }
  const auto* words = node.as_array();
  // A list goes to exec as it is: no shell reads it, so nothing in it needs quotes.
  if (words == nullptr || words->empty()) {
    return wrong("must be a list of words, or one string for /bin/sh -c");
  }
  for (const auto& word : *words) {
    if (!word.is_string()) return wrong("must be a list of strings");
    spec.command.push_back({word.as_string()->get()});
  }
  return {};
}

Wrong take_script(const toml::node& node, node::TaskSpec& spec) {
  if (auto problem = take_text(node, spec.script)) return problem;
  if (spec.script.empty()) return wrong("must be a text that begins with a #! line");
  if (auto fine = node::check_script(spec); !fine) return wrong(fine.error().text);
  return {};
}

Wrong take_after(const toml::node& node, std::vector<AfterRequest>& after) {
  const auto* jobs = node.as_array();
  if (jobs == nullptr) return wrong("must be a list of jobs such as [\"12\", \"merlin.7:any\"]");
  for (const auto& each : *jobs) {
    if (!each.is_string()) return wrong("must be a list of strings");
    // A number alone would be an integer of TOML; as a string it reads as on the command line,
    // where ":any" may follow it.
    auto read = parse_after(each.as_string()->get());
    if (!read) return wrong(read.error().text);
    after.push_back(std::move(*read));
  }
  return {};
}

Wrong take_input(const toml::node& node, std::vector<std::string>& inputs) {
  const auto* text = node.as_string();
  if (text == nullptr) return wrong("must be a string such as \"2G@node1,node2\"");
  // Parsed to find a mistake at its line. What is kept is the text: the agent parses it anew, and
  // knows the nodes.
  if (auto input = sched::parse_input(text->get()); !input) return wrong(input.error().text);
  inputs = {text->get()};
  return {};
}

// A file is only noted here: it is read after all else was understood.
Wrong take_inputs(const toml::node& node, GroupRequest& group) {
  // One string is a path and not one input, which would go by the key `input`.
  if (node.is_string()) return take_text(node, group.input_list);
  const auto* list = node.as_array();
  if (list == nullptr || list->empty()) {
    return wrong(
        "must be a list such as [\"2G@node1,node2\"], or the path of a file of such lines");
  }
  for (const auto& each : *list) {
    if (!each.is_string()) return wrong("must be a list of strings");
    const std::string& text = each.as_string()->get();
    if (auto input = sched::parse_input(text); !input) return wrong(input.error().text);
    group.inputs.push_back(text);
  }
  return {};
}

Wrong take_lines(const toml::node& node, std::vector<std::string>& lines) {
  const auto* list = node.as_array();
  // Empty would be a group of no task.
  if (list == nullptr || list->empty()) return wrong("must be a list of texts, one for each task");
  for (const auto& each : *list) {
    if (!each.is_string()) return wrong("must be a list of strings");
    lines.push_back(each.as_string()->get());
  }
  return {};
}

Wrong take_names(const toml::node& node, std::vector<std::string>& names) {
  const auto* list = node.as_array();
  if (list == nullptr) return wrong("must be a list of groups such as [\"map\"]");
  for (const auto& each : *list) {
    if (!each.is_string()) return wrong("must be a list of strings");
    names.push_back(each.as_string()->get());
  }
  return {};
}

Wrong take_cpus(const toml::node& node, std::uint32_t& milli) {
  // Other kinds leave it empty, which is no number.
  std::string text;
  if (const auto* whole = node.as_integer()) {
    text = std::to_string(whole->get());
  } else if (const auto* part = node.as_floating_point()) {
    // By the shortest text that reads as the same number: 0.1 must not become
    // 0.1000000000000000055.
    text = overlay::number_text(part->get());
  } else if (const auto* written = node.as_string()) {
    text = written->get();
  }
  // Numbers too go by the parser of texts: so 0.0001 is refused alike, whichever way it is written.
  const auto cpu = sched::parse_cpu(text);
  if (!cpu) return wrong("must be a number of CPUs such as 2, 0.5 or \"250m\"");
  milli = *cpu;
  return {};
}

Wrong take_memory(const toml::node& node, std::uint32_t& mebibytes) {
  const auto* text = node.as_string();
  // 4 alone might be bytes or GiB, and either way somebody would be wrong by nine digits.
  if (text == nullptr) return wrong("must be a string with a unit, such as \"4G\"");
  const auto memory = sched::parse_memory(text->get());
  if (!memory) return wrong(memory.error().text);
  mebibytes = *memory;
  return {};
}

Wrong take_rate(const toml::node& node, std::uint32_t& kibibytes) {
  const auto* text = node.as_string();
  if (text == nullptr) return wrong("must be a string such as \"100M/s\"");
  const auto rate = sched::parse_rate(text->get());
  if (!rate) return wrong(rate.error().text);
  kibibytes = *rate;
  return {};
}

Wrong take_amount(const toml::node& node, std::uint32_t& member, const overlay::FieldInfo& info) {
  // The schema says the unit. All amounts are whole numbers of 32 bits, so the type does not.
  if (info.unit == overlay::FieldUnit::milli_cpu) return take_cpus(node, member);
  if (info.unit == overlay::FieldUnit::mib) return take_memory(node, member);
  return take_rate(node, member);
}

Wrong take_resources(const toml::node& node, sched::Resources& demand) {
  const auto* table = node.as_table();
  if (table == nullptr) return wrong("must be a table such as { gpu = 1 }");
  for (const auto& [name, amount] : *table) {
    // A part of a custom resource has no meaning: it is counted.
    if (!amount.is_integer()) return wrong("must hold integers: { gpu = 1 }");
    // As on the command line, so that both have one parser and one set of errors. Likewise below.
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

Wrong take_time(const toml::node& node, overlay::Duration& time, const overlay::FieldInfo& info) {
  const auto* text = node.as_string();
  if (text == nullptr) return wrong("must be a string such as \"1h30m\"");
  const auto parsed = parse_term_time(text->get(), info);
  if (!parsed) return wrong(parsed.error().text);
  time = *parsed;
  return {};
}

Wrong take_environment(const toml::node& node, std::vector<node::Variable>& environment) {
  const auto* table = node.as_table();
  if (table == nullptr) return wrong("must be a table such as { LEVEL = \"9\" }");
  for (const auto& [name, value] : *table) {
    if (!value.is_string()) return wrong("must hold strings: { LEVEL = \"9\" }");
    // "NAME" alone, which takes the value from here, is of the command line: a file means the same
    // wherever it is read.
    auto variable = parse_variable(std::string(name.str()) + "=" + value.as_string()->get());
    if (!variable) return wrong(variable.error().text);
    environment.push_back(std::move(*variable));
  }
  return {};
}

Wrong take_labels(const toml::node& node, std::vector<sched::Label>& labels) {
  const auto* table = node.as_table();
  if (table == nullptr) return wrong("must be a table such as { team = \"lab3\" }");
  for (const auto& [key, value] : *table) {
    if (!value.is_string()) return wrong("must hold strings: { team = \"lab3\" }");
    auto label = sched::parse_label(std::string(key.str()) + "=" + value.as_string()->get());
    if (!label) return wrong(label.error().text);
    // Kept ascending by key, as the rest of the program expects it.
    sched::set_label(labels, std::move(*label));
  }
  return {};
}

Wrong take_class(const toml::node& node, std::string& service_class) {
  if (auto problem = take_text(node, service_class)) return problem;
  // The agent knows which classes there are; here a name that none could have is told.
  if (auto fine = sched::check_class_name(service_class); !fine) return wrong(fine.error().text);
  return {};
}

Wrong take_moment(
    const toml::node& node, overlay::OptionalDuration& moment, const overlay::FieldInfo& info) {
  const auto* text = node.as_string();
  if (text == nullptr) return wrong("must be a string such as \"10m\" or \"18:00\"");
  // A time of the day means the next such moment, so it depends on when the file is read.
  const auto parsed = parse_deadline(text->get(), std::chrono::system_clock::now(), info.toml);
  if (!parsed) return wrong(parsed.error().text);
  moment = *parsed;
  return {};
}

Wrong take_past_deadline(const toml::node& node, std::string& word) {
  if (auto problem = take_text(node, word)) return problem;
  // Words are checked here though the agent does so, too: it could not name the line.
  if (auto fine = check_past_deadline(word); !fine) return wrong(fine.error().text);
  return {};
}

Wrong take_on_preempt(const toml::node& node, std::string& word) {
  if (auto problem = take_text(node, word)) return problem;
  if (std::ranges::count(sched::kOnPreemptWords, word) > 0) return {};
  return wrong("must be " + overlay::one_of(sched::kOnPreemptWords, "\""));
}

Wrong take_rerun(const toml::node& node, std::string& word) {
  if (auto problem = take_text(node, word)) return problem;
  if (std::ranges::count(sched::kRerunWords, word) > 0) return {};
  return wrong("must be " + overlay::one_of(sched::kRerunWords, "\""));
}

Wrong take_signal(const toml::node& node, int& signal) {
  std::string word;
  if (auto problem = take_text(node, word)) return problem;
  const auto parsed = parse_signal(word);
  if (!parsed) return wrong(parsed.error().text);
  signal = *parsed;
  return {};
}

/// "USR2@30s", as the flag has it.
Wrong take_limit_signal(const toml::node& node, node::TaskSpec& spec) {
  std::string word;
  if (auto problem = take_text(node, word)) return problem;
  if (auto fine = read_limit_signal(word, spec); !fine) return wrong(fine.error().text);
  return {};
}

}  // namespace dunlin::cli
