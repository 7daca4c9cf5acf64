// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/json.h"
#include "tools/dunlin/launch/cluster_file.h"
#include "tools/dunlin/launch/desk_key.h"
#include "tools/dunlin/launch/host_file.h"
#include "tools/dunlin/launch/launch_driver.h"
#include "tools/dunlin/screen/report.h"

// The desk's part of a launch: which hosts, with which key and programs, and what is remembered of
// them. The list of hosts is written before the first command leaves: what a launch that is killed
// half-way has begun, the next one finds again.
namespace dunlin::cli {
namespace {

constexpr const char* kDefaultCluster = "dunlin";
/// A step that takes longer does not get on, whatever the user is patient for.
constexpr std::chrono::seconds kLongestStep{3600};
/// What agents may take to stop when their tasks may end: a minute for tasks, and the handover.
constexpr std::chrono::seconds kDrainStep{120};
/// Addresses of agents that were up that the first agent of a new start asks.
constexpr std::size_t kKnownTold = 8;

/// The hosts that the line names.
Result<std::vector<LaunchHost>> named_hosts(const LaunchOptions& options) {
  auto hosts = parse_hosts(options.hosts, host_list_file);
  if (!hosts) return hosts;
  for (const auto& [wanted, nodes] :
      {std::pair(options.slurm, &slurm_allocation), std::pair(options.pbs, &pbs_allocation)}) {
    if (!wanted) continue;
    // Only where the flag is there: outside of an allocation these would fail.
    auto more = nodes();
    if (!more) return more;
    std::ranges::move(*more, std::back_inserter(*hosts));
  }
  return hosts;
}

/// The verb of the line. `--status --mend` launches: that does what is missing, and nothing where
/// nothing is.
LaunchVerb launch_verb(const LaunchOptions& options) {
  if (options.stop) return LaunchVerb::stop;
  if (options.upgrade) return LaunchVerb::upgrade;
  if (options.remove) return LaunchVerb::remove;
  return options.status && !options.mend ? LaunchVerb::status : LaunchVerb::launch;
}

const char* word_of_verb(LaunchVerb verb) {
  switch (verb) {
    case LaunchVerb::launch:
      return "launch";
    case LaunchVerb::status:
      return "status";
    case LaunchVerb::stop:
      return "stop";
    case LaunchVerb::upgrade:
      return "upgrade";
    case LaunchVerb::remove:
      return "remove";
  }
  return "";
}

/// The longest silence of a step. A stop that lets tasks end takes longer unless the user says
/// otherwise.
Result<std::chrono::seconds> step_time(const LaunchOptions& options) {
  // Typed or not, the default means the time that suits the verb.
  const bool is_default = options.timeout == LaunchOptions{}.timeout;
  if (is_default && options.drain) return kDrainStep;
  const auto time = parse_time_limit(options.timeout);
  if (!time) return failure(ErrorKind::usage, "--timeout: " + time.error().text);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(*time);
  if (seconds > kLongestStep) return failure(ErrorKind::usage, "--timeout: must be at most 1h");
  return seconds;
}

/// What this desk knows of the cluster, with what the line says anew.
Result<ClusterFile> cluster_of_line(const std::string& name, const LaunchOptions& options) {
  auto cluster = load_cluster(name);
  if (!cluster && cluster.error().kind != ErrorKind::not_found) return cluster;
  // Only a launch may begin a cluster: a slip in the name must not make a second one.
  if (!cluster && launch_verb(options) != LaunchVerb::launch) {
    return failure(ErrorKind::not_found,
        "no cluster \"" + name + "\" was launched from here (" + cluster_path(name, ".toml") + ")");
  }
  if (!cluster) cluster = ClusterFile{};
  const std::string& directory = options.directory;
  // Agents would be looked for where they are not, and started a second time.
  if (!directory.empty() && directory != cluster->directory && !cluster->hosts.empty()) {
    return failure(ErrorKind::usage,
        "--dir: the agents of cluster \"" + name + "\" live in " +
            (cluster->directory.empty() ? "their homes" : cluster->directory) +
            "; dunlin launch --remove comes before another place");
  }
  for (const std::string& setting : options.settings) {
    if (auto fine = check_setting(setting); !fine) {
      return failure(ErrorKind::usage, "--set: " + fine.error().text);
    }
  }
  if (!directory.empty()) cluster->directory = directory;
  if (!options.settings.empty()) cluster->settings = options.settings;
  if (!options.ssh_config.empty()) {
    std::error_code ignored;
    // The next line may be typed in another directory.
    const auto whole = std::filesystem::absolute(options.ssh_config, ignored);
    cluster->ssh_config = whole.empty() ? options.ssh_config : whole.string();
  }
  return cluster;
}

/// The hosts of the cluster that the line means: those that it names, or all.
Result<std::vector<LaunchHost>> meant_hosts(
    ClusterFile& cluster, const std::vector<LaunchHost>& named, LaunchVerb verb, bool all) {
  if (verb == LaunchVerb::launch) cluster.merge(named);
  // The one verb that takes data away: a line without hosts must not mean all of them.
  if (verb == LaunchVerb::remove && named.empty() && !all) {
    return failure(ErrorKind::usage, "--remove: name HOSTs, or say --all");
  }
  if (named.empty()) {
    if (!cluster.hosts.empty()) return cluster.hosts;
    return failure(ErrorKind::usage, "launch: HOST is missing (dunlin launch --help)");
  }
  std::vector<LaunchHost> hosts;
  for (const LaunchHost& each : named) {
    const LaunchHost* found = cluster.find(each.text());
    if (found == nullptr) {
      // Without user and port, the name is enough.
      const auto same = std::ranges::find(cluster.hosts, each.name, &LaunchHost::name);
      found = each.user.empty() && each.port == 0 && same != cluster.hosts.end() ? &*same : nullptr;
    }
    if (found == nullptr) {
      return failure(ErrorKind::not_found,
          each.text() + " is no host of this cluster (dunlin launch --status lists them)");
    }
    const auto same = [&](const LaunchHost& host) { return host.text() == found->text(); };
    if (std::ranges::none_of(hosts, same)) hosts.push_back(*found);
  }
  return hosts;
}

/// Agents that lived when they were last seen, between commas: the first one that is started asks
/// them, lest it founds a second cluster of one key.
std::string known_addresses(const ClusterFile& cluster) {
  std::string addresses;
  std::size_t told = 0;
  for (const LaunchHost& host : cluster.hosts) {
    if (host.address.empty() || told == kKnownTold) continue;
    addresses += (addresses.empty() ? "" : ",") + host.address;
    ++told;
  }
  return addresses;
}

/// A launch, with all that it needs from this desk.
struct DeskLaunch {
  std::string name;
  ClusterFile cluster;
  std::vector<LaunchHost> hosts;
  LaunchTerms terms;
  LaunchTerms look;  ///< Of the other hosts: whether agents live there that new ones can join.
  bool fresh = false;
};

/// All that can be wrong on this desk is found here, before the first command leaves for a host.
Result<DeskLaunch> prepare(const Globals& globals, const LaunchOptions& options) {
  DeskLaunch desk;
  desk.name = globals.agent.cluster.empty() ? kDefaultCluster : globals.agent.cluster;
  if (auto fine = check_cluster_name(desk.name); !fine) return tl::unexpected(fine.error());
  const auto named = named_hosts(options);
  if (!named) return tl::unexpected(named.error());
  const auto timeout = step_time(options);
  if (!timeout) return tl::unexpected(timeout.error());
  auto cluster = cluster_of_line(desk.name, options);
  if (!cluster) return tl::unexpected(cluster.error());
  const LaunchVerb verb = launch_verb(options);
  auto hosts = meant_hosts(*cluster, *named, verb, options.all);
  if (!hosts) return tl::unexpected(hosts.error());
  desk.hosts = std::move(*hosts);
  LaunchTerms& terms = desk.terms;
  terms = {.verb = verb, .cluster = desk.name, .directory = cluster->directory};
  terms.settings = cluster->settings;
  terms.known = known_addresses(*cluster);
  terms.drain = options.drain;
  terms.dry_run = options.dry_run;
  terms.timeout = *timeout;
  // Read once, and the same bytes for each host: a build that ends meanwhile makes no mixture.
  if (verb == LaunchVerb::launch || verb == LaunchVerb::upgrade) {
    auto programs = read_programs(options.programs);
    if (!programs) return tl::unexpected(programs.error());
    terms.programs = std::move(*programs);
  }
  if (verb == LaunchVerb::launch) {
    // A new key would part this desk from a cluster that lives.
    const bool may_make = terms.known.empty() && !options.dry_run;
    auto key = desk_key(globals.agent.key, desk.name, may_make);
    if (!key) return tl::unexpected(key.error());
    terms.key = std::move(key->text);
    terms.key_file = std::move(key->path);
    desk.fresh = key->fresh;
    // A dry run makes no key, and must not call for one either.
    if (options.dry_run && terms.key.empty() && terms.known.empty()) terms.key = "none yet";
  }
  desk.look = {.verb = LaunchVerb::status, .cluster = desk.name, .directory = cluster->directory};
  desk.look.timeout = *timeout;
  desk.cluster = std::move(*cluster);
  return desk;
}

/// The hosts that are meant, and behind them those that are only looked at: a new agent needs one
/// to join that lives already.
LaunchQueue queue_of(const DeskLaunch& desk, const LaunchOptions& options) {
  std::vector<HostLaunch> launches;
  std::set<std::string> meant;
  for (const LaunchHost& host : desk.hosts) {
    meant.insert(host.text());
    launches.emplace_back(desk.terms, host, launches.size());
  }
  const bool starts =
      desk.terms.verb == LaunchVerb::launch || desk.terms.verb == LaunchVerb::upgrade;
  for (const LaunchHost& host : desk.cluster.hosts) {
    if (!starts || meant.contains(host.text())) continue;
    launches.emplace_back(desk.look, host, launches.size());
  }
  return LaunchQueue(std::move(launches),
      {.at_once = options.at_once,
          .restarts_at_once = options.restarts_at_once,
          .fresh = desk.fresh});
}

/// Keeps what hosts told. Hosts that were removed are none of the cluster any more.
Result<void> remember(DeskLaunch& desk, const std::vector<HostLaunch>& launches) {
  for (const HostLaunch& launch : launches) {
    LaunchHost* const host = desk.cluster.find(launch.host().text());
    if (host == nullptr) continue;
    const HostReport& report = launch.report();
    if (!report.directory.empty()) host->directory = report.directory;
    if (report.agent == "up" && !report.address.empty()) host->address = report.address;
    if (report.agent == "removed") {
      std::erase_if(desk.cluster.hosts,
          [&](const LaunchHost& each) { return each.text() == launch.host().text(); });
    }
  }
  return save_cluster(desk.name, desk.cluster);
}

/// Says how it went, and what to say next. Returns the exit status: that of the whole, since one
/// host that failed is easily overlooked among forty.
int told(const Globals& globals,
    const DeskLaunch& desk,
    const std::vector<HostLaunch>& hosts,
    const std::string& stopped_at) {
  const auto failed = std::ranges::count_if(
      hosts, [](const HostLaunch& host) { return host.phase() == HostPhase::failed; });
  // A script that asks for the status wants to hear of each agent that is not there.
  const bool is_well = failed == 0 &&
      (desk.terms.verb != LaunchVerb::status ||
          std::ranges::all_of(hosts, [](const auto& host) { return host.report().agent == "up"; }));
  const int status = is_well ? kSuccess : kFailure;
  if (globals.json) {
    print_json("dunlin.launch/1",
        {{"cluster", desk.name}, {"verb", word_of_verb(desk.terms.verb)},
            {"dry_run", desk.terms.dry_run}, {"failed", failed}, {"stopped_at", stopped_at},
            {"hosts", hosts_json(hosts)}});
    return status;
  }
  print(hosts_table(hosts, globals.out()));
  std::fprintf(stderr, "cluster %s: %s\n", desk.name.c_str(), hosts_summary(hosts).c_str());
  if (!stopped_at.empty()) {
    std::fprintf(stderr,
        "the upgrade stopped at %s; when it is well, the same command goes on with the others\n",
        stopped_at.c_str());
  } else if (failed != 0 && desk.terms.verb == LaunchVerb::launch) {
    std::fprintf(stderr,
        "dunlin launch --cluster %s --status --mend tries those that failed again\n",
        desk.name.c_str());
  }
  return status;
}

}  // namespace

Result<int> launch(const Globals& globals, const LaunchOptions& options) {
  auto desk = prepare(globals, options);
  if (!desk) return tl::unexpected(desk.error());
  const bool writes = !options.dry_run;
  if (writes && desk->terms.verb == LaunchVerb::launch) {
    if (auto saved = save_cluster(desk->name, desk->cluster); !saved) {
      return tl::unexpected(saved.error());
    }
  }
  // Gone with this process, and the masters' sockets with it.
  const auto sockets = PrivateDirectory::make();
  if (!sockets) return tl::unexpected(sockets.error());
  LaunchQueue queue = queue_of(*desk, options);
  int signal = 0;
  {
    const SshWay way{.config = desk->cluster.ssh_config,
        .control = sockets->path(),
        .timeout = desk->terms.timeout};
    LaunchView view(globals.err(), globals.json);
    const auto driven = drive_launch(queue, way, view);
    if (!driven) return tl::unexpected(driven.error());
    signal = *driven;
  }
  if (writes) {
    // Also after a signal: what was begun is known by then.
    if (auto kept = remember(*desk, queue.hosts()); !kept) return tl::unexpected(kept.error());
  }
  // Those that were only looked at stand behind the others.
  std::vector<HostLaunch> meant;
  for (const HostLaunch& host : queue.hosts()) {
    if (meant.size() < desk->hosts.size()) meant.push_back(host);
  }
  const int status = told(globals, *desk, meant, queue.stopped_at());
  return signal == 0 ? status : kSignalled + signal;
}

}  // namespace dunlin::cli
