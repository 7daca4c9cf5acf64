// SPDX-License-Identifier: MIT
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/store/results.h"
#include "node/wall_clock.h"
#include "sched/peer.h"

// Who did what: the log of actions that this agent was asked for, done or refused.
namespace dunlin::node {
namespace {

constexpr std::uint32_t kShown = 100;

}  // namespace

void note_action(AgentServices& agent, const Principal& who, Action action) {
  agent.local().actions.put({.at = wall_clock_ns(),
      .user = who.user,
      .delegate = who.delegate,
      .remote = who.remote,
      .verb = std::move(action.verb),
      .object = std::move(action.object),
      .refused = action.refused});
}

std::string object_of(Args& args) {
  const auto number = args.json().find("number");
  if (number == args.json().end() || !number->is_number_unsigned()) return "";
  return "job " + std::to_string(number->get<std::uint64_t>());
}

Json speaker_json(const Principal& who) {
  Json json = {{"user", who.user}, {"administrator", who.administrator}};
  if (!who.delegate.empty()) json["delegate"] = who.delegate;
  return json;
}

Result<Json> handle_audit_log(AgentServices& agent, Args& args) {
  const std::string user = args.text("user", sched::kJobNameMax);
  const auto limit = static_cast<std::uint32_t>(args.number("limit", 1, kPageMax, kShown));
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  const auto rows = agent.local().actions.list(user, limit);
  if (!rows) return tl::unexpected(rows.error());
  Json actions = Json::array();
  for (const ActionRow& row : *rows) {
    Json action = {{"number", row.number}, {"at_ns", row.at}, {"user", row.user},
        {"remote", row.remote}, {"verb", row.verb}, {"object", row.object},
        {"refused", row.refused}};
    if (!row.delegate.empty()) action["delegate"] = row.delegate;
    actions.push_back(std::move(action));
  }
  return Json{{"node_name", agent.peer().self().name}, {"actions", std::move(actions)}};
}

}  // namespace dunlin::node
