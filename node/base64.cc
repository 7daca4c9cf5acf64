// SPDX-License-Identifier: MIT
#include "node/base64.h"

#include <sodium.h>

namespace dunlin::node {

std::string to_base64(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
      bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // The zero byte at its end.
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  std::size_t size = 0;
  const int code = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
      text.data(), text.size(), nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL);
  if (code != 0) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace dunlin::node
