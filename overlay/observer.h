// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "overlay/ids.h"
#include "overlay/time.h"

// What happens in the overlay, as values: rendered to logs and counted by the agent, written as
// columns by the simulation, compared by tests. Each event names itself, its level and its fields.
namespace dunlin::overlay {

/// `error`: a human must act. `warn`: healed itself, worth knowing. `info`: life cycle. `debug`:
/// one decision. `trace`: one message.
enum class Level { trace, debug, info, warn, error };

enum class IgnoreReason : std::uint8_t {
  stale_reply,  ///< No such request is pending, or it asked somebody else.
  stale_life,   ///< An earlier incarnation than one already known.
  own_name,     ///< Somebody claims to be us.
  too_old,      ///< A descriptor beyond the age limit.
  impostor,     ///< It speaks of its sender under another name, or not at all.
  unasked,      ///< A gift there is no room for.
};
inline constexpr std::string_view kIgnoreReasonWords[] = {
    "stale_reply", "stale_life", "own_name", "too_old", "impostor", "unasked"};

/// A contact welcomed this peer.
struct Joined {
  static constexpr std::string_view kName = "joined";
  static constexpr Level kLevel = Level::info;
  PeerId contact;
  void fields(auto&& field) const { field("contact", contact); }
};

/// Too few neighbours are left, or nobody seems to know this peer any more.
struct Rejoining {
  static constexpr std::string_view kName = "rejoining";
  static constexpr Level kLevel = Level::warn;
  std::uint32_t known;  ///< Neighbours left in the view.
  void fields(auto&& field) const { field("known", known); }
};

struct ShuffleTimedOut {
  static constexpr std::string_view kName = "shuffle_timed_out";
  static constexpr Level kLevel = Level::debug;
  PeerId partner;
  std::uint32_t attempt;  ///< 1 for the first partner of a cycle.
  void fields(auto&& field) const {
    field("partner", partner);
    field("attempt", attempt);
  }
};

/// A newcomer was introduced by us, or a peer that was down or had left is back.
struct NeighbourUp {
  static constexpr std::string_view kName = "neighbour_up";
  static constexpr Level kLevel = Level::debug;
  PeerId peer;
  std::uint32_t incarnation;
  void fields(auto&& field) const {
    field("peer", peer);
    field("incarnation", incarnation);
  }
};

/// A neighbour was found dead by pings, or said good-bye.
struct NeighbourDown {
  static constexpr std::string_view kName = "neighbour_down";
  static constexpr Level kLevel = Level::info;
  PeerId peer;
  bool graceful;  ///< It said good-bye.
  void fields(auto&& field) const {
    field("peer", peer);
    field("graceful", graceful);
  }
};

struct MessageIgnored {
  static constexpr std::string_view kName = "message_ignored";
  static constexpr Level kLevel = Level::trace;
  PeerId from;
  IgnoreReason reason;
  void fields(auto&& field) const {
    field("from", from);
    field("reason", kIgnoreReasonWords[static_cast<std::size_t>(reason)]);
  }
};

using Event =
    std::variant<Joined, Rejoining, ShuffleTimedOut, NeighbourUp, NeighbourDown, MessageIgnored>;

/// Is told what happens. Must not call back into the protocol.
class Observer {
 public:
  virtual void on(const Event& event) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace dunlin::overlay
