// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// Profiles are what one agent has learned; other agents have learned other things. So an empty list
// names the agent's parameter, and to forget is said of one job or of all, never by leaving a word
// out.
namespace dunlin::cli {
namespace {

// An empty list says what to switch on, because agents learn nothing by default.
std::string list_text(const Json& profiles, const std::string& owner, const Terminal& terminal) {
  if (profiles.empty()) {
    return "nothing was learned here yet" +
        (owner.empty() ? "" : " of jobs of " + printable(owner)) +
        ": `dunlin params frontend.estimate` says what would be\n";
  }
  Table table({{"OWNER"}, {"JOB", Align::left, 1}, {"GROUP"}, {"TASKS", Align::right},
      {"A TASK TAKES", Align::left, 1}, {"LEARNED"}});
  for (const Json& profile : profiles) {
    const auto group = value<std::string>(profile, "group");
    table.add({value<std::string>(profile, "owner"), value<std::string>(profile, "job"),
        group.empty() ? "-" : group, std::to_string(value<std::uint32_t>(profile, "tasks")),
        demand_text(member(profile, "demand")),
        iso_time(value<std::int64_t>(profile, "learned_at_ns"))});
  }
  return table.render(terminal);
}

Json request_of(const ProfileOptions& options) {
  Json request = Json::object();
  if (!options.owner.empty()) request["owner"] = options.owner;
  if (!options.node.empty()) request["at"] = options.node;
  return request;
}

}  // namespace

Result<int> profile_list(const Globals& globals, const ProfileOptions& options) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("profiles", request_of(options));
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.profiles/1", published(*reply));
  } else {
    print(list_text(member(*reply, "profiles"), options.owner, globals.out()));
  }
  return kSuccess;
}

Result<int> profile_forget(const Globals& globals, const ProfileOptions& options) {
  // To forget all by leaving a word out would be too easy.
  if (options.job.empty() != options.all) {
    return failure(ErrorKind::usage, "name a job, or say --all, and not both");
  }
  Json request = request_of(options);
  if (!options.job.empty()) request["job"] = options.job;
  if (options.all) request["all"] = true;
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("profile_forget", request);
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.profile_forget/1", published(*reply));
  } else {
    const auto count = value<std::uint32_t>(*reply, "forgotten");
    print("forgot " + count_text(count, "profile") + "\n");
  }
  return kSuccess;
}

}  // namespace dunlin::cli
