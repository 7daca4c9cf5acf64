// SPDX-License-Identifier: MIT
#include "tests/node/replicas/host_network.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dunlin::node {
namespace {

int own_network() {
  return ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

}  // namespace

HostNetwork::HostNetwork(int hosts) : before_(own_network()) {
  if (::geteuid() != 0) {
    missing_ = "NOT TESTED: only root makes networks";
  } else if (::unshare(CLONE_NEWNET) != 0) {
    missing_ = "NOT TESTED: no network namespace can be made here";
  } else {
    begin(hosts);
  }
}

HostNetwork::~HostNetwork() {
  ::setns(before_, CLONE_NEWNET);
  for (const int network : hosts_) ::close(network);
  ::close(bridge_);
  ::close(before_);
}

void HostNetwork::begin(int hosts) {
  bridge_ = own_network();
  // The test itself looks for free ports of loopback.
  run(-1, "ip link set lo up");
  run(-1, "ip link add hub type bridge && ip link set hub up");
  for (int i = 0; i < hosts && missing_.empty(); ++i) {
    ::unshare(CLONE_NEWNET);
    hosts_.push_back(own_network());
    ::setns(bridge_, CLONE_NEWNET);
    const std::string port = "port" + std::to_string(i);
    const std::string there =
        "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(hosts_.back());
    run(-1,
        "ip link add " + port + " type veth peer name outside && ip link set outside netns " +
            there + " && ip link set " + port + " master hub up");
    run(i,
        "ip link set lo up && ip address add " + ip(i) +
            "/24 dev outside && ip link set outside up");
  }
  if (missing_.empty()) heal();
}

void HostNetwork::enter(int host) const {
  ::setns(host < 0 ? bridge_ : hosts_[static_cast<std::size_t>(host)], CLONE_NEWNET);
}

void HostNetwork::run(int host, const std::string& line) {
  const int back = own_network();
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
  if (failed && missing_.empty()) missing_ = "NOT TESTED: `" + line + "` failed: " + said;
}

void HostNetwork::cut(int from, int to) {
  run(to, "iptables -w -A INPUT -s " + ip(from) + " -j DROP");
}

void HostNetwork::split(const std::vector<int>& part) {
  const auto is_there = [&](int host) { return std::ranges::count(part, host) > 0; };
  for (int to = 0; to < size(); ++to) {
    for (int from = 0; from < size(); ++from) {
      if (is_there(from) != is_there(to)) cut(from, to);
    }
  }
}

void HostNetwork::mute(int host) {
  for (int to = 0; to < size(); ++to) {
    if (to != host) cut(host, to);
  }
}

void HostNetwork::deafen(int host) {
  run(host, "iptables -w -A INPUT -i outside -j DROP");
}

void HostNetwork::heal() {
  for (int host = 0; host < size(); ++host) run(host, "iptables -w -F INPUT");
}

}  // namespace dunlin::node
