// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <tuple>

#include "overlay/message.h"
#include "overlay/time.h"

namespace dunlin::overlay {

/// A peer as this one knows it. Ages are not counted in cycles: an age follows from the time of
/// birth, so no code can reset it by forgetting to add to it.
struct Neighbour {
  Descriptor peer;  ///< Its `age` is of no use here: see `born`.
  Time born;        ///< When its owner said this, by our clock; transit counts as no time.

  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// Turns a statement received into a neighbour. It was born its age ago; the transit counts as no
/// time.
inline Neighbour heard(const Descriptor& statement, Time now) {
  return {.peer = statement, .born = now - statement.age};
}

/// Turns a statement into one to send, with its age in whole milliseconds, rounded up. The wire has
/// the same unit, so a run is the same with and without a codec.
inline Descriptor aged(Descriptor statement, Time since, Time now) {
  statement.age =
      std::max(Duration{0}, Duration{std::chrono::ceil<std::chrono::milliseconds>(now - since)});
  return statement;
}

inline Endpoint endpoint(const Descriptor& peer) {
  return {peer.id, peer.address};
}

/// True if the owner said `a` after `b`: in a later incarnation, or later in the same one. The age
/// does not decide: it is only as exact as the clocks and links that it came by.
inline bool fresher(const Descriptor& a, const Descriptor& b) {
  return std::tie(a.incarnation, a.sequence) > std::tie(b.incarnation, b.sequence);
}

/// Puts what is free at `from` into `to`.
inline void copy_capacity(const Descriptor& from, Descriptor& to) {
  to.cpu_free = from.cpu_free;
  to.memory_free = from.memory_free;
  to.rates_used = from.rates_used;
  to.queued = from.queued;
}

/// Takes over a fresher statement, with its own age. Capacity that the peer told directly since
/// that statement was made (Overlay::learn) stays. False, and nothing changed, if `news` is not
/// fresher.
inline bool update(Neighbour& known, const Neighbour& news) {
  if (!fresher(news.peer, known.peer)) return false;
  const Neighbour before = known;
  known = news;
  if (before.peer.incarnation == news.peer.incarnation && before.born > news.born) {
    copy_capacity(before.peer, known.peer);
    known.born = before.born;
  }
  return true;
}

}  // namespace dunlin::overlay
