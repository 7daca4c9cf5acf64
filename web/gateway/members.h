// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "node/client/json.h"
#include "web/agent/problem.h"
#include "web/gateway/endpoint.h"
#include "web/http/target.h"

namespace dunlin::web {

/// The members of the request to the agent, JSON without braces: of the path, the query and the
/// body, as the endpoint's table says what each must be. Fails where one is wrong, or not known.
/// Nothing that the table does not name reaches the agent: a member that the verb has besides, such
/// as `speaker`, cannot be slipped in by a query.
tl::expected<std::string, Trouble> members_of(const Endpoint& endpoint,
    const Captures& captures,
    const Target& target,
    const client::Json& body);

/// A body that is one object, within the bounds of the control protocol; an empty one is {}.
tl::expected<client::Json, Trouble> body_of(std::string_view text);

/// A text with commas as the texts between them; those that are empty are left out.
std::vector<std::string> split_list(std::string_view text);

/// The value of an integer of a query that the gateway reads itself. Fails as members_of() does,
/// which has seen it before.
std::int64_t number_in(const Target& target, const Parameter& parameter);

}  // namespace dunlin::web
