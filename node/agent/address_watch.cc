// SPDX-License-Identifier: MIT
#include "node/agent/address_watch.h"

#include <array>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

// The kernel tells when addresses of the machine come or go. Changes come in bursts, as when a
// network is set up, so what follows waits until it is quiet.
namespace dunlin::node {
namespace {

/// A socket that hears of addresses, or -1.
int open_netlink() {
  const int opened = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (opened < 0) return -1;
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  // Only addresses: links and routes mean nothing here.
  address.nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  if (::bind(opened, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return opened;
  }
  ::close(opened);
  return -1;
}

}  // namespace

AddressWatch::AddressWatch(uv_loop_t& loop, std::function<void()> changed)
    : loop_(loop),
      socket_(open_netlink()),
      settled_(loop, [this, changed = std::move(changed)] {
        told_ = true;
        changed();
      }) {
  // Without netlink the agent goes on with the addresses that it has.
  if (socket_ < 0) return;
  poll_ = make_handle<uv_poll_t>();
  uv_poll_init(&loop, poll_.get(), socket_);
  poll_->data = this;
  uv_poll_start(poll_.get(), UV_READABLE,
      [](uv_poll_t* poll, int, int) { static_cast<AddressWatch*>(poll->data)->on_readable(); });
}

AddressWatch::~AddressWatch() {
  poll_.reset();
  if (socket_ >= 0) ::close(socket_);
}

void AddressWatch::on_readable() {
  // What it says does not matter: the addresses are looked at anew. A full buffer says as much.
  std::array<char, 8192> block;  // NOLINT(*-member-init): it is not read.
  while (::recv(socket_, block.data(), block.size(), 0) > 0) continue;
  // Once for a burst: an interface that comes up gets its addresses one by one.
  if (std::exchange(told_, false)) settled_.at(now(loop_) + kSettle);
}

}  // namespace dunlin::node
