// SPDX-License-Identifier: MIT
#include "node/control/control_session.h"

#include <algorithm>
#include <variant>

#include "node/agent_options.h"
#include "node/control/control_handlers.h"
#include "node/control/control_verbs.h"
#include "node/control/home/relay.h"
#include "node/control/job_name.h"
#include "node/control/stopping.h"
#include "node/ids.h"
#include "sched/peer_view.h"

// The way of each request, in this order: which user speaks, whether that user has used up a fair
// share of the agent, where the job's home is; then, at the home, whether the speaker may ask that,
// and the handler. Agents pass requests on for their clients, and say for whom: that is believed of
// a holder of the cluster key, and of nobody else.
namespace dunlin::node {
namespace {

/// A client with too many requests under way may ask again after so long.
constexpr overlay::Duration kRequestRest = std::chrono::milliseconds(200);

// Some handlers need the session (for uploads, streams, more requests), and others must not know of
// it: the table of verbs holds both kinds.
Result<Json> call(Result<Json> (*handler)(AgentServices&, Args&),
    AgentServices& agent,
    ControlSession&,
    Args& args) {
  return handler(agent, args);
}
template <typename Outcome>
Outcome call(Outcome (*handler)(AgentServices&, ControlSession&, Args&),
    AgentServices& agent,
    ControlSession& session,
    Args& args) {
  return handler(agent, session, args);
}

/// Fails with `forbidden` if `speaker` may not make this request of this agent.
Result<void> admit(
    AgentServices& agent, const Principal& speaker, Access access, const Json& request) {
  if (speaker.administrator || access == Access::everyone) return {};
  const std::string you = speaker.user.empty() ? "you have no name" : "you are " + speaker.user;
  if (access == Access::administrator) {
    return failure(ErrorKind::forbidden,
        "administrators alone may do that, and " + you + ": root, members of the group " +
            kAdminGroup + ", and holders of the cluster key");
  }
  const auto number = request.find("number");
  if (number == request.end() || !number->is_number_unsigned()) return {};  // The handler tells.
  Args args(request);
  const auto origin = origin_of(agent, args);
  if (!origin) return tl::unexpected(origin.error());
  const sched::JobState* const job = number->get<std::uint64_t>() <= UINT32_MAX
      ? sched::find_job(agent.peer(), *origin, number->get<std::uint32_t>())
      : nullptr;
  // An unknown job is for the handler, which answers not_found to everybody alike.
  if (job == nullptr || may_act_for(speaker, job->job().owner)) return {};
  return failure(ErrorKind::forbidden,
      "job " + job_text(agent, job->id()) + " belongs to " + job->job().owner + ", and " + you +
          "; `dunlin jobs` shows its line");
}

}  // namespace

ControlSession::ControlSession(AgentServices& agent,
    std::shared_ptr<ControlConnection> connection,
    const Principal& caller,
    std::uint64_t& requests)
    : agent_(agent),
      connection_(std::move(connection)),
      speakers_(caller, agent.configuration().agent.delegates),
      accounts_(agent.local().accounts),
      account_(accounts_.of(caller.user)),
      requests_counted_(requests),
      relays_(std::make_unique<Relays>()),
      requests_(agent, accounts_),
      active_at_(agent.now()),
      remote_(connection_->peer() != overlay::PeerId{}) {
  connection_->on_close([this] { ended_ = true; });
  connection_->on_drained([] {});  // That the loop turns is enough: requests advance each turn.
  connection_->on_message([this](std::string_view text) { on_message(text); });
}

// The connection may outlive the session by its last writes, and must not call into it.
ControlSession::~ControlSession() {
  connection_->on_close({});
  connection_->on_drained({});
  connection_->on_message([](std::string_view) {});
  connection_->close();
}

std::optional<overlay::Time> ControlSession::idle_since() const {
  const bool idle = requests_.count() == 0 && uploads_.empty() && waiting_.empty();
  return idle && connection_->queued() == 0 ? std::optional(active_at_) : std::nullopt;
}

void ControlSession::part(const Error& why) {
  Reply(*connection_, nullptr, protocol_).fail(why);
}

void ControlSession::dispatch(const Json& request, const Reply& reply) {
  Args args(request);
  const std::string name = args.text("verb", 32);
  if (name == "stop") {
    if (request.contains("request")) requests_.stop(request["request"]);
    return reply.end(Json::object());
  }
  const auto verb = std::ranges::find(all_verbs(), name, &Verb::name);
  if (verb == all_verbs().end()) {
    reply.fail(
        {ErrorKind::usage, "unknown verb '" + name + "'; is the agent older than the client?"});
    return;
  }
  if (requests_.count() >= kControlStreamsMax) {
    reply.fail({ErrorKind::busy, "too many requests under way on this connection", 0,
        kRequestRest.count()});
    return;
  }
  auto speaker = speakers_.of(args);
  if (!speaker) return reply.fail(speaker.error());
  if (!*speaker) return requests_.add(reply, speakers_.look_up(request), request, name, account_);
  speaker_ = std::move(**speaker);
  // Before the request is looked at any further: even refused ones cost the loop time.
  if (auto fine = charge_to_speaker(); !fine) return reply.fail(fine.error());
  relays_->charge_to(account_, speaker_.administrator);
  const bool stays = verb->goes == Goes::here || (verb->goes == Goes::where && !args.has("at"));
  if (stays) return serve_here(*verb, request, args, reply);
  auto route = route_of(agent_, *relays_, args);
  if (!route) return reply.fail(route.error());
  if (route->node || route->seeks) {
    // The other agent trusts the cluster key for this, so it must be the speaker that we have
    // checked, never what the client wrote.
    (*route->request)["speaker"] = speaker_json(speaker_);
    auto passed = relay(agent_, *relays_, std::move(*route), request);
    if (!passed) return reply.fail(passed.error());
    return requests_.add(reply, std::move(*passed), request, name, account_);
  }
  Args local(route->request ? *route->request : request);
  serve_here(*verb, request, local, reply);
}

// Rights are asked of the request as it is served: where it was rewritten on the way to the job's
// home, `args` name the job by its number there.
void ControlSession::serve_here(
    const Verb& verb, const Json& request, Args& args, const Reply& reply) {
  const std::string name(verb.name);
  if (auto may = admit(agent_, speaker_, verb.access, args.json()); !may) {
    note_action(agent_, speaker_, {.verb = name, .object = object_of(args), .refused = true});
    return reply.fail(may.error());
  }
  std::visit(
      [&](auto handler) {
        auto outcome = call(handler, agent_, *this, args);
        if (!outcome) return reply.fail(outcome.error());
        if constexpr (std::is_same_v<decltype(outcome), Result<Json>>) {
          reply.end(std::move(*outcome));
        } else {
          requests_.add(reply, std::move(*outcome), request, name, account_);
        }
      },
      verb.handler);
}

std::uint32_t ControlSession::new_upload(Upload upload) {
  uploads_.emplace(++upload_last_, std::move(upload));
  return upload_last_;
}

}  // namespace dunlin::node
