// SPDX-License-Identifier: MIT
#include "node/control/overlay/round_trips.h"

#include <algorithm>
#include <variant>

#include "overlay/message.h"

// Shuffles, exchanges of the gradient and pings have numbers drawn by chance, which their answers
// carry: so the answer to each is known, and no other node can give it.
namespace dunlin::node {
namespace {

/// The part that a new number has of the smoothed one.
constexpr int kTripWeight = 8;

/// The number of the question, or of the answer to one; 0: it is neither.
template <typename... Kinds>
std::uint64_t exchange_in(const overlay::Message& message) {
  std::uint64_t number = 0;
  const auto look = [&]<typename Kind>(const Kind* of) {
    if (of != nullptr) number = of->request;
  };
  (look(std::get_if<Kinds>(&message)), ...);
  return number;
}

std::uint64_t question_in(const overlay::Message& message) {
  return exchange_in<overlay::ShuffleRequest, overlay::GradientRequest, overlay::Ping>(message);
}

std::uint64_t answer_in(const overlay::Message& message) {
  return exchange_in<overlay::ShuffleReply, overlay::GradientReply, overlay::Pong>(message);
}

}  // namespace

RoundTrips::Asked* RoundTrips::find(overlay::PeerId node, std::uint64_t request) {
  const auto found = std::ranges::find_if(
      asked_, [&](const Asked& each) { return each.node == node && each.request == request; });
  return found == asked_.end() ? nullptr : &*found;
}

void RoundTrips::on_sent(overlay::Time now, overlay::PeerId to, const overlay::Message& message) {
  const std::uint64_t request = question_in(message);
  if (request == 0 || !to) return;
  if (Asked* const before = find(to, request)) {
    before->again = true;
    return;
  }
  asked_[next_] = {.request = request, .node = to, .at = now};
  next_ = (next_ + 1) % kAskedMax;
}

void RoundTrips::on_received(
    overlay::Time now, overlay::PeerId from, const overlay::Message& message) {
  const std::uint64_t request = answer_in(message);
  if (request == 0 || !from) return;
  Asked* const asked = find(from, request);
  if (asked == nullptr) return;
  if (!asked->again && now >= asked->at) take(now, from, now - asked->at);
  *asked = {};
}

void RoundTrips::take(overlay::Time now, overlay::PeerId node, overlay::Duration trip) {
  const auto known = trips_.find(node);
  if (known != trips_.end()) {
    known->second.usual += (trip - known->second.usual) / kTripWeight;
    known->second.at = now;
    return;
  }
  if (trips_.size() == kTripsMax) {
    trips_.erase(
        std::ranges::min_element(trips_, {}, [](const auto& each) { return each.second.at; }));
  }
  trips_.emplace(node, Trip{.usual = trip, .at = now});
}

std::optional<RoundTrips::Trip> RoundTrips::of(overlay::PeerId node) const {
  const auto found = trips_.find(node);
  if (found == trips_.end()) return std::nullopt;
  return found->second;
}

}  // namespace dunlin::node
