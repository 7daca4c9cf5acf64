// SPDX-License-Identifier: MIT
#pragma once

#include <tl/expected.hpp>

#include "node/client/json.h"
#include "web/agent/answers.h"
#include "web/gateway/endpoint.h"
#include "web/http/target.h"

namespace dunlin::web {

/// What an endpoint tells of the agent's answer: all of it, with what every answer and every list
/// has besides; or a part.
/// Fails where the answer says that there is no such thing, or a parameter of the query is wrong.
tl::expected<client::Json, Trouble> shaped_answer(
    const Endpoint& endpoint, const Target& target, const Answer& answer);

}  // namespace dunlin::web
