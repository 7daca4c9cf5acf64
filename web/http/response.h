// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/http/request.h"

namespace dunlin::web {

/// An answer, or the begin of one.
struct Response {
  int status = 200;
  std::vector<Header> headers;
  /// All of it, or the first bytes where Exchange::begin() says that more follow.
  std::string body;
};

/// "Not Found" of 404; "Unknown" of a status that no answer of ours has.
std::string_view reason_of(int status);

/// The line and the header that precede a body of `length` bytes. Empty: the body ends with the
/// connection. A field that would end its line early is left out.
std::string head_text(const Response& response,
    std::optional<std::uint64_t> length,
    bool keep_alive,
    /// `date` as http_date() has it: a parameter, so that this is the same text each time in tests.
    std::string_view date);

/// "Sun, 06 Nov 1994 08:49:37 GMT" of seconds since 1970 (RFC 9110, section 5.6.7).
std::string http_date(std::int64_t seconds);

}  // namespace dunlin::web
