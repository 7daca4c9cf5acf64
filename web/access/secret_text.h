// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace dunlin::web {

/// 32 hexadecimal digits by chance: 128 bits that nobody guesses.
/// Aborts if the system has no source of chance: a secret that can be guessed is worse than none.
std::string new_secret();

/// What is kept of a secret: who reads it cannot say the secret. Not salted, as there is nothing to
/// guess in 128 bits by chance.
/// BLAKE2b with 256 bits, in hexadecimal digits.
std::string hash_of(std::string_view secret);

}  // namespace dunlin::web
