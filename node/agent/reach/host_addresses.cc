// SPDX-License-Identifier: MIT
#include "node/agent/reach/host_addresses.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <map>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include "node/net/socket_address.h"

// Interfaces by netlink. What getifaddrs() tells lacks what matters here: if an interface is a
// bridge, and of what, if it is a tunnel, and if an address is a temporary one of IPv6. /sys has
// the first two, but of the network namespace that it was mounted in, which need not be ours.
namespace dunlin::node {
namespace {

using overlay::Address;

/// Answers of the kernel come in blocks of at most so many bytes.
constexpr std::size_t kBlock = 64 << 10;

/// The attributes behind the fixed part of a message.
class Attributes {
 public:
  Attributes(const void* begin, std::size_t bytes)
      : begin_(static_cast<const std::byte*>(begin)),
        bytes_(bytes) {}

  /// The content of that attribute; empty if it is not there.
  std::string_view find(unsigned kind) const {
    std::size_t at = 0;
    while (at + sizeof(rtattr) <= bytes_) {
      rtattr head;
      std::memcpy(&head, begin_ + at, sizeof head);
      if (head.rta_len < sizeof head || at + head.rta_len > bytes_) break;
      if ((head.rta_type & NLA_TYPE_MASK) == kind) {
        return {reinterpret_cast<const char*>(begin_ + at + RTA_LENGTH(0)),
            head.rta_len - RTA_LENGTH(0)};
      }
      at += RTA_ALIGN(head.rta_len);
    }
    return {};
  }
  std::string text(unsigned kind) const {
    const std::string_view content = find(kind);
    return std::string(content.substr(0, content.find('\0')));
  }
  std::optional<std::uint32_t> number(unsigned kind) const {
    const std::string_view content = find(kind);
    if (content.size() < sizeof(std::uint32_t)) return std::nullopt;
    std::uint32_t value = 0;
    std::memcpy(&value, content.data(), sizeof value);
    return value;
  }

 private:
  const std::byte* begin_;
  std::size_t bytes_;
};

/// The address in that attribute; port 0. Nothing if it is none of `family`.
std::optional<Address> address_in(std::string_view content, unsigned char family) {
  if (family == AF_INET && content.size() >= 4) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    std::memcpy(&v4.sin_addr, content.data(), 4);
    return from_socket(reinterpret_cast<const sockaddr*>(&v4));
  }
  if (family == AF_INET6 && content.size() >= 16) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    std::memcpy(&v6.sin6_addr, content.data(), 16);
    return from_socket(reinterpret_cast<const sockaddr*>(&v6));
  }
  return std::nullopt;
}

/// A question to the kernel for all of a kind.
class KernelTables {
 public:
  KernelTables() : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {}
  ~KernelTables() {
    if (socket_ >= 0) ::close(socket_);
  }
  KernelTables(const KernelTables&) = delete;
  KernelTables& operator=(const KernelTables&) = delete;

  /// Gives `take` the fixed part of each row, and what is behind it.
  template <typename Fixed>
  void each(
      std::uint16_t question, const std::function<void(const Fixed&, const Attributes&)>& take) {
    if (!ask(question)) return;
    std::vector<char> block(kBlock);
    for (;;) {
      const ssize_t got = ::recv(socket_, block.data(), block.size(), 0);
      if (got <= 0) return;
      auto left = static_cast<std::size_t>(got);
      const char* at = block.data();
      nlmsghdr head;
      while (left >= sizeof head) {
        std::memcpy(&head, at, sizeof head);
        if (head.nlmsg_len < sizeof head || head.nlmsg_len > left) return;
        // An error ends the answer, too: what was told before it stands.
        if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) return;
        constexpr std::size_t kHead = NLMSG_SPACE(sizeof(Fixed));
        if (head.nlmsg_len >= kHead) {
          Fixed fixed;
          std::memcpy(&fixed, at + NLMSG_HDRLEN, sizeof fixed);
          take(fixed, Attributes(at + kHead, head.nlmsg_len - kHead));
        }
        const std::size_t step = std::min<std::size_t>(NLMSG_ALIGN(head.nlmsg_len), left);
        at += step;
        left -= step;
      }
    }
  }

 private:
  bool ask(std::uint16_t question) {
    struct {
      nlmsghdr head;
      rtgenmsg body;
    } request{};
    request.head.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
    request.head.nlmsg_type = question;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.body.rtgen_family = AF_UNSPEC;
    return socket_ >= 0 &&
        ::send(socket_, &request, request.head.nlmsg_len, 0) ==
        static_cast<ssize_t>(request.head.nlmsg_len);
  }

  int socket_;
};

/// A network interface, as the kernel describes it.
struct Device {
  std::string name;
  std::string kind;          ///< "bridge", "veth", "wireguard" ...; empty of hardware.
  unsigned type = 0;         ///< ARPHRD_...
  unsigned flags = 0;        ///< IFF_...
  std::uint32_t master = 0;  ///< The bridge or bond that it is a port of; 0: none.
};

using Devices = std::map<std::uint32_t, Device>;

/// True if `kind` is among these.
bool is_of(const std::string& kind, std::initializer_list<std::string_view> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// True if the ports of that bridge lead out of the machine. A host of virtual machines often has
/// its own address on such a bridge.
bool leads_out(const Devices& devices, std::uint32_t bridge) {
  return std::ranges::any_of(devices, [&](const auto& each) {
    return each.second.master == bridge && !is_of(each.second.kind, {"veth", "tun", "dummy"});
  });
}

/// The use of a device to a node that wants to be reached by it. A kind that is not known is taken
/// for one that leads no further than this machine, as pairs of containers do.
Link link_of(const Devices& devices, std::uint32_t index, const Device& device) {
  if ((device.flags & IFF_LOOPBACK) != 0) return Link::loopback;
  if (device.kind == "bridge") return leads_out(devices, index) ? Link::wire : Link::bridge;
  const bool of_a_tunnel = is_of(device.kind,
      {"tun", "wireguard", "gre", "gretap", "ip6gre", "ip6gretap", "ipip", "sit", "ip6tnl", "vti",
          "vti6", "xfrm", "vxlan", "geneve", "ppp"});
  if (of_a_tunnel || device.type == ARPHRD_PPP || device.type == ARPHRD_NONE ||
      device.type == ARPHRD_TUNNEL || device.type == ARPHRD_TUNNEL6) {
    return Link::tunnel;
  }
  return device.kind.empty() || is_of(device.kind, {"bond", "team", "vlan"}) ? Link::wire
                                                                             : Link::pair;
}

Devices read_devices(KernelTables& tables) {
  Devices devices;
  tables.each<ifinfomsg>(RTM_GETLINK, [&](const ifinfomsg& link, const Attributes& attributes) {
    const std::string_view info = attributes.find(IFLA_LINKINFO);
    devices[static_cast<std::uint32_t>(link.ifi_index)] = {.name = attributes.text(IFLA_IFNAME),
        .kind = Attributes(info.data(), info.size()).text(IFLA_INFO_KIND),
        .type = link.ifi_type,
        .flags = link.ifi_flags,
        .master = attributes.number(IFLA_MASTER).value_or(0)};
  });
  return devices;
}

/// A way out of the machine: an interface, and for which family of addresses.
struct Default {
  unsigned char family = 0;
  std::uint32_t device = 0;
  friend bool operator==(const Default&, const Default&) = default;
};

std::vector<Default> read_default_routes(KernelTables& tables) {
  std::vector<Default> defaults;
  tables.each<rtmsg>(RTM_GETROUTE, [&](const rtmsg& route, const Attributes& attributes) {
    const auto table = attributes.number(RTA_TABLE).value_or(route.rtm_table);
    // A default route has no bits of a destination; the other tables hold for some traffic only.
    if (route.rtm_dst_len != 0 || route.rtm_type != RTN_UNICAST || table != RT_TABLE_MAIN) return;
    auto device = attributes.number(RTA_OIF);
    if (const std::string_view hops = attributes.find(RTA_MULTIPATH);
        !device && hops.size() >= sizeof(rtnexthop)) {
      rtnexthop first;
      // One of several ways out: any of them shows that the interface leads out.
      std::memcpy(&first, hops.data(), sizeof first);
      device = static_cast<std::uint32_t>(first.rtnh_ifindex);
    }
    if (device) defaults.push_back({route.rtm_family, *device});
  });
  return defaults;
}

}  // namespace

// Devices first: an address is of one, and says little without knowing which.
std::vector<HostAddress> host_addresses() {
  KernelTables tables;
  const Devices devices = read_devices(tables);
  const std::vector<Default> defaults = read_default_routes(tables);
  std::vector<HostAddress> all;
  tables.each<ifaddrmsg>(RTM_GETADDR, [&](const ifaddrmsg& told, const Attributes& attributes) {
    const auto device = devices.find(told.ifa_index);
    // Of a link between two points, IFA_ADDRESS is the far end.
    const std::string_view local = attributes.find(IFA_LOCAL);
    const auto address =
        address_in(local.empty() ? attributes.find(IFA_ADDRESS) : local, told.ifa_family);
    if (device == devices.end() || !address || (device->second.flags & IFF_UP) == 0) return;
    const auto flags = attributes.number(IFA_FLAGS).value_or(told.ifa_flags);
    const bool is_v6 = told.ifa_family == AF_INET6;
    // Of IPv4, the flag of a temporary address says that it is a second one.
    const std::uint32_t passing = IFA_F_DEPRECATED | IFA_F_TENTATIVE | IFA_F_DADFAILED |
        (is_v6 ? std::uint32_t{IFA_F_TEMPORARY} : 0);
    all.push_back({.subnet = {.address = *address,
                       // Addresses of IPv4 are kept in the form of IPv6, behind 96 bits.
                       .prefix = static_cast<std::uint8_t>(told.ifa_prefixlen + (is_v6 ? 0 : 96))},
        .interface = device->second.name,
        .link = link_of(devices, told.ifa_index, device->second),
        .carrier = (device->second.flags & IFF_RUNNING) != 0,
        .lasting = (flags & passing) == 0,
        .leads_out = std::ranges::find(defaults, Default{told.ifa_family, told.ifa_index}) !=
            defaults.end()});
  });
  return all;
}

// The kernel itself says from which address it would send there.
std::optional<Address> source_towards(const Address& far) {
  const int family = family_of(far);
  const int fd = ::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::nullopt;
  SocketAddress remote;
  SocketAddress local;
  local.size = sizeof local.storage;
  // To connect a datagram socket sends nothing.
  const bool known = to_socket(far, family, remote) &&
      ::connect(fd, remote.get(), remote.size) == 0 &&
      ::getsockname(fd, local.get(), &local.size) == 0;
  ::close(fd);
  if (!known) return std::nullopt;
  Address source = from_socket(local.get());
  source.port = 0;
  if (source.is_any()) return std::nullopt;
  return source;
}

}  // namespace dunlin::node
