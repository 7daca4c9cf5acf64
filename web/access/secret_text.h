// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace dunlin::web {

/// 32 hexadecimal digits by chance: 128 bits that nobody guesses.
std::string new_secret();

/// What is kept of a secret: who reads it cannot say the secret. Not salted, as there is nothing to
/// guess in 128 bits by chance.
std::string hash_of(std::string_view secret);

}  // namespace dunlin::web
