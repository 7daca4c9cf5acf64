// SPDX-License-Identifier: MIT
#include "node/control/home/relay.h"

#include <algorithm>
#include <utility>

#include "node/control/agent_services.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/home/relay_pending.h"
#include "node/control/job_name.h"
#include "node/ids.h"
#include "node/read_json.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"

// A job is driven by one node, its home, and users may ask any agent about it. So an agent passes
// the request on to the home as a client of it, and the replies back, word for word: the home alone
// knows the job, and no second copy of an answer can grow stale.
// The client must not wait for a dead home. The first word has to come soon; later, when requests
// such as `wait` may be silent for days, the home is asked for a sign of life (`stop` of nothing,
// which every version answers at once). A slow client stops the reading here, TCP stops the home's
// writing, and so the stream pauses at its source.
namespace dunlin::node {
namespace {

/// Id of the requests for a sign of life.
constexpr std::uint64_t kSign = 0;
/// Where the network had no room for a conversation, it is worth another try after so long.
constexpr overlay::Duration kNetworkRest = std::chrono::seconds(1);
/// Our own loop may have stood still: what came meanwhile is read before a node is given up.
constexpr overlay::Duration kGrace = std::chrono::milliseconds(50);

/// The number of the job that a request is about; of the first one, if it is about several.
std::uint32_t number_in(const Json& request) {
  const auto whole = [](const Json& number) {
    return number.is_number_unsigned() && number.get<std::uint64_t>() <= UINT32_MAX
        ? static_cast<std::uint32_t>(number.get<std::uint64_t>())
        : 0;
  };
  const auto number = request.find("number");
  if (number != request.end()) return whole(*number);
  const auto numbers = request.find("numbers");
  const bool some = numbers != request.end() && numbers->is_array() && !numbers->empty();
  return some ? whole(numbers->front()) : 0;
}

/// Sends the request to the node that drives its job, if that is known to be another one than the
/// job's origin.
void follow_home(
    const AgentServices& agent, const Relays& relays, const Json& request, Route& route) {
  const overlay::PeerId origin = route.node ? route.node : agent.id();
  route.job = {.home = origin, .number = number_in(request), .lineage = 0};
  if (route.job.number == 0) return;
  if (sched::find_job(agent.peer(), origin, route.job.number) != nullptr) {
    route.node = {};
  } else if (const overlay::PeerId home = relays.home_of(route.job); home && home != agent.id()) {
    route.node = home;
  } else if (origin == agent.id() && agent.peer().logs() != nullptr) {
    route.seeks = !sched::never_gave(agent.peer(), route.job.number);
  }
}

}  // namespace

RelayLink::RelayLink(
    std::shared_ptr<ControlConnection> connection, overlay::Time now, HeldPlace place)
    : connection_(std::move(connection)),
      place_(std::move(place)),
      heard_at_(now),
      used_(now) {
  connection_->on_close([this] { failed_ = true; });
  connection_->on_message([this](std::string_view text) { hear(text); });
  // At once: the reply to it proves that the node lives.
  give_sign();
}

// No answer is waited for. An agent that knows no `hello`, or no newer version, says what it said
// before, and its words are understood.
void RelayLink::greet(const Json& speaker) {
  Json hello = {{"verb", "hello"}, {"id", kSign}, {"newest", kProtocolNewest}};
  // The place at that agent is the user's, as that of the first request would be.
  if (!speaker.is_null()) hello["speaker"] = speaker;
  connection_->send(compact(hello));
}

RelayLink::~RelayLink() {
  end();
}

void RelayLink::end() {
  failed_ = true;
  connection_->on_close({});
  connection_->on_message([](std::string_view) {});
  connection_->close();
}

void RelayLink::give_sign() {
  connection_->send(compact({{"verb", "stop"}, {"id", kSign}}));
}

// Ids of our own: two clients, or two requests, may have the same one.
std::uint64_t RelayLink::ask(Json request) {
  const std::uint64_t id = ++id_last_;
  request["id"] = id;
  waiting_[id];
  connection_->send(compact(request));
  return id;
}

std::optional<Json> RelayLink::next(std::uint64_t id) {
  const auto at = waiting_.find(id);
  if (at == waiting_.end() || at->second.replies.empty()) return std::nullopt;
  Json reply = std::move(at->second.replies.front());
  at->second.replies.pop_front();
  bytes_ -= at->second.sizes.front();
  at->second.sizes.pop_front();
  balance();
  return reply;
}

// The client went, or has enough. The home is told to stop, or it would go on to follow a job for
// nobody.
void RelayLink::let_go(std::uint64_t id) {
  const auto at = waiting_.find(id);
  if (at == waiting_.end()) return;
  for (const std::size_t size : at->second.sizes) bytes_ -= size;
  const bool over = at->second.over;
  waiting_.erase(at);
  if (!over && !failed_) {
    connection_->send(compact({{"verb", "stop"}, {"id", kSign}, {"request", id}}));
  }
  balance();
}

void RelayLink::hear(std::string_view text) {
  heard_ = true;
  Json reply = read_json<Json>(text);
  const auto id = reply.is_object() ? reply.find("id") : reply.end();
  if (!reply.is_object() || id == reply.end() || !id->is_number_unsigned()) return;
  const auto at = waiting_.find(id->get<std::uint64_t>());
  if (at == waiting_.end()) return;
  at->second.over = reply.contains("end") || reply.contains("error");
  at->second.replies.push_back(std::move(reply));
  at->second.sizes.push_back(text.size());
  bytes_ += text.size();
  balance();
}

/// Stops or goes on reading, by the bytes that wait for the client here.
void RelayLink::balance() {
  const bool full = bytes_ > kWaitingMax;
  if (full == paused_ || failed_) return;
  paused_ = full;
  connection_->pause(paused_);
}

// Time here is that of the loop. A silent home is asked for a sign first, and given up only when
// that does not come either.
void RelayLink::advance(overlay::Time now) {
  if (failed_) return;
  // While we do not read, silence is our own doing.
  if (heard_ || paused_) {
    spoken_ = spoken_ || heard_;
    heard_ = asked_for_sign_ = false;
    heard_at_ = now;
    overdue_.reset();
  }
  if (!idle()) used_ = now;
  const overlay::Duration silence = now - heard_at_;
  if (silence >= (spoken_ ? kSilence : kFirstWord)) {
    if (!overdue_) overdue_ = now;
    if (now - *overdue_ >= kGrace) end();
  } else if (spoken_ && !asked_for_sign_ && silence >= kQuiet) {
    asked_for_sign_ = true;
    give_sign();
  }
}

overlay::Time RelayLink::due() const {
  if (failed_) return overlay::kNever;
  if (overdue_) return *overdue_ + kGrace;
  return heard_at_ + (!spoken_ ? kFirstWord : asked_for_sign_ ? kSilence : kQuiet);
}

Result<std::shared_ptr<RelayLink>> Relays::to(AgentServices& agent, overlay::PeerId node) {
  const auto at = links_.find(node);
  if (at != links_.end() && !at->second->failed()) return at->second;
  const auto& nodes = sched::directory_of(agent.peer()).nodes();
  const auto known = nodes.find(node);
  if (known == nodes.end() || !known->second.descriptor.address) {
    return failure(ErrorKind::not_found,
        "no node of id " + to_string(node) +
            " is known here (`dunlin nodes` lists those that are)");
  }
  if (links_.size() >= kLinksMax) end_idle_link();
  auto link = links_.size() >= kLinksMax
      ? too_busy("this client has conversations with " + std::to_string(kLinksMax) + " other nodes",
            kKeep.count())
      : open(agent, {.id = node, .address = known->second.descriptor.address});
  if (!link) {
    Error why = link.error();
    why.text = "too many connections to other nodes are open here to ask " + agent.name_of(node) +
        "; ask again in a moment (" + why.text + ")";
    return tl::unexpected(std::move(why));
  }
  links_[node] = *link;
  return link;
}

Result<std::shared_ptr<RelayLink>> Relays::open(AgentServices& agent, const overlay::Endpoint& to) {
  Accounts& accounts = agent.local().accounts;
  HeldPlace place;
  // A connection between nodes is scarce, and one user's requests must not take all of them.
  if (account_ != nullptr) {
    if (!accounts.has_room(Place::relay, *account_, administrator_)) end_idle_link();
    auto held = accounts.take(Place::relay, account_, administrator_);
    if (!held) return tl::unexpected(held.error());
    place = std::move(*held);
  }
  auto connection = agent.call(to);
  if (connection == nullptr) {
    return too_busy("the network has no room for one more", kNetworkRest.count());
  }
  auto link = std::make_shared<RelayLink>(std::move(connection), agent.now(), std::move(place));
  link->greet(account_ == nullptr
          ? Json()
          : Json{{"user", account_->user}, {"administrator", administrator_}});
  return link;
}

// The one that was used longest ago. None with a request under way: its client waits for it.
void Relays::end_idle_link() {
  auto idlest = links_.end();
  for (auto each = links_.begin(); each != links_.end(); ++each) {
    const bool longer = idlest == links_.end() || each->second->used() < idlest->second->used();
    if (each->second->idle() && longer) idlest = each;
  }
  if (idlest != links_.end()) links_.erase(idlest);
}

void Relays::advance(overlay::Time now) {
  for (const auto& [node, link] : links_) link->advance(now);
  std::erase_if(links_, [now](const auto& each) {
    const RelayLink& link = *each.second;
    return link.idle() && (link.failed() || now - link.used() >= kKeep);
  });
}

overlay::Time Relays::due() const {
  overlay::Time due = overlay::kNever;
  for (const auto& [node, link] : links_) {
    due = std::min({due, link->due(), link->idle() ? link->used() + kKeep : overlay::kNever});
  }
  return due;
}

Error no_answer(const AgentServices& agent, overlay::PeerId node) {
  return {ErrorKind::timeout,
      "node " + node_text(agent, node) +
          " does not answer; it alone drives its jobs, and answers for them when it is back"};
}

// `at` and `job` are taken out of the request, and replaced by a number and an origin: the node
// which it goes to may know other nodes by these names.
Result<Route> route_of(const AgentServices& agent, const Relays& relays, Args& args) {
  const std::string at = args.text("at", 64);
  const std::string job = args.text("job", 96);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  // Another agent knows the origin already, and sends the request to the node that it means.
  if (at.empty() && job.empty() && args.has("origin")) return Route{};
  Route route{.node = {}, .request = args.json(), .job = {}};
  route.request->erase("at");
  route.request->erase("job");
  const std::vector<NamedNode> nodes =
      at.empty() && job.empty() ? std::vector<NamedNode>{} : named_nodes(agent);
  if (!at.empty()) {
    const auto node = read_node_name(at, nodes);
    if (!node) return tl::unexpected(node.error());
    route.node = *node;
  }
  if (!job.empty()) {
    const auto name = read_job_name(job, nodes, false);
    if (!name) return tl::unexpected(name.error());
    if (route.node && name->node && route.node != name->node) {
      return failure(ErrorKind::usage, "'at' and 'job' name two nodes");
    }
    if (name->node) route.node = name->node;
    (*route.request)["number"] = name->number;
  }
  const overlay::PeerId origin = route.node ? route.node : agent.id();
  follow_home(agent, relays, *route.request, route);
  if (route.node == agent.id()) route.node = {};
  // A number is the origin's, whichever node the request goes to.
  if (origin != agent.id() || route.seeks || route.node) {
    (*route.request)["origin"] = hex_text(origin.value);
  }
  return route;
}

Result<std::unique_ptr<Pending>> relay(
    AgentServices& agent, Relays& relays, Route route, Json request) {
  if (route.seeks) {
    return std::make_unique<RelayPending>(agent, relays, std::move(request), route, nullptr, 0);
  }
  auto link = relays.to(agent, route.node);
  if (!link) return tl::unexpected(link.error());
  const std::uint64_t id = (*link)->ask(std::move(*route.request));
  return std::make_unique<RelayPending>(
      agent, relays, std::move(request), route, std::move(*link), id);
}

}  // namespace dunlin::node
