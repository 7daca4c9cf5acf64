// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <pwd.h>
#include <sodium.h>
#include <unistd.h>
#include <utility>

#include "node/agent/agent_parts.h"
#include "node/agent/disk_room.h"
#include "node/agent/file_modes.h"
#include "node/agent/kept_drain.h"
#include "node/agent/reach/network_options.h"
#include "node/agent/self_watch.h"
#include "node/control/use/enforced.h"
#include "node/identity/machine_id.h"
#include "node/identity/place_mark.h"
#include "node/identity/read_capability.h"
#include "node/identity/secret.h"
#include "node/ids.h"
#include "node/kernel/trusted_path.h"
#include "node/machine.h"
#include "node/node_name.h"
#include "node/task/end_command.h"
#include "node/task/warden_process.h"
#include "node/wall_clock.h"
#include "sched/peer/comeback.h"
#include "sched/peer_maintenance.h"
#include "sched/peer_sharing.h"
#include "sched/peer_view.h"
#include "sched/resources.h"

// The parts of an agent come to life in the order in which things can go wrong: first those that a
// user may have mistyped, last those that only the machine can spoil.
namespace dunlin::node {
namespace {

/// Copies of the output of other nodes get this part of the room for output, on top of it.
constexpr std::uint64_t kCopiesShare = 4;

Result<void> make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return failure_of(error.value(), "cannot create the data directory " + path);
  return {};
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  randombytes_buf(&seed, sizeof(seed));
  return seed;
}

/// Fills in the options that are left to the machine.
void fill_in(AgentOptions& options, const Machine& machine) {
  if (options.name.empty()) options.name = node_name_of(machine.hostname);
  if (options.data_dir.empty()) options.data_dir = default_data_dir();
  if (options.key_file.empty()) options.key_file = default_key_file();
  if (options.socket.empty()) options.socket = default_socket(options.data_dir);
}

// The key may be root's alone: an agent without root may have the right to read it, for this
// moment.
Result<void> load_keys(AgentParts& parts) {
  const ReadCapability reads;
  auto keyring = Keyring::load(parts.configuration.agent.key_file);
  if (!keyring) return tl::unexpected(keyring.error());
  parts.keyring = std::move(*keyring);
  return {};
}

Result<void> open_state(AgentParts& parts) {
  const AgentOptions& options = parts.configuration.agent;
  // Owners before contents: if somebody else may swap a directory on the way, nothing below it is
  // ours.
  if (auto fine = check_trusted(options.data_dir, ::geteuid(), "the data directory"); !fine) {
    return fine;
  }
  if (auto made = make_directory(options.data_dir); !made) return made;
  if (auto closed = close_files(options, ::geteuid(), parts.log); !closed) return closed;
  // Before the database and the warden: a copy that went on to the warden killed the elder's tasks.
  if (auto claimed = claim_directory(options, parts.log, parts.copy); !claimed) return claimed;
  if (auto loaded = load_keys(parts); !loaded) return loaded;

  auto store = SqliteStore::open(
      options.data_dir, options.sync == Sync::full ? Synchronous::full : Synchronous::normal);
  if (!store) return tl::unexpected(store.error());
  auto marks = IdentityMarks::open(options.data_dir);
  if (!marks) return tl::unexpected(marks.error());
  parts.marks.emplace(std::move(*marks));
  if (!parts.marks->damage().empty()) {
    parts.log.say(overlay::Level::error, "marks_damaged", {{"what", parts.marks->damage()}});
  }
  parts.committed.emplace(parts.loop);
  parts.records.emplace(std::move(*store), *parts.marks, parts.log, parts.metrics,
      [&parts] { parts.committed->send(); });
  parts.records->tell_time([&parts] { return parts.now(); });

  const std::string machine = options.machine_id.empty() ? "" : machine_mark(options.machine_id);
  auto identity = Identity::load_or_create(options.data_dir, machine);
  if (!identity) return tl::unexpected(identity.error());
  parts.identity = std::move(*identity);

  // validate() has checked all sizes.
  auto output = OutputStore::open({.directory = options.data_dir + "/output",
      .total_limit = *sched::parse_size(options.output_limit),
      .task_limit = *sched::parse_size(options.output_task_limit)});
  if (!output) return tl::unexpected(output.error());
  parts.output.emplace(std::move(*output));
  auto copies = OutputCopies::open(
      options.data_dir + "/output-copies", *sched::parse_size(options.output_limit) / kCopiesShare);
  if (!copies) return tl::unexpected(copies.error());
  parts.output_copies.emplace(std::move(*copies));
  return {};
}

/// The name of this process' user; its id in decimal if it has none.
std::string own_user() {
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry == nullptr ? std::to_string(::geteuid()) : entry->pw_name;
}

/// What the node says of itself, with the user that its tasks run as.
std::vector<sched::Attribute> attributes_of(const Offer& offer, const ProcessExecutor& executor) {
  auto attributes = offer.attributes;
  if (std::ranges::none_of(attributes, [](const auto& each) { return each.key == "run_as"; }) &&
      attributes.size() < sched::Facts::kAttributesMax) {
    attributes.push_back({"run_as", executor.runs_as_owner() ? "owner" : own_user()});
    std::ranges::sort(attributes, {}, &sched::Attribute::key);
  }
  return attributes;
}

Result<void> open_executor(AgentParts& parts, const Offer& offer, std::uint32_t incarnation) {
  const AgentOptions& options = parts.configuration.agent;
  const bool service = options.warden == WardenStart::service;
  auto executor = ProcessExecutor::open(parts.loop, *parts.output,
      {.node_name = options.name,
          .directory = options.data_dir + "/tasks",
          .warden_directory = options.data_dir + "/warden",
          .warden_service = service,
          .incarnation = incarnation,
          .reattach_within = parts.configuration.peer.worker.reattach_within,
          // With the directory: two agents of one identity, a copy and its elder, must not share
          // cgroups.
          .label = to_string(parts.identity->id()) + "-" + directory_mark(options.data_dir),
          .limits = options.limits,
          .cpu_quota = options.cpu_quota,
          .pids_max = options.pids_max,
          .room_min = room_to_write(parts.output->directory(), options.disk_free_min),
          .kill_grace = options.kill_grace,
          .sample_period = parts.configuration.peer.tracker.period,
          .devices = offer.devices,
          .user = parts.user,
          .own_user = own_user(),
          .uid_min = options.uid_min},
      {.exited =
              [&parts](const sched::JobId& job, const sched::Report& report) {
                auto& exits = is_end_command(report.index) ? parts.end_exits : parts.exits;
                exits.push_back({.job = job, .report = report});
              },
          .note =
              [&parts](const std::string& note) {
                parts.log.say(overlay::Level::warn, "executor", {{"note", note}});
              },
          .trial = [&parts](const std::string& failure) { parts.trial = failure; }});
  if (!executor) return tl::unexpected(executor.error());
  parts.executor = std::move(*executor);
  return {};
}

/// True if what stands beside the identity is later than the database: an older one was brought
/// back. Ask before the next incarnation is drawn.
Result<bool> is_database_old(AgentParts& parts) {
  const auto stored = parts.records->store().incarnation();
  if (!stored) return tl::unexpected(stored.error());
  return *stored < parts.marks->incarnation();
}

Result<void> open_network(AgentParts& parts,
    std::uint32_t incarnation,
    Transport::Receive receive,
    Transport::Notice notice) {
  const auto options = network_options(parts);
  if (!options) return tl::unexpected(options.error());
  auto transport = Transport::open(parts.loop, *options, *parts.identity, *parts.keyring,
      incarnation, std::move(receive), std::move(notice));
  if (!transport) return tl::unexpected(transport.error());
  parts.transport = std::move(*transport);
  return {};
}

/// Translates the time of each job's submit to the loop's clock.
void tell_ages(std::vector<sched::StoredJob>& jobs, uv_loop_t& loop) {
  // To read a large database takes seconds, and the loop's clock stood still meanwhile.
  uv_update_time(&loop);
  const Clocks clocks{.now = now(loop), .wall_ns = wall_clock_ns()};
  for (sched::StoredJob& job : jobs) {
    if (job.job.submitted_at == 0) continue;
    job.submitted = loop_time_of(job.job.submitted_at, clocks);
  }
}

/// The keys of jobs that are forgotten.
Result<void> restore_keys(AgentParts& parts) {
  auto stored = parts.records->store().spent_keys().load();
  if (!stored) return tl::unexpected(stored.error());
  const Clocks clocks{.now = now(parts.loop), .wall_ns = wall_clock_ns()};
  std::vector<sched::SpentKey> keys;
  keys.reserve(stored->size());
  for (StoredSpentKey& each : *stored) {
    each.key.at = loop_time_of(each.spent_at, clocks);
    keys.push_back(std::move(each.key));
  }
  parts.peer->comeback().restore_keys(clocks.now, std::move(keys));
  return {};
}

/// The logs of jobs with replicas.
Result<std::vector<sched::replica::StoredLog>> restore_logs(AgentParts& parts, bool outdated) {
  const bool lazy = parts.configuration.agent.sync == Sync::normal;
  LogTables& logs = parts.records->store().logs();
  auto opened =
      logs.open({.boot = boot_name(), .power_cut_takes = lazy, .outdated = outdated}, *parts.rng);
  if (!opened) return tl::unexpected(opened.error());
  return logs.take_stored();
}

/// Splits off those with replicas: their logs have them.
std::vector<sched::JobId> take_replicated(std::vector<sched::StoredJob>& jobs) {
  std::vector<sched::JobId> replicated;
  for (const sched::StoredJob& job : jobs) {
    if (job.job.replicas > 0) replicated.push_back(job.job.id);
  }
  std::erase_if(jobs, [](const sched::StoredJob& job) { return job.job.replicas > 0; });
  return replicated;
}

/// The books of cells that are sound. The others are set aside, and named as damage: other nodes
/// keep the same books.
Result<std::vector<sched::StoredRaft>> restore_books(SqliteStore& store, bool outdated) {
  const auto damaged = store.raft().set_damaged_aside(outdated);
  if (!damaged) return tl::unexpected(damaged.error());
  for (const std::string& what : *damaged) store.damage().note(what);
  return store.raft().restore();
}

// Each step needs those before it: jobs and logs are there when tasks are taken back, and these
// before any room is offered.
Result<void> open_peer(
    AgentParts& parts, const Offer& offer, std::uint32_t incarnation, bool database_is_old) {
  SqliteStore& store = parts.records->store();
  auto jobs = store.jobs().restore();
  if (!jobs) return tl::unexpected(jobs.error());
  tell_ages(*jobs, parts.loop);
  const std::vector<sched::JobId> replicated = take_replicated(*jobs);
  auto logs = restore_logs(parts, database_is_old);
  if (!logs) return tl::unexpected(logs.error());
  const auto holders = store.jobs().holders();
  if (!holders) return tl::unexpected(holders.error());
  const auto job_last = store.jobs().job_last();
  if (!job_last) return tl::unexpected(job_last.error());
  auto books = restore_books(store, database_is_old);
  if (!books) return tl::unexpected(books.error());

  parts.output_service.emplace(
      parts.loop, *parts.output, [&parts](const overlay::Endpoint& to, const Message& message) {
        parts.outbox.send(to, message);
      });
  const sched::NodeSpec self = {.endpoint = parts.transport->self(),
      .incarnation = incarnation,
      .name = parts.configuration.agent.name,
      .total = offer.total,
      .attributes = attributes_of(offer, *parts.executor),
      .limits = limits_text(
          parts.executor->limits(), parts.executor->limits_disk(), parts.executor->limits_net()),
      .version = DUNLIN_VERSION,
      .replica = store.logs().replica(),
      .machine = machine_number(
          parts.configuration.agent.machine, machine_mark(parts.configuration.agent.machine_id))};
  // Its contacts come by ContactWatch, as their names resolve.
  parts.peer.emplace(parts.configuration.peer, self, std::span<const overlay::Endpoint>{});
  if (store.history().has_usage()) parts.peer->maintenance().note_usage();
  // The database may be an older one: marks beside the identity keep the highest number, too.
  parts.peer->comeback().restore(
      parts.host(), std::move(*jobs), std::max(*job_last, parts.marks->job_last()), *holders);
  if (auto keys = restore_keys(parts); !keys) return keys;
  parts.peer->comeback().restore_logs(parts.host(), std::move(*logs));
  for (const sched::JobId& job : replicated) {
    // The log that had it was set aside.
    if (sched::find_job(*parts.peer, job) == nullptr) parts.records->jobs().forget_job(job);
  }
  // Before the node offers any room: what its tasks hold is not free.
  const std::uint32_t since = parts.executor->since();
  auto kept = parts.executor->take_kept();
  const auto ends = std::ranges::stable_partition(
      kept, [](const sched::KeptTask& each) { return !is_end_command(each.task.index); });
  parts.kept_end_commands.assign(ends.begin(), ends.end());
  kept.erase(ends.begin(), ends.end());
  if (since != incarnation) {
    parts.peer->comeback().take_back(parts.host(), since, kept);
    parts.log.say(overlay::Level::info, "tasks_taken_back",
        {{"tasks", std::to_string(kept.size())}, {"since", std::to_string(since)}});
  }
  auto restored = parts.peer->sharing().restore_books(parts.host(), std::move(*books));
  if (!restored) return restored;
  return restore_drain(parts);
}

}  // namespace

std::string known_name(const AgentParts& parts, overlay::PeerId node) {
  if (node == parts.peer->self().endpoint.id) return parts.peer->self().name;
  const auto& nodes = sched::directory_of(*parts.peer).nodes();
  const auto entry = nodes.find(node);
  if (entry != nodes.end() && entry->second.facts) return entry->second.facts->name;
  return parts.records->store().names().find(node);
}

Result<void> open_parts(AgentParts& parts, Transport::Receive receive, Transport::Notice notice) {
  start_sodium();
  const Machine machine = detect_machine();
  const bool named = !parts.configuration.agent.name.empty();
  fill_in(parts.configuration.agent, machine);
  if (!named && parts.configuration.agent.name != machine.hostname) {
    parts.log.say(overlay::Level::warn, "name_mended",
        {{"hostname", machine.hostname}, {"name", parts.configuration.agent.name},
            {"cure", "say another with agent.name"}});
  }
  const auto offer = make_offer(machine, parts.configuration.agent);
  if (!offer) return tl::unexpected(offer.error());
  parts.rng.emplace(random_seed());
  if (auto opened = open_state(parts); !opened) return opened;
  const auto is_old = is_database_old(parts);
  if (!is_old) return tl::unexpected(is_old.error());
  // Drawn and stored before anything is sent: whatever leaves later is newer than what an earlier
  // life sent.
  const auto incarnation = next_incarnation(parts);
  if (!incarnation) return tl::unexpected(incarnation.error());
  if (auto opened = open_executor(parts, *offer, *incarnation); !opened) return opened;
  if (auto opened = open_network(parts, *incarnation, std::move(receive), std::move(notice));
      !opened) {
    return opened;
  }
  return open_peer(parts, *offer, *incarnation, *is_old);
}

}  // namespace dunlin::node
