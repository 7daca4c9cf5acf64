// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

// As node/base64.h, without libsodium: the library needs nothing but the standard one.
namespace dunlin::client {

/// `bytes` in base64 with padding (RFC 4648, section 4).
std::string to_base64(std::string_view bytes);
/// The bytes that `text` stands for; empty if it is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace dunlin::client
