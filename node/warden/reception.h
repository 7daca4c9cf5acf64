// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

#include "node/warden/door.h"
#include "node/warden/frames.h"
#include "node/warden/protocol.h"

namespace dunlin::node::warden {

/// The processes that came in by the door and have not been served yet. A few at a time have a
/// moment each to greet, and none of them can hold the warden up.
class Reception {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A process that greeted, and knows the secret. Its socket is the caller's.
  struct Greeted {
    int socket = -1;
    Greeting greeting;
    std::optional<Hello> hello;  ///< Empty if it is of another version.
    FrameReader frames;          ///< What it sent after that.
  };

  explicit Reception(Door door) : door_(std::move(door)) {}
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  /// Appends what to wait for.
  void watch(std::vector<pollfd>& polled) const;
  /// The next process that greeted; empty if there is none. Appends to `refused` the processes that
  /// were turned away.
  std::optional<Greeted> receive(Time now, std::vector<std::string>& refused);
  /// The time to call receive() at the latest; empty if no guest is there.
  std::optional<Time> deadline() const;
  /// Lets no more in, and sends the others away. The directory stays this warden's.
  void close();

 private:
  struct Guest {
    int socket = -1;
    FrameReader frames{kStrangerFrameMax};
    Time due{};
  };
  enum class Progress : std::uint8_t { waits, gone, greeted };

  void let_in(Time now, std::vector<std::string>& refused);
  Progress advance(Guest& guest, Time now, std::vector<std::string>& refused);

  Door door_;
  std::vector<Guest> guests_;
  Greeted greeted_;
};

}  // namespace dunlin::node::warden
