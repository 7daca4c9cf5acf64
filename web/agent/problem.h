// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "web/http/response.h"

namespace dunlin::web {

/// Why a request fails: a kind of the table in docs/design/http.md, and a line for people.
/// The agent's own words are handed on: its kinds are a part of this protocol, and its line says
/// what to do. Only what the gateway finds itself is worded here.
struct Trouble {
  std::string kind;
  std::string detail;
  std::int64_t retry_ns = 0;  ///< When the same may be asked again, from now; 0: it is not known.
};

/// The status of an answer that fails so; 500 of a kind that is not known.
int status_of_kind(std::string_view kind);

/// The answer, as application/problem+json (RFC 9457).
Response problem_answer(const Trouble& trouble);

}  // namespace dunlin::web
