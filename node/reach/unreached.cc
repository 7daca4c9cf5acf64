// SPDX-License-Identifier: MIT
#include "node/reach/unreached.h"

#include <algorithm>

namespace dunlin::node {
namespace {

constexpr std::size_t kNamesShown = 3;

}  // namespace

std::string cure_of(const Unreached& unreached) {
  // Behind a translator of addresses the port that is seen is often one of the moment.
  if (unreached.works.port != unreached.told.port) {
    return "start it with --advertise and the address and port outside, and have UDP and TCP of "
           "that port passed on to it";
  }
  return "start it with --advertise " + overlay::to_string(unreached.works);
}

std::string unreached_text(const Unreached& unreached) {
  return "reached at " + overlay::to_string(unreached.works) + ", and not at " +
      overlay::to_string(unreached.told) + ", which it tells others: " + cure_of(unreached);
}

// A few names are enough for an operator to try it from there.
std::string self_unreached_text(const Unreached& unreached, const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    list += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kNamesShown) {
    list += " and " + std::to_string(names.size() - kNamesShown) + " more";
  }
  return "not reached by " + list + " at " + overlay::to_string(unreached.told) +
      ", which it tells others, but at " + overlay::to_string(unreached.works) + ": " +
      cure_of(unreached);
}

}  // namespace dunlin::node
