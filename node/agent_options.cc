// SPDX-License-Identifier: MIT
#include "node/agent_options.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include "node/node_name.h"
#include "node/quotas.h"
#include "overlay/param_entries.h"
#include "overlay/params/clash.h"
#include "sched/resources.h"

// All settings of an agent, and what must hold among them: each by itself is checked with its
// table. Where files are depends on the user: root's agent is the machine's, anyone else's lives in
// the home directory.
namespace dunlin::node {
namespace {

/// $`variable`, or `fallback` below the home directory; then "/dunlin".
std::string user_directory(const char* variable, const char* fallback) {
  const char* set = std::getenv(variable);
  if (set != nullptr && *set == '/') return std::string(set) + "/dunlin";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr && *home == '/' ? home : "/tmp") + fallback + "/dunlin";
}

bool is_root() {
  return ::geteuid() == 0;
}

/// "`longer` (4s) must be at least `factor` times `shorter` (2s)".
Result<void> at_least(std::string_view longer,
    overlay::Duration long_value,
    int factor,
    std::string_view shorter,
    overlay::Duration short_value) {
  if (long_value >= factor * short_value) return {};
  return failure(ErrorKind::usage,
      std::string(longer) + " (" + overlay::to_string(long_value) + ") must be at least " +
          std::to_string(factor) + " × " + std::string(shorter) + " (" +
          overlay::to_string(short_value) + ")");
}

Result<void> check_sizes(const AgentOptions& agent) {
  for (const std::string* text : {&agent.output_limit, &agent.output_task_limit}) {
    if (const auto parsed = sched::parse_size(*text); !parsed) {
      return tl::unexpected(parsed.error());
    }
  }
  if (const std::string& free = agent.disk_free_min; free != "auto") {
    if (const auto parsed = sched::parse_size(free); !parsed) {
      return tl::unexpected(parsed.error());
    }
  }
  if (const auto copied = output_copy_bytes(agent); !copied) {
    return tl::unexpected(copied.error());
  }
  return {};
}

}  // namespace

Result<std::uint32_t> output_copy_bytes(const AgentOptions& agent) {
  constexpr std::string_view kUnit = "KiB";
  constexpr std::uint32_t kKibibytesMax = 512;
  const std::string_view text = agent.output_copy;
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  const auto unit = text.substr(digits.size());
  std::uint32_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool sized = unit == kUnit || unit == "K" || (unit.empty() && number == 0);
  if (digits.empty() || read.ec != std::errc{} || !sized || number > kKibibytesMax) {
    return failure(ErrorKind::usage,
        "agent.output_copy: '" + agent.output_copy + "' must be 0 to 512KiB, such as 64KiB");
  }
  return number * 1024;
}

std::vector<overlay::ParamEntry> all_entries(Configuration& configuration) {
  std::vector<overlay::ParamEntry> entries;
  overlay::append_entries(configuration.agent, entries);
  overlay::append_entries(configuration.transport, entries);
  sched::for_each_section(
      configuration.peer, [&](auto& section) { overlay::append_entries(section, entries); });
  return entries;
}

Result<void> validate(const Configuration& configuration) {
  const auto& frontend = configuration.peer.frontend;
  const auto& worker = configuration.peer.worker;
  // A lease must bear two lost renewals in a row: UDP loses some now and then, and a lease that
  // ends costs a running task.
  if (auto fine =
          at_least("frontend.task_lease", frontend.task_lease, 3, "worker.renew", worker.renew);
      !fine) {
    return fine;
  }
  if (auto fine = at_least("frontend.queue_lease", frontend.queue_lease, 3, "worker.queue_renew",
          worker.queue_renew);
      !fine) {
    return fine;
  }
  if (auto fine =
          at_least("worker.orphan_after", worker.orphan_after, 3, "worker.renew", worker.renew);
      !fine) {
    return fine;
  }
  if (configuration.peer.cyclon.sample_size > configuration.peer.cyclon.view_size) {
    return overlay::clash("cyclon.sample_size", configuration.peer.cyclon.sample_size,
        "must not exceed", "cyclon.view_size", configuration.peer.cyclon.view_size);
  }
  if (frontend.greedy_floor > frontend.greedy_cap) {
    return overlay::clash("frontend.greedy_floor", frontend.greedy_floor, "must not exceed",
        "frontend.greedy_cap", frontend.greedy_cap);
  }
  if (auto fine = sched::validate(configuration.peer.sharing); !fine) return fine;
  if (!configuration.agent.name.empty()) {
    if (auto fine = check_node_name(configuration.agent.name); !fine) {
      return failure(ErrorKind::usage, "agent.name: " + fine.error().text);
    }
  }
  if (const auto quotas = parse_quotas(configuration.agent.quota); !quotas) {
    return tl::unexpected(quotas.error());
  }
  return check_sizes(configuration.agent);
}

std::string default_data_dir() {
  return is_root() ? "/var/lib/dunlin" : user_directory("XDG_STATE_HOME", "/.local/state");
}

std::string default_key_file() {
  const std::string directory =
      is_root() ? "/etc/dunlin" : user_directory("XDG_CONFIG_HOME", "/.config");
  return directory + "/cluster.key";
}

std::string default_socket(const std::string& data_dir) {
  if (is_root()) return "/run/dunlin/agent.sock";
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return std::string(runtime) + "/dunlin/agent.sock";
  return data_dir + "/agent.sock";
}

// A user's own agent first, then the machine's.
std::vector<std::string> socket_candidates() {
  std::vector<std::string> candidates = {default_socket(default_data_dir())};
  if (!is_root()) candidates.push_back("/run/dunlin/agent.sock");
  return candidates;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

}  // namespace dunlin::node
