// SPDX-License-Identifier: MIT
#include "sim/engine/lent_ports.h"

#include <type_traits>

#include "sim/measure/message_kind.h"
#include "sim/transport/addresses.h"

namespace dunlin::sim {

void PeerCosts::add() {
  if (counts_sent) sent.push_back(0);
  if (counts_cells) cell_loads.emplace_back();
}

template <typename Message>
void SendPorts::Sender<Message>::send(const overlay::Endpoint& to, const Message& message) {
  PeerCosts& costs = ports_.costs_;
  const std::uint32_t from = ports_.members_.acting;
  if constexpr (std::is_same_v<Message, sched::cell::Message>) {
    if (costs.counts_cells) costs.cell_loads[from].count(message);
  }
  if (costs.counts_sent) ++costs.sent[from];
  ports_.recorder_.log().sent(kMessageWords[kind_of(message)]);
  // Peers know each other by addresses; a transport knows them by number.
  ports_.transport_.send(from, index_of(to, ports_.members_.size()), message);
}

template class SendPorts::Sender<overlay::Message>;
template class SendPorts::Sender<sched::Message>;
template class SendPorts::Sender<sched::cell::Message>;

void EventTap::on(const overlay::Event& event) {
  if (trace_ != nullptr) trace_->event(members_.now, members_.acting, event);
}

void EventTap::on(const sched::Event& event) {
  recorder_.on(members_.now, event);
  if (trace_ != nullptr) trace_->event(members_.now, members_.acting, event);
}

}  // namespace dunlin::sim
