// SPDX-License-Identifier: MIT
#pragma once

#include "node/access/accounts.h"
#include "node/access/principal.h"
#include "node/control/json.h"

namespace dunlin::node {

/// How many places there are of each kind, and how many of them a user may have.
Json shares_json();
/// What each user is charged with, as far as `viewer` may see it: others than administrators see
/// themselves.
Json users_json(const Accounts& accounts, const Principal& viewer);

}  // namespace dunlin::node
