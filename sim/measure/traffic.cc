// SPDX-License-Identifier: MIT
#include "sim/measure/traffic.h"

#include <cmath>

#include "overlay/codec.h"
#include "sched/cell/codec.h"
#include "sched/codec.h"

namespace dunlin::sim {
namespace {

// Encoding costs more than all the rest of a message, so a sample must do.
constexpr std::uint64_t kWeighOneOf = 64;

}  // namespace

std::uint64_t Traffic::Tally::bytes() const {
  if (weighed == messages) return bytes_weighed;
  const double mean = static_cast<double>(bytes_weighed) / static_cast<double>(weighed);
  return static_cast<std::uint64_t>(std::llround(mean * static_cast<double>(messages)));
}

void Traffic::count(std::size_t kind, std::size_t bytes) {
  Tally& tally = tallies_[kind];
  ++tally.messages;
  ++tally.weighed;
  tally.bytes_weighed += bytes;
}

template <typename Message>
void Traffic::count(const Message& message) {
  Tally& tally = tallies_[kind_of(message)];
  // The first of each kind is weighed, so that there is a mean for each that occurs.
  if (tally.messages++ % kWeighOneOf != 0) return;
  scratch_.clear();
  encode(message, scratch_);
  ++tally.weighed;
  tally.bytes_weighed += scratch_.size();
}

template void Traffic::count(const overlay::Message&);
template void Traffic::count(const sched::Message&);
template void Traffic::count(const sched::cell::Message&);

Traffic::Tally Traffic::sum(std::size_t first, std::size_t last) const {
  Tally total;
  for (std::size_t kind = first; kind < last; ++kind) {
    // Kinds differ in size and in how often they are weighed, so estimates are added, not samples.
    total.messages += tallies_[kind].messages;
    total.weighed += tallies_[kind].messages;
    total.bytes_weighed += tallies_[kind].messages == 0 ? 0 : tallies_[kind].bytes();
  }
  return total;
}

}  // namespace dunlin::sim
