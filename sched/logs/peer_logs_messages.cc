// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/frontend/binder.h"
#include "sched/frontend/frontend.h"
#include "sched/ledger/log_commands.h"
#include "sched/logs/log_part.h"
#include "sched/logs/log_wire.h"
#include "sched/logs/part_view.h"
#include "sched/logs/peer_logs.h"
#include "sched/overloaded.h"
#include "sched/peer_parts.h"

// What other nodes say to logs. A replica that does not drive a log answers with which node does,
// and never with an acknowledgement.
namespace dunlin::sched {

namespace {

/// Standbys that are there are in sync sooner.
constexpr Duration kStandbysSoon = std::chrono::seconds(2);

/// What the books that this node keeps say of a log. They may be old: whoever asks here learns
/// which node to ask.
std::optional<Message> home_by_books(const PeerParts& parts, const FindHome& asked) {
  if (!parts.cells) return std::nullopt;
  for (const auto& hosted : parts.cells->hosted()) {
    const auto* const log = books::find_log(hosted->books().roster().logs, asked.log);
    if (log == nullptr || log->moved_to) continue;
    const replica::LogFacts facts{
        .log = log->log, .origin = log->origin, .cell = hosted->cell(), .contacts = {}};
    return logs::to_wire(facts, books::entry_of(*log), asked.request);
  }
  return std::nullopt;
}

}  // namespace

template <typename Word>
bool PeerLogs::pass(
    const PeerParts& parts, const Host& host, const Endpoint& from, const Word& word) {
  logs::LogPart* part = nullptr;
  if constexpr (requires { word.log; }) {
    if (word.log == 0) return false;
    part = parts_.find(word.log);
    // A replica that does not drive the log never acknowledges and never kills, nor does a node
    // that lost its disk, and with it all that it knew of the log.
    if (part == nullptr) return !std::is_same_v<Word, GetTask>;
    if (part->frontend() == nullptr) {
      host.out.send(from, home_is(*part));
      return true;
    }
  } else {
    part = parts_.find(word.job);
    if (part == nullptr) return false;
  }
  // Workers say it again, to the next home.
  if (part->is_handing_over()) return true;
  // It asks again, or asks another frontend. Where standbys do not come, the slots that it holds
  // meanwhile are for others.
  if constexpr (std::is_same_v<Word, GetTask>) {
    if (waits_for_standbys(*part, logs::site_of(parts), host.now, word.job)) {
      const Time since = part->frontend()->find(word.job)->accepted();
      if (host.now - since > kStandbysSoon) host.out.send(from, nothing_for(word));
      return true;
    }
  }
  // The worker must know which nodes to ask should this home die, for as long as the task runs.
  if constexpr (std::is_same_v<Word, Renew>) {
    if (word.version < part->copy().entry().version) host.out.send(from, home_is(*part));
  }
  part->drive(parts, host, [&](Frontend& frontend, Turn& turn) {
    frontend.on_message(turn, parts.around(host.now), from, word);
  });
  return true;
}

void PeerLogs::receive_append(
    const PeerParts& parts, const Host& host, const Endpoint& from, const LogAppend& append) {
  logs::LogPart* part = parts_.find(append.log);
  if (part == nullptr) {
    if (append.log == 0 || parts.replica() == 0) return;
    if (parts.spec->disk_fails || parts_.copies(parts.endpoint().id) >= kCopiesMax) {
      return host.out.send(from,
          LogAppended{.log = append.log,
              .epoch = append.epoch,
              .life = append.life,
              .replica = parts.replica(),
              .position = 0,
              .trouble = true});
    }
    replica::LogFacts facts{.log = append.log, .origin = append.origin, .cell = {}, .contacts = {}};
    logs::adopt(append.books, facts);
    host.logs.put_log(facts);
    part = &parts_.add(std::make_unique<logs::LogPart>(
        parts, host, replica::StoredLog{.facts = facts, .office = {}, .entry = {}, .log = {}}));
    next_ = host.now;
  }
  part->learn_books(host, append.books);
  part->receive(parts, host, from, logs::from_wire(append));
}

bool PeerLogs::answer(
    const PeerParts& parts, const Host& host, const Endpoint& from, const EndRequest& asked) {
  // A job without replicas is of no log. Its origin may have lost it with its disk, and be a
  // standby of the log of its other jobs: it says so as a frontend.
  if (asked.plain) return false;
  const bool own = parts.frontend && asked.job.home == parts.endpoint().id &&
      parts.frontend->jobs().contains(asked.job.number);
  // Nor is one of a number that was never given.
  const bool never = parts.frontend && asked.job.home == parts.endpoint().id && knows_numbers() &&
      asked.job.number > parts.frontend->table().last();
  const logs::LogPart* const found = own || never ? nullptr : parts_.find_for(asked.job);
  if (found == nullptr) return false;
  logs::LogPart& part = *parts_.find(found->facts().log);
  if (part.frontend() != nullptr) {
    part.drive(parts, host, [&](Frontend& frontend, Turn& turn) {
      frontend.on_message(turn, parts.around(host.now), from, asked);
    });
    return true;
  }
  JobEnd told{
      .request = asked.request, .job = asked.job, .standing = JobStanding::elsewhere, .home = {}};
  const replica::Member& home = part.copy().entry().home;
  if (home.node.id) told.home.push_back(logs::to_wire(home));
  host.out.send(from, told);
  return true;
}

std::optional<Message> PeerLogs::home_by_copy(Time now, const FindHome& asked) const {
  const auto found = asked.log != 0
      ? std::optional(logs::LogParts::Held{parts_.find(asked.log), CopyStanding::untold})
      : parts_.held(now, asked.job);
  if (!found || found->part == nullptr) return std::nullopt;
  Message told = logs::home_is(*found->part, asked.request);
  auto& is = std::get<HomeIs>(told);
  const std::optional<OrphanCause> cause = found->part->orphaned(now);
  // A copy without the job cannot go on with it.
  is.orphan = cause.has_value() && found->standing != CopyStanding::lacks;
  is.cause = cause.value_or(OrphanCause{});
  is.copy = found->standing;
  return told;
}

bool PeerLogs::receive(
    const PeerParts& parts, const Host& host, const Endpoint& from, const Message& message) {
  const auto to_copy = [&](const auto& m) {
    if (logs::LogPart* const part = parts_.find(m.log))
      part->receive(parts, host, from, logs::from_wire(m));
    return true;
  };
  return std::visit(Overloaded{
                        [&](const LogAppend& m) {
                          receive_append(parts, host, from, m);
                          return true;
                        },
                        [&](const LogAppended& m) { return to_copy(m); },
                        [&](const LogBehind& m) { return to_copy(m); },
                        [&](const HomeIs& m) {
                          logs::LogPart* const part = parts_.find(m.log);
                          const bool sound =
                              std::ranges::count(m.set, m.home, &LogReplica::replica) == 1;
                          if (part == nullptr || !sound) return false;
                          part->learn_books(host, m.books);
                          part->receive(parts, host, from, logs::from_wire(m));
                          return false;  // The worker may have tasks of it, too.
                        },
                        [&](const FindHome& m) {
                          std::optional<Message> told = home_by_copy(host.now, m);
                          if (!told && m.log != 0) told = home_by_books(parts, m);
                          if (told) host.out.send(from, *told);
                          return true;
                        },
                        [&](const EndRequest& m) { return answer(parts, host, from, m); },
                        [&](const GetTask& m) { return pass(parts, host, from, m); },
                        [&](const Queued& m) { return pass(parts, host, from, m); },
                        [&](const Bounced& m) { return pass(parts, host, from, m); },
                        [&](const Refused& m) { return pass(parts, host, from, m); },
                        [&](const Done& m) { return pass(parts, host, from, m); },
                        [&](const Renew& m) { return pass(parts, host, from, m); },
                        [](const auto&) { return false; },
                    },
      message);
}

}  // namespace dunlin::sched
