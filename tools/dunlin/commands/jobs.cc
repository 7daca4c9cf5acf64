// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>
#include <utility>

#include "node/wall_clock.h"
#include "sched/labels.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// The request holds only the filters that were named: from its size alone it can be told whether
// there was any, and the sentence below an empty table depends on that. The list of nodes that
// could not tell goes to stderr, below the table, and does not make the command fail: the rest is
// true.
namespace dunlin::cli {
namespace {

/// Members of a request without any filter: those that jobs_request() begins with.
constexpr std::size_t kPlainMembers = 4;

Result<Json> jobs_request(const JobsOptions& options) {
  Json request = {{"cluster", !options.here}, {"all", options.all}, {"limit", options.limit},
      {"sort", options.sort}};
  const std::pair<const char*, const std::string&> texts[] = {{"state", options.state},
      {"user", options.user}, {"node", options.node}, {"class", options.service_class},
      {"name", options.name}, {"after", options.after}};
  for (const auto& [key, text] : texts) {
    if (!text.empty()) request[key] = text;
  }
  const std::tuple<const char*, const char*, const std::string&> times[] = {
      {"--since", "since_at_ns", options.since},
      {"--ended-since", "ended_since_at_ns", options.ended_since}};
  for (const auto& [flag, key, text] : times) {
    if (text.empty()) continue;
    const auto ago = parse_time_limit(text);
    if (!ago) return failure(ErrorKind::usage, std::string(flag) + ": " + ago.error().text);
    // 0 would mean: whenever.
    request[key] = std::max<std::int64_t>(1, node::wall_clock_ns() - ago->count());
  }
  for (const std::string& text : options.labels) {
    const auto label = sched::parse_wanted_label(text);
    if (!label) return failure(ErrorKind::usage, "--label: " + label.error().text);
    request["labels"][label->key] = label->value;
  }
  return request;
}

}  // namespace

Result<int> jobs(const Globals& globals, const JobsOptions& options) {
  const auto request = jobs_request(options);
  if (!request) return tl::unexpected(request.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("jobs", *request);
  if (!reply) return tl::unexpected(reply.error());
  const Json& shown = member(*reply, "jobs");
  // A state or a time of end was named, so those that ended are among what was asked for.
  const bool all = options.all || !options.state.empty() || !options.ended_since.empty();
  if (globals.json) {
    print_json("dunlin.jobs/1", published(*reply));
    return kSuccess;
  }
  if (options.quiet) {
    for (const Json& job : shown) std::printf("%s\n", printable(job_name(job)).c_str());
  } else {
    Table table = job_table(shown);
    if (const auto fine = table.choose(options.columns); !fine) return tl::unexpected(fine.error());
    if (!shown.empty()) print(table.render(globals.out()));
    // With a filter "no jobs yet" would be wrong: there may be others.
    const bool chosen = request->size() > kPlainMembers;
    print(chosen && value<std::uint64_t>(*reply, "matching") == 0
            ? "no job matches (dunlin jobs --all lists all)\n"
            : job_totals(*reply, shown.size(), all));
  }
  if (const auto silent = silent_nodes_text(*reply); !silent.empty()) {
    // So that the warning stands below the table, where both are one terminal.
    std::fflush(stdout);
    std::fprintf(stderr, "dunlin: %s\n", printable(silent).c_str());
  }
  std::fputs((orphans_text(*reply) + not_joined_line(*reply)).c_str(), stderr);
  return kSuccess;
}

}  // namespace dunlin::cli
