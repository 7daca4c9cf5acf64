// SPDX-License-Identifier: MIT
#include "node/net/resolve.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>

#include "node/net/socket_address.h"

// The system's resolver blocks, so what is resolved here is resolved before the loop runs; contacts
// are looked up by node/net/name_lookup.h beside it.
namespace dunlin::node {
namespace {

using overlay::Address;

}  // namespace

Result<HostAndPort> split_address(std::string_view text, std::uint16_t default_port) {
  const auto malformed = [text] {
    return failure(ErrorKind::usage,
        "'" + std::string(text) +
            "' is no address: expected host, host:port, 10.0.0.7:7700 "
            "or [fe80::1]:7700");
  };
  std::string_view host = text;
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return malformed();
    host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return malformed();
  } else if (std::ranges::count(text, ':') == 1) {  // More of them: a bare IPv6 address.
    host = text.substr(0, text.find(':'));
    port = text.substr(host.size());
  }
  // A path is for clients on this machine, and no name of a host.
  if (host.empty() || host.find('/') != std::string_view::npos) return malformed();
  if (port.empty()) return HostAndPort{std::string(host), default_port};
  port.remove_prefix(1);
  std::uint16_t number = 0;
  const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || read.ec != std::errc{} || read.ptr != port.data() + port.size()) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "': '" + std::string(port) + "' is no port (0 to 65535)");
  }
  return HostAndPort{std::string(host), number};
}

// With AI_NUMERICHOST the resolver asks no name server, so this may be called in the loop.
std::optional<Address> numeric_address(const HostAndPort& where) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* first = nullptr;
  if (::getaddrinfo(where.host.c_str(), nullptr, &hints, &first) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(first, &::freeaddrinfo);
  const auto addresses = addresses_of(first, where);
  return addresses ? std::optional(addresses->front()) : std::nullopt;
}

Result<std::vector<Address>> addresses_of(const addrinfo* first, const HostAndPort& where) {
  std::vector<Address> addresses;
  // In the resolver's order, which is its preference (RFC 6724); callers that need one take the
  // first. The wildcard counts only if it was written: a family that is not known reads as zeros,
  // too.
  for (const addrinfo* each = first; each != nullptr; each = each->ai_next) {
    Address address = from_socket(each->ai_addr);
    address.port = where.port;
    const bool known = std::ranges::find(addresses, address) != addresses.end();
    if ((address.high != 0 || address.low != 0 || where.host == "::") && !known) {
      addresses.push_back(address);
    }
  }
  if (addresses.empty()) {
    return failure(ErrorKind::not_found, "host '" + where.host + "' has no IP address");
  }
  return addresses;
}

Result<std::vector<Address>> resolve(std::string_view text, std::uint16_t default_port) {
  auto parts = split_address(text, default_port);
  if (!parts) return tl::unexpected(parts.error());

  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;  // One entry for each address.
  addrinfo* first = nullptr;
  const int status = ::getaddrinfo(parts->host.c_str(), nullptr, &hints, &first);
  if (status != 0) {
    const std::string why = status == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(status);
    return failure(ErrorKind::not_found, "host '" + parts->host + "' does not resolve: " + why);
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(first, &::freeaddrinfo);
  return addresses_of(first, *parts);
}

}  // namespace dunlin::node
