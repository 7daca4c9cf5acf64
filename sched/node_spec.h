// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// The properties of a node, in one incarnation.
struct NodeSpec {
  Endpoint endpoint;              ///< The address at which others reach it.
  std::uint32_t incarnation = 1;  ///< Grows with each start of the same id.
  std::string name;               ///< A label for people.
  Resources total;
  std::vector<Attribute> attributes;
  std::string limits = "sim";  ///< The means by which the driver enforces demands.
  std::string version;
};

}  // namespace dunlin::sched
