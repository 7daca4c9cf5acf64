// SPDX-License-Identifier: MIT
#include "tests/support/network.h"

namespace dunlin::test {

overlay::InlineVector<Duration, 2> Network::route(std::size_t from, std::size_t to) {
  // A message to oneself never meets the network.
  if (from == to) return {std::chrono::microseconds(5)};
  overlay::InlineVector<Duration, 2> copies;
  if (cuts_.contains({from, to}) || rng_.chance(params_.loss)) return copies;
  copies.push_back(latency());
  if (rng_.chance(params_.duplication)) copies.push_back(latency());
  return copies;
}

Duration Network::latency() {
  if (rng_.chance(params_.straggling)) {
    return rng_.between(params_.latency_max, params_.straggler_max);
  }
  return rng_.between(params_.latency_min, params_.latency_max);
}

void Network::split(const std::set<std::size_t>& side, std::size_t count, bool one_way) {
  for (const std::size_t in : side) {
    for (std::size_t out = 0; out < count; ++out) {
      if (side.contains(out)) continue;
      cut(in, out);
      if (!one_way) cut(out, in);
    }
  }
}

void Network::heal() {
  mend_all();
  params_.loss = params_.duplication = params_.straggling = 0;
}

}  // namespace dunlin::test
