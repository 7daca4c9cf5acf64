// SPDX-License-Identifier: MIT
#include "node/control/past/past_ring.h"

#include <algorithm>

#include "overlay/ensure.h"

// Figures of the past in two rings of fixed size, one fine and one coarse: a step of time is a
// place in the ring, so steps that were missed are blanks at their places, and nothing is ever
// moved. A minute of the coarse ring sums up the looks that fell into it, by each figure's kind:
// the mean, the highest, or the sum.
namespace dunlin::node {

PastRing::PastRing() {
  // All at once: a ring that grows for two days would be moved again and again.
  fine_.rows.resize(kFine.size);
  coarse_.rows.resize(kCoarse.size);
}

void PastRing::put(Rows& rows, std::size_t size, std::int64_t step, const PastFigures& figures) {
  const auto kept = static_cast<std::int64_t>(size);
  if (step < 0) return;  // The machine has just begun.
  if (rows.first == rows.end) rows.first = rows.end = step;
  if (step < rows.end) return;  // The clock does not go back.
  PastFigures unknown;
  unknown.fill(kUnknown);
  for (std::int64_t missed = std::max(rows.end, step - kept); missed < step; ++missed) {
    rows.rows[static_cast<std::size_t>(missed % kept)] = unknown;
  }
  rows.rows[static_cast<std::size_t>(step % kept)] = figures;
  rows.end = step + 1;
  rows.first = std::max(rows.first, rows.end - kept);
}

void PastRing::add(overlay::Time now, const PastFigures& figures) {
  put(fine_, kFine.size, step_at(now, kFine), figures);
  const std::int64_t minute = step_at(now, kCoarse);
  if (minute_ && *minute_ != minute) flush_minute();
  minute_ = minute;
  ++looks_;
  for (std::size_t i = 0; i < kPastCount; ++i) {
    sums_[i] = kPastFigures[i].kind == PastKind::high ? std::max(sums_[i], figures[i])
                                                      : sums_[i] + figures[i];
  }
}

void PastRing::flush_minute() {
  PastFigures minute = sums_;
  for (std::size_t i = 0; i < kPastCount; ++i) {
    if (kPastFigures[i].kind == PastKind::mean) minute[i] /= looks_;
  }
  put(coarse_, kCoarse.size, *minute_, minute);
  sums_ = {};
  looks_ = 0;
}

PastRing::Kept PastRing::kept(const Ring& ring) const {
  const Rows& rows = rows_of(ring);
  return {.first = rows.first, .end = rows.end};
}

std::int64_t PastRing::at(const Ring& ring, std::int64_t step, std::size_t figure) const {
  const Rows& rows = rows_of(ring);
  overlay::ensure(step >= rows.first && step < rows.end, "a step that is not kept");
  return rows.rows[static_cast<std::size_t>(step % static_cast<std::int64_t>(ring.size))][figure];
}

std::size_t PastRing::bytes() const {
  return sizeof(*this) + (fine_.rows.capacity() + coarse_.rows.capacity()) * sizeof(PastFigures);
}

}  // namespace dunlin::node
