// SPDX-License-Identifier: MIT
#include "tests/node/reach/hosts.h"

#include <cstdio>
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dunlin::node {
namespace {

constexpr int kOutside = -1;

int own_namespace() {
  return ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

std::string path_of(int network) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(network);
}

}  // namespace

Hosts::Hosts(int hosts) : before_(own_namespace()) {
  if (::geteuid() != 0) {
    missing_ = "NOT TESTED: only root makes networks";
    return;
  }
  if (::unshare(CLONE_NEWNET) != 0) {
    missing_ = "NOT TESTED: no network namespace can be made here";
    return;
  }
  outside_ = own_namespace();
  // The test itself looks for free ports of loopback.
  run(kOutside, "ip link set lo up");
  for (int i = 0; i < hosts && missing_.empty(); ++i) {
    ::unshare(CLONE_NEWNET);
    hosts_.push_back(own_namespace());
    ::setns(outside_, CLONE_NEWNET);
    run(i, "ip link set lo up");
  }
}

Hosts::~Hosts() {
  ::setns(before_, CLONE_NEWNET);
  for (const int network : hosts_) ::close(network);
  ::close(outside_);
  ::close(before_);
}

void Hosts::enter(int host) const {
  ::setns(host == kOutside ? outside_ : hosts_[static_cast<std::size_t>(host)], CLONE_NEWNET);
}

void Hosts::run(int host, const std::string& line) {
  if (!missing_.empty()) return;
  const int back = own_namespace();
  enter(host);
  FILE* const pipe = ::popen(("{ " + line + "; } 2>&1").c_str(), "r");
  std::string said;
  char block[256];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) {
    said.append(block, got);
  }
  const bool failed = ::pclose(pipe) != 0;
  ::setns(back, CLONE_NEWNET);
  ::close(back);
  if (failed) missing_ = "NOT TESTED: `" + line + "` failed: " + said;
}

void Hosts::connect(const std::string& name, int a, int b) {
  run(a,
      "ip link add " + name + " type veth peer name far && ip link set far netns " +
          path_of(hosts_[static_cast<std::size_t>(b)]));
  run(b, "ip link set far name " + name);
}

void Hosts::set_address(int host, const std::string& name, const std::string& address) {
  const bool is_v6 = address.find(':') != std::string::npos;
  run(host,
      "ip link set " + name + " up && ip address add " + address + " dev " + name +
          (is_v6 ? " nodad" : ""));
}

void Hosts::add_bridge(int host, const std::string& name, const std::string& address) {
  run(host,
      "ip link add " + name + " type bridge && ip link add inner type veth peer name outer && " +
          "ip link set outer master " + name + " up && ip link set inner up");
  set_address(host, name, address);
}

void Hosts::add_dead_end(
    int host, const std::string& name, const std::string& address, const std::string& gateway) {
  run(host, "ip link add " + name + " type veth peer name end && ip link set end up");
  set_address(host, name, address);
  run(host, "ip route add default via " + gateway);
}

}  // namespace dunlin::node
