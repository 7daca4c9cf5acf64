// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "node/net/transport_params.h"
#include "overlay/observer.h"
#include "overlay/params.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/peer_params.h"

namespace dunlin::node {

enum class LogFormat : std::uint8_t { text, json };
/// When records reach the disk; see Synchronous in node/store/store.h.
enum class Sync : std::uint8_t { full, normal };
/// The program that starts the warden of an agent.
enum class WardenStart : std::uint8_t { agent, service };
/// What becomes of running tasks when the agent is told to stop.
enum class StopMode : std::uint8_t { drain, keep };

/// The options of one agent: section `[agent]`. Empty texts stand for the defaults that
/// default_...() below work out from the machine.
struct AgentOptions {
  std::string name;
  std::string data_dir;
  std::string key_file;
  std::string socket;
  std::string bind = "[::]:7700";
  std::string advertise;
  std::string join;
  std::string cpus = "auto";
  std::string memory = "auto";
  std::string disk_read;
  std::string disk_write;
  std::string net_in;
  std::string net_out;
  std::string resources;
  std::string devices = "gpu";
  std::string attributes;
  std::string limits = "auto";
  bool cpu_quota = false;
  std::uint32_t pids_max = 4096;
  std::uint32_t uid_min = 1000;
  std::string delegates;
  std::int16_t priority_max = 50;
  std::uint32_t jobs_per_user = 10'000;
  std::uint32_t tasks_per_user = 10'000'000;
  std::uint32_t job_mebibytes_per_user = 256;
  std::string quota;
  overlay::Duration kill_grace = std::chrono::seconds(5);
  WardenStart warden = WardenStart::agent;
  StopMode stop = StopMode::drain;
  overlay::Duration drain_deadline = std::chrono::seconds(60);
  overlay::Duration leave_deadline = std::chrono::seconds(15);
  std::string health;
  overlay::Duration health_period = std::chrono::seconds(30);
  overlay::Duration health_timeout = std::chrono::seconds(10);
  overlay::Duration on_end_timeout = std::chrono::minutes(10);
  Sync sync = Sync::full;
  std::string machine_id = "/etc/machine-id";
  std::string machine;
  std::string output_limit = "4GiB";
  std::string output_task_limit = "1GiB";
  std::string output_copy = "64KiB";
  std::string disk_free_min = "auto";
  overlay::Level log_level = overlay::Level::info;
  LogFormat log_format = LogFormat::text;
};

/// agent.output_copy in bytes. Fails with `usage`.
Result<std::uint32_t> output_copy_bytes(const AgentOptions& agent);

/// All that configures an agent.
struct Configuration {
  AgentOptions agent;
  TransportParams transport;
  sched::PeerParams peer;
};

/// One entry per parameter, section by section. Borrows `configuration`.
std::vector<overlay::ParamEntry> all_entries(Configuration& configuration);

/// The rules that no single range can state. Fails, naming both keys.
Result<void> validate(const Configuration& configuration);

/// /var/lib/dunlin for root, else $XDG_STATE_HOME/dunlin or ~/.local/state/dunlin.
std::string default_data_dir();
/// /etc/dunlin/cluster.key for root, else $XDG_CONFIG_HOME/dunlin/cluster.key or
/// ~/.config/dunlin/cluster.key.
std::string default_key_file();
/// Where an agent of this user listens, and where clients look, in this order:
/// /run/dunlin/agent.sock for root, else $XDG_RUNTIME_DIR/dunlin/agent.sock, else agent.sock in the
/// data directory.
std::string default_socket(const std::string& data_dir);
/// Where a client should look for an agent: its own user's, then the system's.
std::vector<std::string> socket_candidates();

/// The items of a list written "a, b,c". Empty items are left out.
std::vector<std::string> split_list(std::string_view text);

}  // namespace dunlin::node

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kWords<Level>[] = {"trace", "debug", "info", "warn", "error"};
template <>
inline constexpr std::string_view kWords<node::LogFormat>[] = {"text", "json"};
template <>
inline constexpr std::string_view kWords<node::Sync>[] = {"full", "normal"};
template <>
inline constexpr std::string_view kWords<node::WardenStart>[] = {"agent", "service"};
template <>
inline constexpr std::string_view kWords<node::StopMode>[] = {"drain", "keep"};

/// See overlay/params.h.
void append_entries(node::AgentOptions& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
