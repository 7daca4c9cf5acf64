// SPDX-License-Identifier: MIT
#pragma once

#include <sys/socket.h>

#include "overlay/address.h"

namespace dunlin::node {

/// An address as the socket calls take it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

/// Fills in the address for a socket of `family` AF_INET or AF_INET6 (which reaches IPv4 as
/// ::ffff:a.b.c.d). False if an IPv4 socket cannot reach the address.
bool to_socket(const overlay::Address& address, int family, SocketAddress& to);

/// The family of a socket that can be bound to `address`.
int family_of(const overlay::Address& address);

/// Nothing (port 0) if it is neither IPv4 nor IPv6.
overlay::Address from_socket(const sockaddr* from);

}  // namespace dunlin::node
