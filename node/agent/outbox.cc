// SPDX-License-Identifier: MIT
#include "node/agent/outbox.h"

#include <variant>

#include "node/codec.h"
#include "overlay/codec.h"
#include "sched/cell/codec.h"
#include "sched/codec.h"

namespace dunlin::node {
namespace {

void hand_over(Outgoing& messages, Transport& transport) {
  messages.release([&transport](const overlay::Endpoint& to, Layer layer, std::string_view bytes) {
    transport.send(to, layer, bytes);
  });
}

}  // namespace

void Outbox::send(const overlay::Endpoint& to, const overlay::Message& message) {
  free_.add(to, Layer::overlay, [&](std::string& out) { overlay::encode(message, out); });
}

void Outbox::send(const overlay::Endpoint& to, const sched::Message& message) {
  // A reservation names no task: a worker that asks for one gets nothing if the job was lost with
  // its record.
  Outgoing& out = std::holds_alternative<sched::Reserve>(message) ? free_ : held_;
  out.add(to, Layer::sched, [&](std::string& bytes) { sched::encode(message, bytes); });
}

void Outbox::send(const overlay::Endpoint& to, const sched::cell::Message& message) {
  ++metrics_.cell_messages_sent;
  held_.add(to, Layer::cell, [&](std::string& out) { sched::cell::encode(message, out); });
}

void Outbox::send(const overlay::Endpoint& to, const Message& message) {
  const Layer layer = std::holds_alternative<Elsewhere>(message) ? Layer::link : Layer::node;
  free_.add(to, layer, [&](std::string& out) { node::encode(message, out); });
}

void Outbox::release_free(Transport& transport) {
  if (free_.empty()) return;
  hand_over(free_, transport);
  transport.flush();
}

void Outbox::release(Transport& transport, bool durable) {
  if (durable) {
    hand_over(held_, transport);
  } else {
    metrics_.messages_held_back += held_.size();
    held_.clear();
  }
  hand_over(free_, transport);
}

}  // namespace dunlin::node
