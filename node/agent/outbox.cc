// SPDX-License-Identifier: MIT
#include "node/agent/outbox.h"

#include <utility>

#include "node/codec.h"
#include "node/loop/wakeup.h"
#include "overlay/codec.h"
#include "sched/cell/codec.h"
#include "sched/codec.h"
#include "sched/promises.h"

// The order of effects: a message that rests on a record leaves when the record is on disk, all
// others with the next turn. Messages wait by the mark of what they rest on, those of jobs and
// those of books apart, so that neither waits for the other's commit. They are encoded when they
// are said, so what is said later cannot change them.
namespace dunlin::node {
namespace {

void hand_over(Outgoing& messages, Transport& transport) {
  messages.release([&transport](const overlay::Endpoint& to, Layer layer, std::string_view bytes) {
    transport.send(to, layer, bytes);
  });
}

Layer layer_of(const Message& message) {
  if (std::holds_alternative<Elsewhere>(message)) return Layer::link;
  const bool about_addresses = std::holds_alternative<Whereabouts>(message) ||
      std::holds_alternative<NodeSought>(message) || std::holds_alternative<NodeFound>(message);
  return about_addresses ? Layer::reach : Layer::node;
}

}  // namespace

void Outbox::send(const overlay::Endpoint& to, const overlay::Message& message) {
  trips_.on_sent(precise_now(), to.id, message);
  free_.add(to, Layer::overlay, [&](std::string& out) { overlay::encode(message, out); });
}

void Outbox::send(const overlay::Endpoint& to, const sched::Message& message) {
  Outgoing& out = sched::rests_on_record(message) ? jobs_ : free_;
  out.add(to, Layer::sched, [&](std::string& bytes) { sched::encode(message, bytes); });
}

void Outbox::send(const overlay::Endpoint& to, const sched::cell::Message& message) {
  ++metrics_.cell_messages_sent;
  // What a replica of a log asks of the books rests on the log, and on no books.
  Outgoing& messages = sched::rests_on_record(message) ? jobs_ : books_;
  messages.add(to, Layer::cell, [&](std::string& out) { sched::cell::encode(message, out); });
}

void Outbox::send(const overlay::Endpoint& to, const Message& message) {
  free_.add(to, layer_of(message), [&](std::string& out) { node::encode(message, out); });
}

void Outbox::mark(Mark jobs, Mark books) {
  wait(jobs, jobs_);
  wait(books, books_);
}

void Outbox::wait(Mark mark, Outgoing& messages) {
  if (messages.empty()) return;
  std::size_t bytes = messages.bytes();
  for (const auto& [earlier, waiting] : waiting_) bytes += waiting.bytes();
  // A disk that hangs must not fill memory. What is dropped here looks to others like a loss, which
  // all protocols here bear.
  if (bytes > kWaitingMax) {
    metrics_.messages_held_back += messages.size();
  } else if (Outgoing& waiting = waiting_[mark]; waiting.empty()) {
    // The buffers change hands: most marks have one batch.
    std::swap(waiting, messages);
  } else {
    waiting.append(messages);
  }
  messages.clear();
}

void Outbox::release(Transport& transport, Mark durable) {
  while (!waiting_.empty() && waiting_.begin()->first <= durable) {
    hand_over(waiting_.begin()->second, transport);
    waiting_.erase(waiting_.begin());
  }
  // After those that waited, which are older.
  hand_over(free_, transport);
}

void Outbox::drop_waiting() {
  for (const auto& [mark, waiting] : waiting_) metrics_.messages_held_back += waiting.size();
  waiting_.clear();
}

}  // namespace dunlin::node
