// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {
namespace {

// Refused actions are shown as well as those that were done: who tries what he may not is as worth
// knowing as what changed.
std::string log_text(const Json& actions, const Terminal& terminal) {
  if (actions.empty()) return "nothing was done yet\n";
  Table table({{"WHEN"}, {"USER"}, {"FROM", Align::left, 1}, {"VERB"}, {"ABOUT"}, {"OUTCOME"}});
  for (const Json& action : actions) {
    const bool refused = value<bool>(action, "refused");
    auto user = value<std::string>(action, "user", "-");
    if (user.empty()) user = "-";
    // The user is answerable, and so is the process that spoke for that user.
    if (const auto delegate = value<std::string>(action, "delegate"); !delegate.empty()) {
      user += " by " + delegate;
    }
    table.add({iso_time(value<std::int64_t>(action, "at_ns")), user,
        // From the socket the kernel named the user; over a stream another agent, or a holder of
        // the key, did.
        value<bool>(action, "remote") ? "stream" : "socket", value<std::string>(action, "verb"),
        value<std::string>(action, "object"),
        {refused ? "refused" : "done", refused ? Colour::red : Colour::none}});
  }
  return table.render(terminal);
}

}  // namespace

Result<int> audit_log(const Globals& globals, const AuditLogOptions& options) {
  // The agent filters, not this end: the limit is to count what is shown, newest first.
  Json request = {{"limit", options.limit}};
  if (!options.user.empty()) request["user"] = options.user;
  if (!options.node.empty()) request["at"] = options.node;
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("audit_log", request);
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.audit_log/1", published(*reply));
  } else {
    print(log_text(member(*reply, "actions"), globals.out()));
  }
  return kSuccess;
}

}  // namespace dunlin::cli
