// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/control_session.h"
#include "node/control/json.h"
#include "node/store/results.h"
#include "sched/peer.h"

// What tasks of recurring jobs were seen to take. A user sees and forgets what belongs to that
// user, an administrator all of it.
namespace dunlin::node {
namespace {

/// The owner of the profiles that the request is about; empty: all owners.
Result<std::string> owner_of(const ControlSession& session, Args& args) {
  const Principal& who = session.speaker();
  const std::string asked = args.text("owner", sched::kJobNameMax);
  if (who.administrator) return asked;
  if (!asked.empty() && asked != who.user) {
    return failure(ErrorKind::forbidden,
        "profiles of " + asked + " are for " + asked + " and administrators, and you are " +
            who.user);
  }
  return who.user;
}

Json profile_json(const ProfileRow& row) {
  return {{"owner", row.key.owner}, {"job", row.key.job}, {"group", row.key.group},
      {"demand", to_json(row.profile.demand)}, {"tasks", row.profile.tasks},
      {"learned_at_ns", row.learned_at}};
}

}  // namespace

Result<Json> handle_profiles(AgentServices& agent, ControlSession& session, Args& args) {
  const auto owner = owner_of(session, args);
  if (!owner) return tl::unexpected(owner.error());
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  Json profiles = Json::array();
  for (const ProfileRow& row : agent.local().profiles.list(*owner)) {
    profiles.push_back(profile_json(row));
  }
  return Json{{"node_name", agent.peer().self().name}, {"profiles", std::move(profiles)}};
}

Result<Json> handle_profile_forget(AgentServices& agent, ControlSession& session, Args& args) {
  const auto owner = owner_of(session, args);
  if (!owner) return tl::unexpected(owner.error());
  const std::string job = args.text("job", sched::kJobNameMax);
  const bool all = args.flag("all");
  if (job.empty() && !all) args.fail("job", "the name of one, or `all` given");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  const std::uint32_t count = agent.local().profiles.forget(*owner, job);
  if (count == 0 && !all) {
    return failure(ErrorKind::not_found,
        "no profile of a job named " + job + " here; `dunlin profile list` shows those there are");
  }
  note_action(agent, session.speaker(), {.verb = "profile_forget", .object = all ? "all" : job});
  return Json{{"forgotten", count}};
}

}  // namespace dunlin::node
