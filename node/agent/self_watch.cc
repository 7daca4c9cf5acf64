// SPDX-License-Identifier: MIT
#include "node/agent/self_watch.h"

#include <algorithm>
#include <sodium.h>
#include <string>
#include <variant>

#include "node/codec.h"
#include "node/ids.h"
#include "node/wall_clock.h"
#include "overlay/param_entries.h"
#include "sched/peer_maintenance.h"

// An incarnation is on disk in two places before a peer hears of it: in the database, and beside
// the identity, because people move databases away. Peers drop what an earlier incarnation says, so
// a node that forgot its past would not be heard. It is told instead, and becomes a later one while
// its jobs and tasks go on.
namespace dunlin::node {
namespace {

using overlay::Level;

constexpr overlay::Duration kReminder = std::chrono::minutes(1);

}  // namespace

Result<std::uint32_t> next_incarnation(AgentParts& parts, std::uint32_t above) {
  SqliteStore& store = parts.records->quiet_store(parts.now());
  auto stored = store.incarnation();
  if (!stored) return stored;
  const std::uint32_t used = std::max({*stored, parts.marks->incarnation(), above});
  auto next = incarnation_after(used, unix_seconds());
  if (!next) return next;
  // In this order: a database that knows less than the marks is an older one.
  if (auto done = store.put_incarnation(*next); !done) return tl::unexpected(done.error());
  if (auto done = parts.marks->raise_incarnation(*next); !done) {
    return tl::unexpected(done.error());
  }
  return next;
}

SelfWatch::SelfWatch(AgentParts& parts, Troubles& troubles)
    : parts_(parts),
      troubles_(troubles),
      twins_(
          *this, parts.transport->self().address, {.at = parts.now(), .wall_ns = wall_clock_ns()}),
      wakeup_(parts.loop, [this] {
        twins_.wake(parts_.now());
        wakeup_.at(twins_.deadline());
      }) {
  twins_.set_incarnation(parts.peer->self().incarnation);
}

void SelfWatch::on_notice(const PeerNotice& notice) {
  const auto node = to_string(notice.from.id);
  const auto at = overlay::to_string(notice.from.address);
  if (notice.kind == PeerNotice::Kind::reinstated) {
    parts_.log.say(Level::warn, "peer_reinstated", {{"node", node}, {"address", at}});
    return;
  }
  if (notice.kind == PeerNotice::Kind::superseded && notice.first) {
    parts_.log.say(Level::warn, "peer_superseded",
        {{"node", node}, {"address", at}, {"known", std::to_string(notice.known.incarnation)},
            {"known_at", overlay::to_string(notice.known.address)}});
  }
  // Each time, while the log has it once: the answer may be lost, and until it arrives that node is
  // not heard.
  parts_.outbox.send(notice.from,
      Message(Elsewhere{.incarnation = notice.known.incarnation,
          .address = notice.known.address,
          .counter = notice.known.counter}));
}

bool SelfWatch::receive(const overlay::Endpoint& from, const Message& message) {
  const auto* known = std::get_if<Elsewhere>(&message);
  const auto* twin = std::get_if<Twin>(&message);
  const bool own = from.id == parts_.identity->id();
  if (known != nullptr && !own) {
    on_elsewhere(from.id, *known);
  } else if (twin != nullptr && own) {
    twins_.on_twin(parts_.now(), from.address, *twin);
  } else {
    return false;
  }
  wakeup_.at(twins_.deadline());
  return true;
}

void SelfWatch::on_elsewhere(overlay::PeerId from, const Elsewhere& known) {
  const overlay::Time now = parts_.now();
  const Twins::Own own{
      .unix_seconds = unix_seconds(), .counter = parts_.transport->datagrams_sealed()};
  if (twins_.on_elsewhere(now, own, from, known)) return;
  if (ahead_told_ && now - *ahead_told_ < kReminder) return;
  ahead_told_ = now;
  parts_.log.say(Level::error, "incarnation_ahead",
      {{"known", std::to_string(known.incarnation)}, {"told_by", to_string(from)},
          {"cure", "peers do not hear this node: set the clock of this machine"}});
}

void SelfWatch::send_to_twin(const overlay::Address& to, const Twin& message) {
  std::string bytes;
  node::encode(Message(message), bytes);
  parts_.transport->send_to_twin(to, bytes);
}

std::uint64_t SelfWatch::draw_nonce() {
  std::uint64_t nonce = 0;
  while (nonce == 0) randombytes_buf(&nonce, sizeof nonce);
  return nonce;
}

void SelfWatch::rise_above(std::uint32_t above, overlay::PeerId told_by) {
  const auto next = next_incarnation(parts_, above);
  if (!next) {
    parts_.log.say(Level::error, "incarnation_not_raised", {{"error", next.error().text}});
    return;
  }
  parts_.log.say(Level::warn, "incarnation_raised",
      {{"from", std::to_string(parts_.peer->self().incarnation)}, {"to", std::to_string(*next)},
          {"told_by", told_by ? to_string(told_by) : "a twin"}});
  // On disk by now. The transport first: what the peer says next must go out under the new number.
  parts_.transport->raise(*next);
  twins_.set_incarnation(*next);
  parts_.peer->maintenance().raise(parts_.host(), *next);
}

void SelfWatch::meet_twin(const overlay::Address& twin, bool younger) {
  const auto at = overlay::to_string(twin);
  const std::string cure =
      "give the copy an identity of its own: dunlin identity --new --data-dir ITS_DIRECTORY";
  parts_.log.say(Level::error, "identity_cloned",
      {{"twin", at}, {"stops", younger ? "this agent, which ran for less time" : "the twin"},
          {"cure", cure}});
  // The younger one stops, as a copy is started after its original. Both decide alike, without
  // asking anybody.
  if (younger) {
    is_copy_ = true;
    return;
  }
  troubles_.set(
      "identity", "an agent at " + at + " had this node's identity, and stopped; " + cure);
}

}  // namespace dunlin::node
