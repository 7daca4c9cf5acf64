// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace dunlin::web {

/// Something that was told, as it is written to browsers.
struct StreamEvent {
  std::uint64_t seq = 0;  ///< Of all events of this gateway.
  std::string text;
};

/// The last events of one topic, for those who read slowly or were away for a moment.
/// Bounded by bytes and not by number: an event may be a word or a list of a thousand nodes.
class TopicRing {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{1} << 20;

  /// Nothing before `begin_seq` is there.
  explicit TopicRing(std::uint64_t begin_seq, std::size_t bytes_max = kBytesMax)
      : lost_(begin_seq),
        bytes_max_(bytes_max) {}

  /// Requires that `seq` is greater than that of each event before.
  void push(std::uint64_t seq, std::string text);
  /// The first event behind `seq`; nullptr: there is none yet.
  const StreamEvent* after(std::uint64_t seq) const;
  const StreamEvent* newest() const { return events_.empty() ? nullptr : &events_.back(); }
  /// True if something behind `seq` is no more there.
  bool has_lost(std::uint64_t seq) const { return seq < lost_; }
  /// What is behind this is there.
  std::uint64_t lost() const { return lost_; }

 private:
  std::deque<StreamEvent> events_;
  /// The newest event that was thrown away, or the one at which this topic began.
  std::uint64_t lost_;
  std::size_t bytes_ = 0;
  std::size_t bytes_max_;
};

/// "EPOCH.SEQ", as browsers say it again when they come back.
std::string event_id(std::string_view epoch, std::uint64_t seq);
/// Empty if it is none of this epoch.
/// A stranger's text: a browser sends back what it was told, other programs anything.
std::optional<std::uint64_t> parse_event_id(std::string_view epoch, std::string_view id);

/// An event as it is written: `data` is JSON on one line. Without an id where `id` is empty.
/// The format is HTML's (section 9.2): an end of a line in `data` would end it, and JSON on one
/// line has none.
std::string event_text(std::string_view id, std::string_view name, std::string_view data);

}  // namespace dunlin::web
