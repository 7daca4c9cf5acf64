// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// What a node is, for one life of it.
struct NodeSpec {
  Endpoint endpoint;              ///< Where others reach it.
  std::uint32_t incarnation = 1;  ///< Grows with each life of the same id.
  std::string name;               ///< A label for people.
  Resources total;
  std::vector<Attribute> attributes;
  std::string limits = "sim";  ///< How the driver enforces demands.
  std::string version;
};

}  // namespace dunlin::sched
