// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "web/http/exchange.h"

namespace dunlin::web {

class Upstream;

/// What of a task's output is wanted.
struct OutputWish {
  std::string members;  ///< Of the request `output`, JSON without braces.
  std::string user;
  std::string file_name;  ///< Under which it is saved; empty: it is shown.
};

/// Answers with what a task wrote: all of it, or the bytes that a header Range names. Asks the
/// agent for a piece when the client has read the one before.
void answer_with_output(
    Upstream& upstream, std::shared_ptr<Exchange> exchange, const OutputWish& wish);

}  // namespace dunlin::web
