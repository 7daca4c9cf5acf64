// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <regex>
#include <string_view>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_text.h"

// The folders inside a layer. Each has one subject, and knows only those that the table names.
namespace dunlin::tidy {
namespace {

/// The most headers and sources together in one folder: a room has one subject.
constexpr std::size_t kSourcesMax = 48;

struct Room {
  std::string_view folder;
  /// The folders and files that its files may include besides files of the room itself.
  /// check_layers() judges other layers.
  std::vector<std::string_view> may_see;
};

/// The vocabulary of a layer: files at its top that every room of it may include.
struct Layer {
  std::string_view folder;
  std::vector<std::string_view> not_for_rooms;  ///< At its top, too, but they know the rooms.
};

const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"sched/", {"sched/peer", "sched/invariants"}},
      {"node/", {"node/dev", "node/log.h", "node/config.h", "node/metrics.h"}},
      {"sim/", {}},
      {"web/", {}},
      {"tools/dunlin/",
          {"tools/dunlin/agent_program.h", "tools/dunlin/app.h", "tools/dunlin/command_line.h",
              "tools/dunlin/examples.h", "tools/dunlin/globals.h", "tools/dunlin/grammar",
              "tools/dunlin/help.h", "tools/dunlin/program.h"}},
  };
  return table;
}

std::vector<Room> sched_rooms() {
  return {
      {"sched/raft/", {}},
      {"sched/ledger/", {"sched/raft/", "sched/replica/entry.h"}},
      {"sched/attributes/", {}},
      {"sched/directory/", {"sched/packing/rate_bits.h"}},
      {"sched/inputs/", {}},
      {"sched/usage/", {"sched/ledger/class_name.h"}},
      {"sched/replica/", {"sched/frontend/stages/stage_names.h", "sched/inputs/", "sched/usage/"}},
      {"sched/sharing/", {"sched/ledger/"}},
      {"sched/plan/policy/",
          {"sched/plan/params.h", "sched/plan/division.h", "sched/sharing/apportion.h"}},
      {"sched/plan/", {"sched/plan/policy/"}},
      {"sched/federation/", {"sched/ledger/books_types.h"}},
      {"sched/federation/local/",
          {"sched/federation/", "sched/worker/discipline/", "sched/worker/params.h",
              "sched/worker/queued_reservation.h", "sched/worker/share/", "sched/ledger/"}},
      {"sched/federation/global/",
          {"sched/federation/", "sched/cell/cell_walk.h", "sched/listing/told_cells.h"}},
      {"sched/federation/peer/",
          {"sched/federation/", "sched/peer_parts.h", "sched/peer_params.h", "sched/frontend/",
              "sched/worker/", "sched/cell/", "sched/listing/told_cells.h"}},
      {"sched/cell/manager/",
          {"sched/cell/params.h", "sched/cell/sharing_params.h", "sched/cell/cell_turn.h",
              "sched/cell/cell_hints.h", "sched/cell/cell_member.h", "sched/cell/plan_rule.h",
              "sched/sharing/", "sched/ledger/", "sched/raft/", "sched/plan/"}},
      {"sched/cell/",
          {"sched/cell/manager/", "sched/sharing/", "sched/ledger/", "sched/raft/", "sched/plan/"}},
      {"sched/worker/share/", {"sched/ledger/"}},
      {"sched/packing/", {}},
      {"sched/worker/walk/", {"sched/worker/loans/"}},
      {"sched/worker/yield/", {}},
      {"sched/worker/tracker/", {"sched/worker/"}},
      {"sched/worker/discipline/",
          {"sched/packing/", "sched/worker/params.h", "sched/worker/queued_reservation.h"}},
      {"sched/worker/packing/", {"sched/packing/", "sched/worker/"}},
      {"sched/worker/",
          {"sched/packing/", "sched/worker/packing/", "sched/worker/discipline/",
              "sched/worker/share/", "sched/worker/tracker/", "sched/worker/walk/",
              "sched/worker/yield/", "sched/worker/loans/", "sched/inputs/", "sched/ledger/",
              "sched/plan/message.h", "sched/plan/node_speed.h", "sched/plan/slot_width.h"}},
      {"sched/worker/loans/", {"sched/inputs/", "sched/worker/"}},
      {"sched/peer/",
          {"sched/peer", "sched/directory/", "sched/federation/peer/", "sched/frontend/",
              "sched/worker/", "sched/listing/", "sched/logs/"}},
      {"sched/logs/",
          {"sched/peer_", "sched/directory/", "sched/frontend/", "sched/replica/", "sched/cell/",
              "sched/ledger/", "sched/usage/"}},
      {"sched/listing/",
          {"sched/peer_parts.h", "sched/frontend/", "sched/logs/", "sched/cell/", "sched/ledger/",
              "sched/raft/"}},
  };
}

std::vector<Room> frontend_rooms() {
  return {
      {"sched/frontend/stages/", {}},
      {"sched/frontend/after/", {"sched/frontend/job_state.h", "sched/frontend/job_table.h"}},
      {"sched/frontend/keys/", {}},
      {"sched/frontend/history/", {}},
      {"sched/frontend/table/",
          {"sched/frontend/after/", "sched/frontend/history/", "sched/frontend/job_needs.h",
              "sched/frontend/job_state.h", "sched/frontend/job_table.h", "sched/frontend/params.h",
              "sched/frontend/user_holdings.h"}},
      {"sched/frontend/tasks/", {}},
      {"sched/frontend/workers/", {"sched/frontend/job_state.h", "sched/frontend/job_view.h"}},
      {"sched/frontend/estimates/",
          {"sched/frontend/job_state.h", "sched/frontend/params.h", "sched/packing/rate_bits.h"}},
      {"sched/frontend/inputs/",
          {"sched/inputs/", "sched/frontend/job_state.h", "sched/frontend/placement/"}},
      {"sched/frontend/plan/",
          {"sched/frontend/job_table.h", "sched/plan/message.h", "sched/plan/slot_width.h"}},
      {"sched/frontend/packing/",
          {"sched/packing/", "sched/inputs/input_rates.h", "sched/frontend/job_state.h",
              "sched/frontend/job_length.h"}},
      {"sched/frontend/placement/",
          {"sched/frontend/params.h", "sched/frontend/probe.h", "sched/packing/"}},
      {"sched/frontend/launch/",
          {"sched/frontend/", "sched/federation/global/", "sched/federation/message_fwd.h",
              "sched/federation/params.h", "sched/ledger/", "sched/worker/share/class_balance.h",
              "sched/worker/discipline/", "sched/worker/params.h",
              "sched/worker/queued_reservation.h"}},
      {"sched/frontend/",
          {"sched/frontend/after/", "sched/frontend/packing/", "sched/frontend/placement/",
              "sched/frontend/launch/", "sched/frontend/stages/", "sched/frontend/keys/",
              "sched/frontend/history/", "sched/frontend/table/", "sched/frontend/tasks/",
              "sched/frontend/workers/", "sched/frontend/estimates/", "sched/frontend/inputs/",
              "sched/inputs/", "sched/ledger/", "sched/plan/slot_width.h", "sched/directory/",
              "sched/federation/global/launches.h", "sched/federation/message_fwd.h",
              "sched/federation/params.h", "sched/usage/"}},
  };
}

std::vector<Room> driver_rooms() {
  return {
      {"node/client/", {}},
      {"node/loop/", {}},
      {"node/access/", {}},
      {"node/events/", {}},
      {"node/identity/", {}},
      {"node/reach/", {}},
      {"node/net/", {"node/loop/", "node/identity/", "node/reach/"}},
      {"node/store/", {"node/store/keys/"}},
      {"node/store/keys/", {"node/store/"}},
      {"node/kernel/", {}},
      {"node/warden/", {"node/kernel/"}},
      {"node/task/",
          {"node/loop/", "node/kernel/", "node/warden/frames.h", "node/warden/protocol.h",
              "node/warden/input_protocol.h", "node/warden/start_script.h"}},
      {"node/control/",
          {"node/loop/", "node/kernel/", "node/access/", "node/events/", "node/identity/",
              "node/net/", "node/reach/", "node/task/", "node/store/results.h"}},
      {"node/agent/live/",
          {"node/agent/agent_parts.h", "node/agent/disk_room.h", "node/agent/shutdown.h",
              "node/control/", "node/task/"}},
      {"node/agent/output/", {"node/agent/agent_parts.h", "node/task/"}},
      {"node/agent/reach/",
          {"node/agent/agent_parts.h", "node/agent/contacts.h", "node/agent/troubles.h",
              "node/identity/", "node/net/", "node/reach/"}},
      {"node/agent/tracking/",
          {"node/agent/agent_parts.h", "node/kernel/", "node/loop/", "node/store/results.h",
              "node/task/", "node/machine.h"}},
      {"node/agent/",
          {"node/agent/live/", "node/agent/output/", "node/agent/tracking/", "node/agent/reach/",
              "node/reach/", "node/access/", "node/loop/", "node/kernel/", "node/events/",
              "node/identity/", "node/net/", "node/store/", "node/task/", "node/control/",
              "node/log.h", "node/metrics.h"}},
      {"sim/scenario/", {}},
      {"sim/workload/", {"sim/scenario/"}},
      {"sim/machine/", {"sim/scenario/", "sim/measure/resource_meter.h"}},
      {"sim/measure/", {"sim/scenario/", "sim/workload/job_facts.h", "sim/machine/usage.h"}},
      {"sim/transport/", {"sim/scenario/", "sim/measure/traffic.h"}},
      {"sim/baseline/",
          {"sim/scenario/", "sim/workload/", "sim/machine/", "sim/measure/",
              "sim/transport/latency.h"}},
      {"sim/baseline/packing/",
          {"sim/scenario/", "sim/workload/", "sim/machine/", "sim/measure/",
              "sim/transport/latency.h", "sim/baseline/baseline.h", "sim/baseline/placed.h"}},
      {"sim/engine/",
          {"sim/scenario/", "sim/workload/", "sim/machine/", "sim/measure/", "sim/transport/",
              "sim/baseline/"}},
      {"sim/report/", {"sim/engine/simulation.h", "sim/measure/"}},
      {"sim/study/", {"sim/scenario/", "sim/measure/", "sim/report/"}},
      {"sim/command/",
          {"sim/scenario/", "sim/measure/", "sim/engine/", "sim/report/", "sim/study/"}},
  };
}

std::vector<Room> web_rooms() {
  return {
      {"web/http/", {}},
      {"web/access/", {"web/http/"}},
      {"web/agent/", {"web/http/response.h", "web/http/request.h"}},
      {"web/stream/", {"web/agent/", "web/http/", "web/access/secret_text.h"}},
      {"web/metrics/", {}},
      {"web/gateway/", {"web/access/", "web/agent/", "web/http/", "web/metrics/", "web/stream/"}},
  };
}

std::vector<Room> command_rooms() {
  return {
      {"tools/dunlin/screen/", {}},
      {"tools/dunlin/connection/", {"tools/dunlin/launch/forward.h"}},
      {"tools/dunlin/launch/", {"tools/dunlin/screen/"}},
      {"tools/dunlin/words/", {}},
      {"tools/dunlin/jobs/",
          {"tools/dunlin/connection/", "tools/dunlin/screen/", "tools/dunlin/words/",
              "tools/dunlin/globals.h"}},
      {"tools/dunlin/disk/", {}},
      {"tools/dunlin/manual/", {"tools/dunlin/jobs/"}},
      {"tools/dunlin/commands/",
          {"tools/dunlin/connection/", "tools/dunlin/screen/", "tools/dunlin/jobs/",
              "tools/dunlin/disk/", "tools/dunlin/launch/", "tools/dunlin/globals.h"}},
  };
}

const std::vector<Room>& rooms() {
  static const std::vector<Room> table = [] {
    std::vector<Room> all = sched_rooms();
    std::ranges::move(frontend_rooms(), std::back_inserter(all));
    std::ranges::move(driver_rooms(), std::back_inserter(all));
    std::ranges::move(web_rooms(), std::back_inserter(all));
    std::ranges::move(command_rooms(), std::back_inserter(all));
    return all;
  }();
  return table;
}

/// The innermost room that `path` is in; nullptr at the top of a layer.
const Room* room_of(std::string_view path) {
  const Room* found = nullptr;
  for (const Room& room : rooms()) {
    const bool inner = found == nullptr || room.folder.size() > found->folder.size();
    if (path.starts_with(room.folder) && inner) found = &room;
  }
  return found;
}

bool starts_with_any(std::string_view name, const std::vector<std::string_view>& prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

bool may_include(const Room& room, std::string_view target) {
  const auto layer = std::ranges::find_if(
      layers(), [&](const Layer& each) { return room.folder.starts_with(each.folder); });
  if (!target.starts_with(layer->folder)) return true;
  if (starts_with_any(target, room.may_see)) return true;
  if (const Room* other = room_of(target); other != nullptr) return other == &room;
  const bool at_top = target.find('/', layer->folder.size()) == std::string_view::npos;
  return at_top && !starts_with_any(target, layer->not_for_rooms);
}

bool is_source(const File& file) {
  return file.path.ends_with(".h") || file.path.ends_with(".cc");
}

void check_arrows(const File& file, const Room& room, std::vector<Finding>& findings) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  const std::string code = code_of(file.text);
  std::size_t number = 0;
  for (const auto view : lines_of(code)) {
    ++number;
    if (view.find("include") == view.npos) continue;  // A regex is slow, and lines are many.
    const std::string line(view);
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    if (may_include(room, match[1].str())) continue;
    findings.push_back({file.path, number, "rooms",
        match[1].str() + ": " + std::string(room.folder) +
            " may not know it: the table in tests/tidy/room_rules.cc has the arrows"});
  }
}

}  // namespace

std::vector<Finding> check_rooms(const std::vector<File>& files) {
  std::vector<Finding> findings;
  std::map<std::string, std::size_t> sources;
  for (const File& file : files) {
    if (!is_source(file)) continue;
    ++sources[file.path.substr(0, file.path.rfind('/') + 1)];
    if (const Room* room = room_of(file.path)) check_arrows(file, *room, findings);
  }
  for (const auto& [folder, count] : sources) {
    if (count <= kSourcesMax) continue;
    findings.push_back({folder, 0, "rooms",
        std::to_string(count) + " headers and sources: give each subject a folder"});
  }
  return findings;
}

}  // namespace dunlin::tidy
