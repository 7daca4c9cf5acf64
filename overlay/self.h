// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/address.h"
#include "overlay/message.h"
#include "overlay/wire_types.h"

namespace dunlin::overlay {

/// The capacity of a peer, and the part of it that is free: milli-CPU and MiB.
struct Capacity {
  std::uint32_t cpu_free = 0;  ///< 0 while the peer drains.
  std::uint32_t memory_free = 0;
  std::uint32_t cpu_total = 0;
  std::uint32_t memory_total = 0;
  std::uint16_t queued = 0;       ///< Reservations waiting, saturating.
  Signature signature{};          ///< The Bloom vector of its attributes.
  std::uint32_t rates_total = 0;  ///< Its rates of disk and network, as the message says.
  std::uint32_t rates_used = 0;   ///< The part of each that is taken, likewise.

  friend bool operator==(const Capacity&, const Capacity&) = default;
};

/// The statements of a peer about itself. Each has a number of its own, so that the fresher of two
/// wins wherever they meet.
class Self {
 public:
  Self(const Endpoint& where, std::uint32_t incarnation) {
    said_.id = where.id;
    said_.address = where.address;
    said_.incarnation = incarnation;
  }

  /// A fresh statement: age 0, the next number.
  Descriptor descriptor() {
    ++said_.sequence;
    return said_;
  }

  void publish(const Capacity& capacity) {
    said_.cpu_free = capacity.cpu_free;
    said_.memory_free = capacity.memory_free;
    said_.cpu_total = capacity.cpu_total;
    said_.memory_total = capacity.memory_total;
    said_.queued = capacity.queued;
    said_.signature = capacity.signature;
    said_.rates_total = capacity.rates_total;
    said_.rates_used = capacity.rates_used;
  }

  /// Statements from now on replace all that were made before.
  void raise(std::uint32_t incarnation) { said_.incarnation = incarnation; }

  PeerId id() const { return said_.id; }
  /// The next statement, but for its number.
  const Descriptor& latest() const { return said_; }

 private:
  Descriptor said_;
};

}  // namespace dunlin::overlay
