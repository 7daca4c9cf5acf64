// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "overlay/message.h"
#include "sched/cell/message.h"
#include "sched/observer.h"

namespace dunlin::test {

using overlay::PeerId;
using overlay::Time;

/// One message between peers, of any layer.
using AnyMessage = std::variant<overlay::Message, sched::Message, sched::cell::Message>;

/// "task_bound job=1/1 index=0 attempt=1 worker=3".
std::string to_string(const overlay::Event& event);
std::string to_string(const sched::Event& event);

/// The kind of a message, in a word: "shuffle_request", "get_task".
std::string_view kind_of(const AnyMessage& message);

/// "2.000150000", in seconds.
std::string to_string(Time time);

/// All that happened in a world, as lines of text and as a hash of them. Two runs are the same if
/// their hashes are.
class Trace {
 public:
  /// Keeps the last `lines_max` lines; the hash covers all.
  explicit Trace(std::size_t lines_max = 2000) : lines_max_(lines_max) {}

  void add(Time now, std::string_view line);
  std::uint64_t hash() const { return hash_; }
  std::uint64_t size() const { return size_; }
  const std::deque<std::string>& lines() const { return lines_; }
  /// The last `count` lines, one below the other.
  std::string tail(std::size_t count) const;

 private:
  std::size_t lines_max_;
  std::deque<std::string> lines_;
  std::uint64_t hash_ = 0xcbf29ce484222325;  // FNV-1a.
  std::uint64_t size_ = 0;
};

}  // namespace dunlin::test
