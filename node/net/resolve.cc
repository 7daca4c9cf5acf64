// SPDX-License-Identifier: MIT
#include "node/net/resolve.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "node/net/socket_address.h"

// The system's resolver blocks, so what is resolved here is resolved before the loop runs; contacts
// are looked up by node/net/name_lookup.h beside it.
// The address that others should use is not the bound one when that is a wildcard; the routing
// table knows it, and asking it (connect() on a UDP socket) sends no packet.
namespace dunlin::node {
namespace {

using overlay::Address;

/// Such an address means another machine on each link, and needs an interface beside it, so it is
/// never told to others.
bool is_link_local(const Address& address) {
  return address.is_v4() ? (address.low >> 16 & 0xffff) == 0xa9fe  // 169.254.0.0/16
                         : address.high >> 54 == 0xfe80 >> 6;      // fe80::/10
}

/// The address datagrams to `far` would leave from. Connecting a datagram socket sends nothing.
std::optional<Address> source_towards(const Address& far) {
  const int family = family_of(far);
  const int fd = ::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::nullopt;
  SocketAddress remote;
  SocketAddress local;
  local.size = sizeof local.storage;
  const bool known = to_socket(far, family, remote) &&
      ::connect(fd, remote.get(), remote.size) == 0 &&
      ::getsockname(fd, local.get(), &local.size) == 0;
  ::close(fd);
  if (!known) return std::nullopt;
  const Address source = from_socket(local.get());
  if (source.is_any() || is_link_local(source)) return std::nullopt;
  return source;
}

/// Only for machines without a default route, such as those of an isolated rack: there the routing
/// table has no answer, though the machine can be reached.
std::optional<Address> any_interface(bool v6) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(first, &::freeifaddrs);
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != (v6 ? AF_INET6 : AF_INET)) {
      continue;
    }
    if ((each->ifa_flags & IFF_UP) == 0 || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    const Address address = from_socket(each->ifa_addr);
    if (!is_link_local(address)) return address;
  }
  return std::nullopt;
}

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
  if (host.empty()) return malformed();
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

bool is_local(const Address& address) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return true;  // In doubt it stays.
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(first, &::freeifaddrs);
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    const int family = each->ifa_addr == nullptr ? AF_UNSPEC : each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    Address here = from_socket(each->ifa_addr);
    here.port = address.port;
    if (here == address) return true;
  }
  return false;
}

bool is_loopback(const Address& address) {
  return address.is_v4() ? (address.low >> 24 & 0xff) == 127
                         : address.high == 0 && address.low == 1;
}

Address reachable_address(std::uint16_t port, bool v6_only) {
  // Addresses set aside for documentation: nobody's, so they take the default route.
  constexpr Address kFarV4 = Address::v4(0xc0000201, 9);                      // 192.0.2.1
  constexpr Address kFarV6{.high = 0x20010db800000000, .low = 1, .port = 9};  // 2001:db8::1
  constexpr Address kLoopbackV4 = Address::v4(0x7f000001, 0);
  constexpr Address kLoopbackV6{.high = 0, .low = 1, .port = 0};

  std::optional<Address> found;
  if (!v6_only) found = source_towards(kFarV4);
  if (!found) found = source_towards(kFarV6);
  if (!found && !v6_only) found = any_interface(false);
  if (!found) found = any_interface(true);
  Address address = found.value_or(v6_only ? kLoopbackV6 : kLoopbackV4);
  address.port = port;
  return address;
}

}  // namespace dunlin::node
