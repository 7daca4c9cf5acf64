// SPDX-License-Identifier: MIT
#include "node/agent/live/live_services.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "node/agent/disk_room.h"
#include "sched/cell/cell_node.h"
#include "sched/listing/job_lists.h"
#include "sched/listing/job_query.h"
#include "sched/listing/listing.h"
#include "sched/peer_view.h"

// The agent as handlers of requests see it: each call goes to the part that can answer, and nothing
// is decided here, because the tests of handlers have a fake in this place.
namespace dunlin::node {

namespace {

std::optional<DiskFigures> disk_figures(const AgentOptions& options) {
  const auto room = room_of(options.data_dir);
  if (!room) return std::nullopt;
  return DiskFigures{.size = room->size,
      .free = room->free,
      .needed = room_min_of(*room, free_min_of(options.disk_free_min))};
}

}  // namespace

AgentStatus LiveServices::status() const {
  AgentStatus status{.cluster = parts_.keyring->cluster(),
      .uptime = now() - parts_.started,
      .output_bytes = parts_.output->bytes(),
      .disk = disk_figures(parts_.configuration.agent),
      .damage = parts_.records->store().damage().lines(),
      .not_joined = parts_.not_joined,
      .address_notes = parts_.address_notes,
      .counters = parts_.metrics.snapshot(parts_.transport->counters())};
  status.counters["rows_damaged"] = parts_.records->store().damage().count();
  const sched::CellNode* cells = peer().cells();
  status.counters["grants_refused"] = cells == nullptr ? 0 : cells->member().refused();
  status.counters["cell_strangers"] = cells == nullptr ? 0 : cells->strangers();
  return status;
}

std::string LiveServices::remembered_name(overlay::PeerId node) const {
  // Ids come from other nodes and from users: without a bound each made-up one would stay.
  constexpr std::size_t kNamelessMax = 256;
  std::string name = parts_.records->store().names().find(node);
  if (name.empty() && node && parts_.nameless.size() < kNamelessMax) {
    parts_.nameless.try_emplace(node);
  }
  return name;
}

bool LiveServices::asks_names() const {
  static constexpr overlay::Duration kAnswerWait = std::chrono::milliseconds(250);
  return std::ranges::any_of(parts_.nameless, [this](const auto& each) {
    return each.second.times == 0 || now() - each.second.asked < kAnswerWait;
  });
}

void LiveServices::ask_for_facts() {
  parts_.peer->refresh_directory(parts_.host());
}

void LiveServices::ask_for_facts_of(overlay::PeerId node) {
  parts_.peer->refresh_directory(parts_.host(), node);
}

void LiveServices::send(const overlay::Endpoint& to, const sched::Message& message) {
  parts_.outbox.send(to, message);
}

void LiveServices::send(const overlay::Endpoint& to, const Message& message) {
  parts_.outbox.send(to, message);
}

std::uint64_t LiveServices::begin_list(const sched::JobQuery& query) {
  return parts_.peer->lists().begin(parts_.host(), query);
}

std::optional<sched::ClusterJobs> LiveServices::take_list(std::uint64_t number) {
  return parts_.peer->lists().take(number);
}

void LiveServices::drop_list(std::uint64_t number) {
  parts_.peer->lists().drop(number);
}

std::shared_ptr<ControlConnection> LiveServices::call(const overlay::Endpoint& to) {
  return parts_.transport->call(to);
}

OutputChunk LiveServices::read_output(const OutputRequest& request) {
  return parts_.output_service->read(request);
}

std::uint64_t LiveServices::ask_output(
    const overlay::Endpoint& node, const OutputRequest& request) {
  return parts_.output_service->ask(node, request);
}

std::optional<OutputChunk> LiveServices::take_output(std::uint64_t asked) {
  return parts_.output_service->take(asked);
}

void LiveServices::abandon_output(std::uint64_t asked) {
  parts_.output_service->abandon(asked);
}

}  // namespace dunlin::node
