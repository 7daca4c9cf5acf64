// SPDX-License-Identifier: MIT
#include "sim/transport/context.h"

#include <ns3/event-impl.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <optional>
#include <span>
#include <utility>

#include "overlay/codec.h"
#include "overlay/ensure.h"
#include "sched/codec.h"
#include "sim/pool.h"

namespace dunlin::sim {
namespace {

std::optional<overlay::Message> decode(std::span<const std::byte> bytes, const overlay::Message*) {
  return overlay::decode(bytes);
}
std::optional<sched::Message> decode(std::span<const std::byte> bytes, const sched::Message*) {
  return sched::decode(bytes);
}

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
      const auto bytes = std::as_bytes(std::span(payload_));
      const auto message = decode(bytes, static_cast<const Message*>(nullptr));
      ensure(message.has_value(), "what a peer encoded does not decode");
      receiver_.receive(to_, from_, *message);
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
  if (from >= sent_.size()) sent_.resize(from + 1);
  const Duration delay = delay_(from, to, ++sent_[from]);
  ns3::EventImpl* event = nullptr;
  if (codec_) {
    std::string bytes;
    encode(message, bytes);
    traffic_.count(kind_of(message), bytes.size());
    event = new Delivery<Message, std::string>(receiver_, from, to, bytes);
  } else {
    traffic_.count(message);
    event = new Delivery<Message, Message>(receiver_, from, to, message);
  }
  const auto steps = static_cast<std::uint64_t>(delay.count());
  ns3::Simulator::ScheduleWithContext(to, ns3::TimeStep(steps), event);
}

void ContextTransport::send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) {
  carry(from, to, message);
}

void ContextTransport::send(std::uint32_t from, std::uint32_t to, const sched::Message& message) {
  carry(from, to, message);
}

}  // namespace dunlin::sim
