// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "overlay/ids.h"
#include "overlay/time.h"

// The events of the overlay, as values: the agent renders them to logs and counts them, the
// simulation writes them as columns, tests compare them. Each event names itself and its level; its
// fields are its members, which for_each_field() lists with their names (see overlay/reflect.h).
namespace dunlin::overlay {

/// `error`: a human must act. `warn`: healed itself, worth knowing. `info`: life cycle. `debug`:
/// one decision. `trace`: one message.
enum class Level { trace, debug, info, warn, error };

enum class IgnoreReason : std::uint8_t {
  stale_reply,        ///< No such request is pending, or it asked another node.
  stale_incarnation,  ///< An earlier incarnation than one already known.
  own_name,           ///< A node claims to be us.
  too_old,            ///< A descriptor beyond the age limit.
  impostor,           ///< It speaks of its sender under another name, or not at all.
  unasked,            ///< A gift there is no room for.
};
inline constexpr std::string_view kIgnoreReasonWords[] = {
    "stale_reply", "stale_incarnation", "own_name", "too_old", "impostor", "unasked"};
constexpr std::string_view word_of(IgnoreReason reason) {
  return kIgnoreReasonWords[static_cast<std::size_t>(reason)];
}

/// A contact welcomed this peer.
struct Joined {
  static constexpr std::string_view kName = "joined";
  static constexpr Level kLevel = Level::info;
  PeerId contact;
};

/// Too few neighbours are left, or no peer seems to know this one any more.
struct Rejoining {
  static constexpr std::string_view kName = "rejoining";
  static constexpr Level kLevel = Level::warn;
  std::uint32_t known;  ///< Neighbours left in the view.
};

/// A partner did not answer a shuffle. The peer takes it for gone and tries the next.
struct ShuffleTimedOut {
  static constexpr std::string_view kName = "shuffle_timed_out";
  static constexpr Level kLevel = Level::debug;
  PeerId partner;
  std::uint32_t attempt;  ///< 1 for the first partner of a cycle.
};

/// A newcomer was introduced by us, or a peer that was down or had left is back.
struct NeighbourUp {
  static constexpr std::string_view kName = "neighbour_up";
  static constexpr Level kLevel = Level::debug;
  PeerId peer;
  std::uint32_t incarnation;
};

/// A neighbour was found dead by pings, or said good-bye.
struct NeighbourDown {
  static constexpr std::string_view kName = "neighbour_down";
  static constexpr Level kLevel = Level::info;
  PeerId peer;
  bool graceful;  ///< It said good-bye.
};

/// A message had no effect. Malice and late messages look alike, so such messages are counted, and
/// logged only at level trace.
struct MessageIgnored {
  static constexpr std::string_view kName = "message_ignored";
  static constexpr Level kLevel = Level::trace;
  PeerId from;
  IgnoreReason reason;
};

using Event =
    std::variant<Joined, Rejoining, ShuffleTimedOut, NeighbourUp, NeighbourDown, MessageIgnored>;

/// Receives each event as it happens. Must not call back into the protocol.
class Observer {
 public:
  virtual void on(const Event& event) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace dunlin::overlay
