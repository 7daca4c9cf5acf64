// SPDX-License-Identifier: MIT
#include "node/agent/inbox.h"

#include <string>
#include <variant>

#include "node/codec.h"
#include "node/control/agent_services.h"
#include "node/control/cells/cell_answer.h"
#include "node/loop/wakeup.h"
#include "overlay/codec.h"
#include "sched/cell/codec.h"
#include "sched/codec.h"

// Each datagram says to which layer it belongs; it is decoded within that layer's bounds and given
// to the part that knows it. A message that cannot be decoded is counted and not logged: a newer
// build may send such words all day long, and a stranger could fill the log.
namespace dunlin::node {
namespace {

/// Questions of other agents about cells that are answered.
/// An answer is larger and dearer than its question, so they are bounded.
constexpr std::uint32_t kQuestionsPerSecond = 200;

}  // namespace

void Inbox::receive(const overlay::Endpoint& from, Layer layer, std::span<const std::byte> bytes) {
  bool understood = false;
  switch (layer) {
    case Layer::overlay:
      understood = receive_overlay(from, bytes);
      break;
    case Layer::sched:
      understood = receive_sched(from, bytes);
      break;
    case Layer::cell:
      understood = receive_cell(from, bytes);
      break;
    case Layer::node:
      understood = receive_node(from, bytes);
      break;
    case Layer::link:
      understood = receive_by(on_link_, from, bytes);
      break;
    case Layer::reach:
      understood = receive_by(on_reach_, from, bytes);
      break;
  }
  // Not told in the log: a peer of a later version may send many.
  if (!understood) ++parts_.metrics.malformed;
}

bool Inbox::receive_overlay(const overlay::Endpoint& from, std::span<const std::byte> bytes) {
  const auto message = overlay::decode(bytes);
  if (!message) return false;
  // Before the peer acts on it: what that takes is no part of the way.
  parts_.round_trips.on_received(precise_now(), from.id, *message);
  parts_.peer->receive(parts_.host(), from, *message);
  return true;
}

bool Inbox::receive_sched(const overlay::Endpoint& from, std::span<const std::byte> bytes) {
  const auto message = sched::decode(bytes);
  if (!message) return false;
  // The agent asks other nodes to drain on behalf of clients; the peer knows nothing of that.
  if (const auto* reply = std::get_if<sched::DrainReply>(&*message)) {
    control_.on_drain_reply(from.id, *reply);
  } else {
    // With a number they answer a client's question as well. The peer gets them all the same: what
    // they say is true for it, too.
    const auto* home = std::get_if<sched::HomeIs>(&*message);
    if (home != nullptr && home->request != 0) control_.on_home_is(from.id, *home);
    const auto* end = std::get_if<sched::JobEnd>(&*message);
    if (end != nullptr && end->request != 0) control_.on_job_end(from, *end);
    parts_.peer->receive(parts_.host(), from, *message);
  }
  return true;
}

bool Inbox::receive_cell(const overlay::Endpoint& from, std::span<const std::byte> bytes) {
  const auto message = sched::cell::decode(bytes);
  if (!message) {
    ++parts_.metrics.cell_messages_malformed;
    return false;
  }
  ++parts_.metrics.cell_messages_received;
  parts_.peer->receive(parts_.host(), from, *message);
  return true;
}

bool Inbox::receive_node(const overlay::Endpoint& from, std::span<const std::byte> bytes) {
  const auto message = node::decode(bytes);
  if (!message) return false;
  std::visit([&](const auto& kind) { on_message(from, kind); }, *message);
  return true;
}

bool Inbox::receive_by(
    const OnLink& hears, const overlay::Endpoint& from, std::span<const std::byte> bytes) {
  const auto message = node::decode(bytes);
  return message && hears(from, *message);
}

void Inbox::on_message(const overlay::Endpoint& from, const CellQuestion& question) {
  if (!questions_.take(parts_.now(), kQuestionsPerSecond)) {
    ++parts_.metrics.cell_questions_dropped;
    return;
  }
  ++parts_.metrics.cell_questions;
  parts_.outbox.send(from,
      Message(answer_to(question, parts_.peer->cells(), parts_.peer->masters(),
          parts_.configuration.peer.sharing.cell, parts_.now(), &parts_.balances)));
}

void Inbox::on_message(const overlay::Endpoint& from, const CellAnswer& answer) {
  if (!control_.on_cell_answer(from.id, answer)) ++parts_.metrics.cell_answers_dropped;
}

void Inbox::on_message(const overlay::Endpoint& from, const WriteOff& asked) {
  const auto done = services_.write_off(asked.cell, asked.lost, asked.reissue);
  const std::string refusal = done ? std::string() : done.error().text;
  parts_.outbox.send(from,
      Message(WriteOffAnswer{
          .request = asked.request, .refusal = refusal.substr(0, WriteOffAnswer::kRefusalMax)}));
}

void Inbox::on_message(const overlay::Endpoint& from, const WriteOffAnswer& answer) {
  if (!control_.on_write_off_answer(from.id, answer)) ++parts_.metrics.cell_answers_dropped;
}

}  // namespace dunlin::node
