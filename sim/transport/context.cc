// SPDX-License-Identifier: MIT
#include "sim/transport/context.h"

#include <ns3/event-impl.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <span>
#include <utility>

#include "sim/clock.h"
#include "sim/transport/bytes.h"
#include "sim/transport/pool.h"

namespace dunlin::sim {
namespace {

/// A message under way. It is an event itself, because ns-3's event templates would copy it once
/// more.
template <typename Message, typename Payload>
class Delivery final : public ns3::EventImpl, public Pooled<Delivery<Message, Payload>> {
 public:
  /// `landing` bytes must land at the receiver's link; 0 if that is done or needless.
  Delivery(Receiver& receiver,
      Medium& medium,
      std::uint32_t from,
      std::uint32_t to,
      std::uint32_t landing,
      const Payload& payload)
      : receiver_(receiver),
        medium_(medium),
        from_(from),
        to_(to),
        landing_(landing),
        payload_(payload) {}

 private:
  void Notify() override {
    if (landing_ > 0 && waits()) return;
    if constexpr (std::is_same_v<Message, Payload>) {
      receiver_.receive(to_, from_, payload_);
    } else {
      receiver_.receive(to_, from_, decoded<Message>(std::as_bytes(std::span(payload_))));
    }
  }
  /// True if this is not the time of delivery: the message comes later, or never.
  bool waits() {
    const Passage landing = medium_.land(now(), to_, landing_);
    landing_ = 0;
    if (landing.lost || landing.delay == Duration{0}) return landing.lost;
    this->Ref();  // The queue lets go of it when it has fired again.
    ns3::Simulator::ScheduleWithContext(to_, to_ns3(landing.delay), this);
    return true;
  }

  Receiver& receiver_;
  Medium& medium_;
  std::uint32_t from_;
  std::uint32_t to_;
  std::uint32_t landing_;
  Payload payload_;
};

}  // namespace

template <typename Message>
void ContextTransport::carry(std::uint32_t from, std::uint32_t to, const Message& message) {
  // Sizes are needed if links have rates; else encoding would cost more than all the rest.
  if (codec_ || medium_.weighs()) {
    scratch_.clear();
    encode(message, scratch_);
    traffic_.count(kind_of(message), scratch_.size());
  } else {
    traffic_.count(message);
  }
  const Passage passage = medium_.pass(now(), from, to, scratch_.size());
  if (passage.lost) return;
  // A message to itself crosses no link.
  const bool lands = medium_.lands() && from != to;
  const auto landing = lands ? static_cast<std::uint32_t>(scratch_.size()) : 0;
  ns3::EventImpl* event = nullptr;
  if (codec_) {
    event = new Delivery<Message, std::string>(receiver_, medium_, from, to, landing, scratch_);
  } else {
    event = new Delivery<Message, Message>(receiver_, medium_, from, to, landing, message);
  }
  ns3::Simulator::ScheduleWithContext(to, to_ns3(passage.delay), event);
}

void ContextTransport::send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) {
  carry(from, to, message);
}

void ContextTransport::send(std::uint32_t from, std::uint32_t to, const sched::Message& message) {
  carry(from, to, message);
}

void ContextTransport::send(
    std::uint32_t from, std::uint32_t to, const sched::cell::Message& message) {
  carry(from, to, message);
}

}  // namespace dunlin::sim
