// SPDX-License-Identifier: MIT
#include "sim/transport/context.h"

#include <ns3/event-impl.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <span>
#include <utility>

#include "sim/clock.h"
#include "sim/pool.h"
#include "sim/transport/bytes.h"

namespace dunlin::sim {
namespace {

/// A message under way. ns-3's own event templates would copy it once more.
template <typename Message, typename Payload>
class Delivery final : public ns3::EventImpl, public Pooled<Delivery<Message, Payload>> {
 public:
  Delivery(Receiver& receiver, std::uint32_t from, std::uint32_t to, const Payload& payload)
      : receiver_(receiver),
        from_(from),
        to_(to),
        payload_(payload) {}

 private:
  void Notify() override {
    if constexpr (std::is_same_v<Message, Payload>) {
      receiver_.receive(to_, from_, payload_);
    } else {
      receiver_.receive(to_, from_, decoded<Message>(std::as_bytes(std::span(payload_))));
    }
  }

  Receiver& receiver_;
  std::uint32_t from_;
  std::uint32_t to_;
  Payload payload_;
};

}  // namespace

template <typename Message>
void ContextTransport::carry(std::uint32_t from, std::uint32_t to, const Message& message) {
  if (codec_ || medium_.weighs()) {
    scratch_.clear();
    encode(message, scratch_);
    traffic_.count(kind_of(message), scratch_.size());
  } else {
    traffic_.count(message);
  }
  const Passage passage = medium_.pass(now(), from, to, scratch_.size());
  if (passage.lost) return;
  ns3::EventImpl* event = nullptr;
  if (codec_) {
    event = new Delivery<Message, std::string>(receiver_, from, to, scratch_);
  } else {
    event = new Delivery<Message, Message>(receiver_, from, to, message);
  }
  ns3::Simulator::ScheduleWithContext(to, to_ns3(passage.delay), event);
}

void ContextTransport::send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) {
  carry(from, to, message);
}

void ContextTransport::send(std::uint32_t from, std::uint32_t to, const sched::Message& message) {
  carry(from, to, message);
}

}  // namespace dunlin::sim
