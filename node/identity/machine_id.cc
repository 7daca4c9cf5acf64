// SPDX-License-Identifier: MIT
#include "node/identity/machine_id.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "node/identity/secret.h"

// Which machine this is, so that a data directory that was copied is told from one that was moved.
// The system asks that /etc/machine-id be told to nobody: so only a hash leaves this process, keyed
// with a purpose of ours, and nobody can compare it with what other programs derive from the same
// id.
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

std::uint64_t machine_number(std::string_view name, std::string_view mark) {
  std::uint64_t number = 0;
  if (name.empty()) {
    const auto digits = mark.substr(0, 16);
    std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return number;
  }
  start_sodium();
  std::array<std::uint8_t, crypto_generichash_BYTES_MIN> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const std::uint8_t*>(name.data()),
      name.size(), nullptr, 0);
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | hash[i];
  return number;
}

std::string boot_name() {
  std::string name;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), name);
  return name;
}

}  // namespace dunlin::node
