// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace dunlin::node::warden {

/// How fast the streams of tasks may fill a disk: at will as long as it keeps a certain room, then
/// slowly. The agent looks each second what can go, and that must be enough: in a second they write
/// a tenth of that room, or a megabyte. A stream's first bytes are never held back.
class OutputPace {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::uint64_t kTurn = 8u << 20;  ///< Bytes of one stream at a time, at most ...
  static constexpr std::uint64_t kLittle = 64u << 10;  ///< ... and where there is little room.
  static constexpr std::chrono::milliseconds kStep{50};

  /// When a stream that may not write now is to ask again.
  Clock::time_point over() const { return over_; }
  /// Begins a new step, if it is time. The disk is to keep `room_min` bytes; 0: it may be filled.
  /// True if it did.
  bool step(Clock::time_point now, std::uint64_t room_min);
  /// How many bytes may be written now of a stream of which `moved` are; 0: none before over().
  /// Asks for the room on its disk once a step, and when half of what that had to spare is written;
  /// empty: it cannot be told.
  std::uint64_t grant(
      std::uint64_t moved, const std::function<std::optional<std::uint64_t>()>& room);

 private:
  Clock::time_point over_{};
  std::uint64_t room_min_ = 0;
  std::uint64_t ahead_ = 0;   ///< Bytes that the disk can spare.
  std::uint64_t slowly_ = 0;  ///< Bytes for this step, beyond that.
};

}  // namespace dunlin::node::warden
