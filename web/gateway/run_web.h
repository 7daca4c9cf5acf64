// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/result.h"
#include "web/gateway/web_options.h"

// The entry points of the program `dunlin-web`.
namespace dunlin::web {

/// Runs a gateway until it is told to stop. Returns the exit status; fails if it cannot start.
/// Blocks. To be called once, from main(): it sets signals and limits of the process.
Result<int> run_web(const WebOptions& options);

/// Asks a gateway that runs for a link or a token, and prints what it says.
Result<int> run_login(const LoginWish& wish);

}  // namespace dunlin::web
