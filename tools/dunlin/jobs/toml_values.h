// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/toml.h"
#include "overlay/wire_types.h"
#include "tools/dunlin/jobs/job_request.h"

// The values of a job file, each as its key needs it. Each function reads one, and says what it
// must be if it is not.
namespace dunlin::cli {

/// An error in a value: what it must be. Empty if it is right.
using Wrong = std::optional<std::string>;

Wrong wrong(std::string text);
Wrong take_text(const toml::node& node, std::string& text);
Wrong take_flag(const toml::node& node, bool& flag);
Wrong take_command(const toml::node& node, node::TaskSpec& spec);
Wrong take_after(const toml::node& node, std::vector<AfterRequest>& after);
Wrong take_input(const toml::node& node, std::vector<std::string>& inputs);
Wrong take_names(const toml::node& node, std::vector<std::string>& names);
Wrong take_cpus(const toml::node& node, std::uint32_t& milli);
Wrong take_memory(const toml::node& node, std::uint32_t& mebibytes);
Wrong take_rate(const toml::node& node, std::uint32_t& kibibytes);
Wrong take_resources(const toml::node& node, sched::Resources& demand);
Wrong take_constraints(const toml::node& node, std::vector<sched::Constraint>& constraints);
Wrong take_time(const toml::node& node, overlay::Duration& time);
Wrong take_environment(const toml::node& node, std::vector<node::Variable>& environment);
Wrong take_class(const toml::node& node, std::string& service_class);
Wrong take_deadline(const toml::node& node, overlay::OptionalDuration& deadline);
Wrong take_past_deadline(const toml::node& node, std::string& word);
Wrong take_on_preempt(const toml::node& node, std::string& word);
Wrong take_signal(const toml::node& node, int& signal);

Wrong take_umask(const toml::node& node, std::uint16_t& umask);
Wrong take_limits(const toml::node& node, node::TaskSpec& spec);

template <typename Number>
Wrong take_integer(const toml::node& node, Number& number, std::int64_t min, std::int64_t max) {
  const auto* value = node.as_integer();
  if (value == nullptr || value->get() < min || value->get() > max) {
    return wrong("must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
  }
  number = static_cast<Number>(value->get());
  return {};
}

}  // namespace dunlin::cli
