// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

// How --address, DUNLIN_ADDRESS and the library's addresses are read: one way for all clients.
namespace dunlin::client {

/// True if `address` is the path of a socket: it has a slash or ends with ".sock", or there is a
/// socket of that name in this directory. Otherwise it is HOST, HOST:PORT or [IPv6]:PORT.
inline bool is_socket_path(const std::string& address) {
  struct stat found{};
  if (address.find('/') != std::string::npos || address.ends_with(".sock")) return true;
  return ::stat(address.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
}

/// The addresses in `text`, which commas part; blanks around them do not count.
inline std::vector<std::string> addresses_in(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  std::vector<std::string> addresses;
  // Empty words are passed over: a comma at the end does no harm.
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t first = word.find_first_not_of(kBlanks);
    if (first != std::string_view::npos) {
      addresses.emplace_back(word.substr(first, word.find_last_not_of(kBlanks) + 1 - first));
    }
    at = end + 1;
  }
  return addresses;
}

}  // namespace dunlin::client
