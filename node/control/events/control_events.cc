// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "node/access/accounts.h"
#include "node/agent_options.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/events/event_feed.h"
#include "sched/peer_view.h"

// Events are told to those whom they concern: all to administrators, to a user those of jobs of his
// that this agent drives. A reader that follows has a bounded queue, and is told how many events it
// missed; the agent never waits for one.
namespace dunlin::node {
namespace {

constexpr std::size_t kNamesMax = 16;
constexpr std::size_t kEventNameMax = 64;
/// Events in one reply at most.
constexpr std::size_t kBatchMax = 256;

/// Administrators see all. Others see what is about jobs of their own, as far as this agent drives
/// them: it does not know the owners of others.
bool may_see(const AgentServices& agent, const Principal& viewer, const FedEvent& event) {
  if (viewer.administrator) return true;
  if (!event.job) return false;
  const sched::JobState* const job = sched::find_job(agent.peer(), *event.job);
  return job != nullptr && may_act_for(viewer, job->job().owner);
}

Json event_json(const FedEvent& event) {
  Json fields = Json::object();
  for (const auto& [key, value] : event.fields) {
    // Numbers and truth values are rendered as JSON writes them.
    fields[std::string(key)] = value.number ? Json::parse(value.text) : Json(value.text);
  }
  return {{"at_ns", event.at},
      {"level", overlay::kWords<overlay::Level>[static_cast<std::size_t>(event.level)]},
      {"event", event.name}, {"fields", std::move(fields)}};
}

Json batch_json(const AgentServices& agent,
    const Principal& viewer,
    const std::vector<FedEvent>& events,
    std::uint64_t dropped) {
  Json told = Json::array();
  for (const FedEvent& event : events) {
    if (may_see(agent, viewer, event)) told.push_back(event_json(event));
  }
  return {{"dropped", dropped}, {"events", std::move(told)}};
}

/// Tells of the past, and that is all.
class RecentPending final : public Pending {
 public:
  RecentPending(EventFilter filter, const Principal& viewer)
      : filter_(std::move(filter)),
        viewer_(viewer) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    reply.end(batch_json(agent, viewer_, agent.local().events.recent(filter_), 0));
    return false;
  }

 private:
  EventFilter filter_;
  Principal viewer_;
};

/// Tells of what happens, until the client has enough.
class FollowPending final : public Pending {
 public:
  FollowPending(std::shared_ptr<EventReader> reader, HeldPlace place, const Principal& viewer)
      : reader_(std::move(reader)),
        place_(std::move(place)),
        viewer_(viewer) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    // The first reply says that nothing is missed from here on.
    if (!std::exchange(begun_, true)) reply.part({{"dropped", 0}, {"events", Json::array()}});
    while (!reader_->empty() && !reply.congested()) {
      const auto batch = reader_->take(kBatchMax);
      Json told = batch_json(agent, viewer_, batch.events, batch.dropped);
      if (batch.dropped > 0 || !told["events"].empty()) reply.part(std::move(told));
    }
    return true;
  }

 private:
  std::shared_ptr<EventReader> reader_;
  HeldPlace place_;
  Principal viewer_;
  bool begun_ = false;
};

Result<overlay::Level> level_of(const std::string& word) {
  const auto& words = overlay::kWords<overlay::Level>;
  const auto* const found = std::ranges::find(words, word);
  if (found == std::end(words)) {
    return failure(ErrorKind::usage, "'level' must be trace, debug, info, warn or error");
  }
  return static_cast<overlay::Level>(found - std::begin(words));
}

}  // namespace

PendingResult handle_events(AgentServices& agent, ControlSession& session, Args& args) {
  EventFilter filter;
  const std::string level = args.text("level", kEventNameMax);
  for (const std::string& name : args.texts("names", kNamesMax)) {
    if (name.size() > kEventNameMax) args.fail("names", "a list of names of events");
    filter.names.push_back(name);
  }
  const bool follow = args.flag("follow");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!level.empty()) {
    const auto read = level_of(level);
    if (!read) return tl::unexpected(read.error());
    filter.level = *read;
  }
  if (auto fine = filter.check(); !fine) return tl::unexpected(fine.error());
  if (!follow) return std::make_unique<RecentPending>(std::move(filter), session.speaker());
  auto place = agent.local().accounts.take(
      Place::follower, session.account(), session.speaker().administrator);
  if (!place) return tl::unexpected(place.error());
  auto reader = agent.local().events.follow(std::move(filter));
  if (!reader) return tl::unexpected(reader.error());
  return std::make_unique<FollowPending>(std::move(*reader), std::move(*place), session.speaker());
}

}  // namespace dunlin::node
