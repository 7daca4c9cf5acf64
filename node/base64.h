// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

// Made of the standard library alone, for libdunlin has it, too.
namespace dunlin::node {

/// `bytes` in base64 with padding, without line ends (RFC 4648, section 4).
std::string to_base64(std::string_view bytes);

/// The bytes that `text` stands for; empty if it is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace dunlin::node
