// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "node/access/principal.h"
#include "node/control/control_handlers.h"
#include "node/control/control_session.h"
#include "node/control/json.h"

namespace dunlin::node {

/// The handler of a verb: one of three forms, as it needs.
using Handler = std::variant<Result<Json> (*)(AgentServices&, Args&),
    Result<Json> (*)(AgentServices&, ControlSession&, Args&),
    PendingResult (*)(AgentServices&, ControlSession&, Args&)>;

/// The node that a request goes to.
enum class Goes : std::uint8_t {
  here,
  home,   ///< To the home of the job that it names: see route_of().
  where,  ///< To the node that its member `at` names, if it has one.
};

struct Verb {
  std::string_view name;
  Handler handler;
  Access access = Access::everyone;
  Goes goes = Goes::here;
};

/// Every verb but `stop`, which concerns the session alone.
std::span<const Verb> all_verbs();

}  // namespace dunlin::node
