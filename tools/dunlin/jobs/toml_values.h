// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/toml.h"
#include "overlay/field_info.h"
#include "overlay/wire_types.h"
#include "tools/dunlin/jobs/job_request.h"

// The values of a job file, each as its key needs it. Each function reads one, and says what it
// must be if it is not.
namespace dunlin::cli {

/// An error in a value: what it must be. Empty if it is right.
using Wrong = std::optional<std::string>;

/// Says what the value must be: "must be true or false".
Wrong wrong(std::string text);
// Each reads one value into its place. Returns what it must be, in words, if it is another; then
// the place is as it was, or half filled, and of no use.
/// Of any length.
Wrong take_text(const toml::node& node, std::string& text);
/// With the bound of the term.
Wrong take_text(const toml::node& node, std::string& text, const overlay::FieldInfo& info);
/// No 0 or 1, and no "yes": TOML has a kind of its own for this.
Wrong take_flag(const toml::node& node, bool& flag);
/// A list of words, or one text for a shell.
Wrong take_command(const toml::node& node, node::TaskSpec& spec);
/// A text that begins with a #! line.
Wrong take_script(const toml::node& node, node::TaskSpec& spec);
/// Jobs to wait for: "12", "NODE.12:any".
Wrong take_after(const toml::node& node, std::vector<AfterRequest>& after);
/// The input of all tasks alike: "2G@node1,node2".
Wrong take_input(const toml::node& node, std::vector<std::string>& inputs);
/// The inputs of the tasks, one for each: their texts, or a file that has them.
Wrong take_inputs(const toml::node& node, GroupRequest& group);
/// The lines of tasks.
Wrong take_lines(const toml::node& node, std::vector<std::string>& lines);
/// Names of groups.
Wrong take_names(const toml::node& node, std::vector<std::string>& names);
/// A number of CPUs, or a text such as "250m"; kept in thousandths.
Wrong take_cpus(const toml::node& node, std::uint32_t& milli);
/// With a unit; kept in MiB.
Wrong take_memory(const toml::node& node, std::uint32_t& mebibytes);
/// With a unit; kept in KiB/s.
Wrong take_rate(const toml::node& node, std::uint32_t& kibibytes);
/// A table of whole numbers: { gpu = 1 }.
Wrong take_resources(const toml::node& node, sched::Resources& demand);
/// A list of texts as on the command line: "arch=x86_64".
Wrong take_constraints(const toml::node& node, std::vector<sched::Constraint>& constraints);
/// With units, as --time-limit has them, within the bounds of the term.
Wrong take_time(const toml::node& node, overlay::Duration& time, const overlay::FieldInfo& info);
/// A table of texts. A name alone, for the value that it has here, is left to --env.
Wrong take_environment(const toml::node& node, std::vector<node::Variable>& environment);
/// A table of texts: { team = "lab3" }.
Wrong take_labels(const toml::node& node, std::vector<sched::Label>& labels);
/// Only its form is checked: which classes there are the agent knows.
Wrong take_class(const toml::node& node, std::string& service_class);
/// A time from now, or of the day.
Wrong take_moment(
    const toml::node& node, overlay::OptionalDuration& moment, const overlay::FieldInfo& info);
/// As on the command line: "run" or "cancel".
Wrong take_past_deadline(const toml::node& node, std::string& word);
/// A word of sched::kOnPreemptWords.
Wrong take_on_preempt(const toml::node& node, std::string& word);
/// A word of sched::kRerunWords.
Wrong take_rerun(const toml::node& node, std::string& word);
/// One that a task can catch.
Wrong take_signal(const toml::node& node, int& signal);

/// "USR2@30s": see read_limit_signal().
Wrong take_limit_signal(const toml::node& node, node::TaskSpec& spec);
/// Octal digits; kept plus 1, as 0 stands for none.
Wrong take_umask(const toml::node& node, std::uint16_t& umask);
/// A table of soft limits by the names of node::kLimitNames.
Wrong take_limits(const toml::node& node, node::TaskSpec& spec);

/// A whole number within the bounds of the term.
template <typename Number>
Wrong take_integer(const toml::node& node, Number& number, const overlay::FieldInfo& info) {
  const auto* value = node.as_integer();
  if (value == nullptr || value->get() < info.min || value->get() > info.max) {
    return wrong(
        "must be an integer from " + std::to_string(info.min) + " to " + std::to_string(info.max));
  }
  number = static_cast<Number>(value->get());
  return {};
}

// A term of a schema, by its type and its unit.
inline Wrong take_term(const toml::node& node, bool& member, const overlay::FieldInfo&) {
  return take_flag(node, member);
}
inline Wrong take_term(
    const toml::node& node, std::string& member, const overlay::FieldInfo& info) {
  return take_text(node, member, info);
}
inline Wrong take_term(
    const toml::node& node, overlay::Duration& member, const overlay::FieldInfo& info) {
  return take_time(node, member, info);
}
inline Wrong take_term(
    const toml::node& node, overlay::OptionalDuration& member, const overlay::FieldInfo& info) {
  return take_moment(node, member, info);
}
/// An amount of a resource has a unit.
Wrong take_amount(const toml::node& node, std::uint32_t& member, const overlay::FieldInfo& info);
template <std::integral Number>
Wrong take_term(const toml::node& node, Number& member, const overlay::FieldInfo& info) {
  if constexpr (std::same_as<Number, std::uint32_t>) {
    if (info.unit != overlay::FieldUnit::none) return take_amount(node, member, info);
  }
  return take_integer(node, member, info);
}

}  // namespace dunlin::cli
