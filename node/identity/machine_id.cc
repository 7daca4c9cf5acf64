// SPDX-License-Identifier: MIT
#include "node/identity/machine_id.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "node/identity/secret.h"

namespace dunlin::node {
namespace {

constexpr std::size_t kDigits = 32;
constexpr std::string_view kPurpose = "dunlin machine mark";

}  // namespace

std::string machine_mark(const std::filesystem::path& path) {
  std::string id;
  std::getline(std::ifstream(path), id);
  const bool drawn = id.size() == kDigits &&
      std::ranges::all_of(id, [](unsigned char digit) { return std::isxdigit(digit) != 0; });
  if (!drawn) return "";  // Missing, empty or "uninitialized".
  start_sodium();
  std::array<std::uint8_t, kDigits / 2> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const std::uint8_t*>(id.data()),
      id.size(), reinterpret_cast<const std::uint8_t*>(kPurpose.data()), kPurpose.size());
  std::string mark(kDigits + 1, '\0');
  sodium_bin2hex(mark.data(), mark.size(), hash.data(), hash.size());
  mark.resize(kDigits);
  return mark;
}

}  // namespace dunlin::node
