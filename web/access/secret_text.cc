// SPDX-License-Identifier: MIT
#include "web/access/secret_text.h"

#include <array>
#include <sodium.h>
#include <span>

#include "overlay/ensure.h"

namespace dunlin::web {
namespace {

std::string hex_of(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

std::string new_secret() {
  // Called each time: after the first it does nothing, and no caller can forget it.
  ensure(sodium_init() >= 0, "libsodium cannot be set up");
  std::array<unsigned char, 16> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return hex_of(bytes);
}

std::string hash_of(std::string_view secret) {
  std::array<unsigned char, 32> bytes{};
  crypto_generichash(bytes.data(), bytes.size(),
      reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), nullptr, 0);
  return hex_of(bytes);
}

}  // namespace dunlin::web
