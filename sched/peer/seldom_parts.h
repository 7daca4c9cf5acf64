// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace dunlin::sched {

// Most of the program includes this header, by way of peer_parts.h.
class Listings;
class PeerLogs;
class Witness;
namespace federation {
class PeerMasters;
}  // namespace federation

/// The parts of a peer that few nodes ever need. Each is made when it first has something to do and
/// stays from then on. Until the first of them is made, all take the room of one pointer, because
/// many peers of a large simulation never make any.
class SeldomParts {
 public:
  SeldomParts();
  SeldomParts(SeldomParts&&) noexcept;
  SeldomParts& operator=(SeldomParts&&) noexcept;
  ~SeldomParts();

  // Nullptr until needed. Each wake-up of each peer asks for them all.
  Witness* witness() const { return made_ ? made_witness() : nullptr; }
  PeerLogs* logs() const { return made_ ? made_logs() : nullptr; }
  Listings* listings() const { return made_ ? made_listings() : nullptr; }
  federation::PeerMasters* masters() const { return made_ ? made_masters() : nullptr; }

  Witness& ensure_witness();
  PeerLogs& ensure_logs();
  Listings& ensure_listings();
  federation::PeerMasters& ensure_masters();

 private:
  struct Made;
  Witness* made_witness() const;
  PeerLogs* made_logs() const;
  Listings* made_listings() const;
  federation::PeerMasters* made_masters() const;
  Made& ensure();

  std::unique_ptr<Made> made_;
};

}  // namespace dunlin::sched
