// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <tuple>

#include "overlay/message.h"
#include "overlay/time.h"

namespace dunlin::overlay {

/// A peer as this one knows it. Nobody counts cycles: an age follows from the time of birth, so it
/// can't be reset by forgetting to add to it.
struct Neighbour {
  Descriptor peer;  ///< Its `age` is of no use here: see `born`.
  Time born;        ///< When its owner said this, by our clock; transit counts as no time.

  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// What arrives: born its age ago.
inline Neighbour heard(const Descriptor& statement, Time now) {
  return {.peer = statement, .born = now - statement.age};
}

/// What leaves: aged, in whole milliseconds rounded up as the wire has it, so that a run is the
/// same with and without a codec.
inline Descriptor aged(Descriptor statement, Time since, Time now) {
  statement.age =
      std::max(Duration{0}, Duration{std::chrono::ceil<std::chrono::milliseconds>(now - since)});
  return statement;
}

inline Endpoint endpoint(const Descriptor& peer) {
  return {peer.id, peer.address};
}

/// True if `a` was said after `b`, by the same owner: a later life, or later in the same one. The
/// age doesn't decide: it is only as exact as the clocks and links it came by.
inline bool fresher(const Descriptor& a, const Descriptor& b) {
  return std::tie(a.incarnation, a.sequence) > std::tie(b.incarnation, b.sequence);
}

/// Puts what is free at `from` into `to`.
inline void copy_capacity(const Descriptor& from, Descriptor& to) {
  to.cpu_free = from.cpu_free;
  to.memory_free = from.memory_free;
  to.queued = from.queued;
}

/// Takes over a fresher statement, with its own age. What was learnt from the peer's own mouth
/// since that statement was made (Overlay::learn) stays. False, and nothing changed, if `news` is
/// none.
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
