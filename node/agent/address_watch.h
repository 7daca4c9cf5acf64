// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <uv.h>

#include "node/loop/handle.h"
#include "node/loop/wakeup.h"

namespace dunlin::node {

/// Says when the addresses of this machine have changed: a cable, a lease of DHCP, a suspended
/// laptop. Where the kernel does not tell (netlink), it says nothing.
class AddressWatch {
 public:
  /// Changes come in bursts: they are told once, so long after the first.
  static constexpr overlay::Duration kSettle = std::chrono::seconds(1);

  AddressWatch(uv_loop_t& loop, std::function<void()> changed);
  ~AddressWatch();
  AddressWatch(const AddressWatch&) = delete;
  AddressWatch& operator=(const AddressWatch&) = delete;

 private:
  void on_readable();

  uv_loop_t& loop_;
  int socket_ = -1;
  bool told_ = true;
  Wakeup settled_;
  Handle<uv_poll_t> poll_;
};

}  // namespace dunlin::node
