// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "overlay/overlay.h"

namespace dunlin::test {

/// Keeps what was sent.
class OverlayRecorder final : public overlay::Port<overlay::Message> {
 public:
  void send(const overlay::Endpoint& to, const overlay::Message& message) override {
    sent.emplace_back(to, message);
  }
  /// All messages of a kind, with their receivers.
  template <typename Kind>
  std::vector<std::pair<overlay::PeerId, Kind>> all() const {
    std::vector<std::pair<overlay::PeerId, Kind>> found;
    for (const auto& [to, message] : sent) {
      if (const auto* const kind = std::get_if<Kind>(&message)) found.emplace_back(to.id, *kind);
    }
    return found;
  }
  /// The only message of a kind, and its receiver.
  template <typename Kind>
  std::pair<overlay::PeerId, Kind> only() const {
    const auto found = all<Kind>();
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? std::pair<overlay::PeerId, Kind>{} : found.front();
  }
  std::vector<std::pair<overlay::Endpoint, overlay::Message>> sent;
};

/// Keeps what happened.
class EventLog final : public overlay::Observer {
 public:
  void on(const overlay::Event& event) override { events.push_back(event); }
  template <typename Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const auto& event : events) {
      if (const auto* const kind = std::get_if<Kind>(&event)) found.push_back(*kind);
    }
    return found;
  }
  std::size_t ignored(overlay::IgnoreReason reason) const {
    std::size_t count = 0;
    for (const auto& event : all<overlay::MessageIgnored>()) count += event.reason == reason;
    return count;
  }
  std::vector<overlay::Event> events;
};

inline overlay::Endpoint at(std::uint64_t id) {
  return {overlay::PeerId{id}, overlay::Address::v4(static_cast<std::uint32_t>(id), 7700)};
}

/// Peer `id` in its first life, as it spoke `age` ago.
inline overlay::Descriptor peer(
    std::uint64_t id, overlay::Duration age = {}, std::uint32_t sequence = 1) {
  overlay::Descriptor descriptor;
  descriptor.id = at(id).id;
  descriptor.address = at(id).address;
  descriptor.age = age;
  descriptor.incarnation = 1;
  descriptor.sequence = sequence;
  return descriptor;
}

/// A peer that has `free` of 100 milli-CPU and all of its memory free.
inline overlay::Descriptor with_free(std::uint64_t id, std::uint32_t free) {
  overlay::Descriptor descriptor = peer(id);
  descriptor.cpu_free = free;
  descriptor.cpu_total = 100;
  descriptor.memory_free = descriptor.memory_total = 1;
  return descriptor;
}

/// Somebody to talk to a protocol by hand: time stands still unless it is moved.
class OverlayFixture : public ::testing::Test {
 protected:
  overlay::GossipTurn turn() { return {.now = now, .rng = rng, .out = out, .events = events}; }
  /// A turn `later`, with nothing sent yet.
  overlay::GossipTurn after(overlay::Duration later) {
    now += later;
    out.sent.clear();
    return turn();
  }
  std::vector<overlay::Neighbour> known(std::initializer_list<overlay::Descriptor> peers) const {
    std::vector<overlay::Neighbour> all;
    for (const auto& descriptor : peers) all.push_back(overlay::heard(descriptor, now));
    return all;
  }

  overlay::Time now{std::chrono::hours(1)};
  overlay::Rng rng{1};
  OverlayRecorder out;
  EventLog events;
};

}  // namespace dunlin::test
