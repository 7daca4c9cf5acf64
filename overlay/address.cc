// SPDX-License-Identifier: MIT
#include "overlay/address.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>

#include "overlay/inline_vector.h"

// Addresses are read and written by hand, not by inet_pton(): protocol code knows no socket
// headers, and one address must have one text on every machine, since users compare them.
// The reader is strict on purpose. A text that two programs read differently, such as an octal
// "010", would send two nodes to two places, so it is refused.
namespace dunlin::overlay {
namespace {

using Groups = std::array<std::uint16_t, 8>;  // The 8 groups of an IPv6 address, big end first.

template <typename Number>
std::optional<Number> number(std::string_view text, int base, Number max) {
  Number value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || code != std::errc{} || end != text.data() + text.size() || value > max) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint32_t> parse_v4(std::string_view text) {
  std::uint32_t ip = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t end = part < 3 ? text.find('.') : text.size();
    if (end == std::string_view::npos || end > 3) return std::nullopt;
    // Some programs read "010" as 10 and some as 8, so it is refused.
    if (end > 1 && text.front() == '0') return std::nullopt;
    const auto byte = number<std::uint32_t>(text.substr(0, end), 10, 255);
    if (!byte) return std::nullopt;
    ip = ip << 8 | *byte;
    text.remove_prefix(part < 3 ? end + 1 : end);
  }
  return ip;
}

/// Reads "a:b:c", the half of an address before or behind "::". The last group of the whole address
/// may have IPv4 form.
bool parse_groups(std::string_view text, bool at_end, InlineVector<std::uint16_t, 8>& groups) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view word = text.substr(0, end);
    if (at_end && end == text.size() && word.find('.') != std::string_view::npos) {
      const auto ip = parse_v4(word);
      return ip && groups.try_push(static_cast<std::uint16_t>(*ip >> 16)) &&
          groups.try_push(static_cast<std::uint16_t>(*ip));
    }
    const auto group = word.size() <= 4 ? number<std::uint16_t>(word, 16, 0xffff) : std::nullopt;
    if (!group || !groups.try_push(*group)) return false;
    if (end + 1 == text.size()) return false;  // A colon with nothing behind it.
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

std::optional<Address> parse_v6(std::string_view text) {
  const std::size_t gap = text.find("::");
  InlineVector<std::uint16_t, 8> head;
  InlineVector<std::uint16_t, 8> tail;
  // At most one "::" is legal. It stands for one group of zeroes at least, hence 7 groups beside
  // it.
  const bool whole = gap == std::string_view::npos;
  if (!parse_groups(text.substr(0, gap), whole, head)) return std::nullopt;
  if (whole) {
    if (head.size() != 8) return std::nullopt;
  } else if (!parse_groups(text.substr(gap + 2), true, tail) || head.size() + tail.size() > 7) {
    return std::nullopt;
  }
  Groups groups{};
  std::ranges::copy(head, groups.begin());
  std::ranges::copy(tail, groups.end() - static_cast<std::ptrdiff_t>(tail.size()));
  Address address;
  for (std::size_t i = 0; i < 4; ++i) {
    address.high = address.high << 16 | groups[i];
    address.low = address.low << 16 | groups[i + 4];
  }
  return address;
}

std::string v4_text(std::uint32_t ip) {
  std::string text = std::to_string(ip >> 24);
  for (const int shift : {16, 8, 0}) text += "." + std::to_string(ip >> shift & 0xff);
  return text;
}

/// The shortest form: the longest run of two or more zeroes becomes "::". Source: RFC 5952.
std::string v6_text(const Address& address) {
  Groups groups{};
  for (std::size_t i = 0; i < 4; ++i) {
    groups[i] = static_cast<std::uint16_t>(address.high >> (48 - 16 * i));
    groups[i + 4] = static_cast<std::uint16_t>(address.low >> (48 - 16 * i));
  }
  std::size_t gap = 8;
  std::size_t gap_size = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t run = 0;
    while (i + run < 8 && groups[i + run] == 0) ++run;
    if (run > gap_size) {
      gap = i;
      gap_size = run;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == gap) {
      text += "::";
      i += gap_size - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    std::array<char, 4> digits;
    const auto [end, code] = std::to_chars(digits.data(), digits.data() + 4, groups[i], 16);
    text.append(digits.data(), end);
  }
  return text;
}

/// The examples show the user the form that is wanted.
tl::unexpected<Error> not_an_address(std::string_view text) {
  return failure(ErrorKind::usage,
      "'" + std::string(text) + "' is no address such as 10.0.0.7:7700 or [fe80::1]:7700");
}

}  // namespace

std::string to_string(const Address& address) {
  const std::string port = std::to_string(address.port);
  if (address.is_v4()) return v4_text(static_cast<std::uint32_t>(address.low)) + ":" + port;
  return "[" + v6_text(address) + "]:" + port;
}

Result<Address> parse_address(std::string_view text, std::uint16_t default_port) {
  std::string_view ip = text;
  std::optional<std::string_view> port;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return not_an_address(text);
    ip = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') return not_an_address(text);
    if (!rest.empty()) port = rest.substr(1);
    if (ip.find(':') == std::string_view::npos) return not_an_address(text);
  } else if (const auto colon = text.find(':');
      colon != std::string_view::npos && colon == text.rfind(':')) {
    ip = text.substr(0, colon);
    port = text.substr(colon + 1);
  }

  Address address;
  if (ip.find(':') != std::string_view::npos) {
    const auto v6 = parse_v6(ip);
    if (!v6) return not_an_address(text);
    address = *v6;
  } else {
    const auto v4 = parse_v4(ip);
    if (!v4) return not_an_address(text);
    address = Address::v4(*v4, 0);
  }
  address.port = default_port;
  if (port) {
    const auto given = number<std::uint16_t>(*port, 10, 0xffff);
    if (!given) return not_an_address(text);
    address.port = *given;
  }
  return address;
}

}  // namespace dunlin::overlay
