// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "overlay/address.h"
#include "overlay/time.h"

namespace dunlin::node {

/// An agent without a neighbour says so again after so long; ...
inline constexpr overlay::Duration kLonelyReminder = std::chrono::minutes(1);
/// ... first sooner: an operator may be looking.
inline constexpr overlay::Duration kLonelyFirst = std::chrono::seconds(10);

/// An agent that has no neighbour, though it was told of contacts.
struct Lonely {
  std::string join;                        ///< As agent.join says.
  std::vector<overlay::Address> contacts;  ///< What it stands for; those that resolve.
  overlay::Address bound;                  ///< Where the agent listens.
  overlay::Duration silence{0};            ///< Since it looked for a neighbour, or lost the last.
};

/// What a person should look at: "not joined: 10.0.0.7:7700 has not answered for 20 s: ...". A
/// wrong address, a wrong key and a firewall look alike from here, so it names them all; what can
/// be known is said.
std::string not_joined_text(const Lonely& lonely);

}  // namespace dunlin::node
