// SPDX-License-Identifier: MIT
#include "node/identity/read_capability.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel keeps three sets of capabilities for a thread: what is in effect, what may be put into
// effect, and what a program that it executes gets. Only the first is changed here. The system
// calls are used directly, since the library for them would be one more to install.
namespace dunlin::node {
namespace {

constexpr __u32 kReadSearch = 1u << CAP_DAC_READ_SEARCH;

void put_into_effect(bool on) {
  if (::geteuid() == 0) return;
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[2]{};
  if (::syscall(SYS_capget, &header, sets) != 0) return;
  if (on) {
    sets[0].effective |= sets[0].permitted & kReadSearch;
  } else {
    sets[0].effective &= ~kReadSearch;
  }
  // Without it a read fails as it would without the capability, and says so.
  (void)::syscall(SYS_capset, &header, sets);
}

}  // namespace

ReadCapability::ReadCapability() {
  put_into_effect(true);
}

ReadCapability::~ReadCapability() {
  put_into_effect(false);
}

void ReadCapability::rest() {
  put_into_effect(false);
}

}  // namespace dunlin::node
