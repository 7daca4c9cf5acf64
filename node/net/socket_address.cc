// SPDX-License-Identifier: MIT
#include "node/net/socket_address.h"

#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>

// Addresses as the kernel has them, and as the overlay has them: two numbers of 64 bits, in an
// order that does not depend on the machine. An IPv4 address is one of IPv6 that is mapped
// (::ffff:a.b.c.d), so that a socket for both and one for IPv4 alone name a node alike.
namespace dunlin::node {

int family_of(const overlay::Address& address) {
  return address.is_v4() ? AF_INET : AF_INET6;
}

bool to_socket(const overlay::Address& address, int family, SocketAddress& to) {
  if (family == AF_INET) {
    if (!address.is_v4()) return false;
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&to.storage);
    *v4 = {};
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address.port);
    v4->sin_addr.s_addr = htonl(static_cast<std::uint32_t>(address.low));
    to.size = sizeof *v4;
    return true;
  }
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&to.storage);
  *v6 = {};
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(address.port);
  for (int i = 0; i < 8; ++i) {
    v6->sin6_addr.s6_addr[i] = static_cast<std::uint8_t>(address.high >> (56 - 8 * i));
    v6->sin6_addr.s6_addr[8 + i] = static_cast<std::uint8_t>(address.low >> (56 - 8 * i));
  }
  to.size = sizeof *v6;
  return true;
}

overlay::Address from_socket(const sockaddr* from) {
  if (from->sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, from, sizeof v4);
    return overlay::Address::v4(ntohl(v4.sin_addr.s_addr), ntohs(v4.sin_port));
  }
  if (from->sa_family != AF_INET6) return {};
  sockaddr_in6 v6;
  std::memcpy(&v6, from, sizeof v6);
  overlay::Address address{.high = 0, .low = 0, .port = ntohs(v6.sin6_port)};
  for (int i = 0; i < 8; ++i) {
    address.high = address.high << 8 | v6.sin6_addr.s6_addr[i];
    address.low = address.low << 8 | v6.sin6_addr.s6_addr[8 + i];
  }
  return address;
}

}  // namespace dunlin::node
