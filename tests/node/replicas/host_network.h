// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace dunlin::node {

/// Hosts with a network each, joined by a bridge. All of it is in namespaces of this process alone,
/// and vanishes with it. Each host has one port of one address. What reaches a host is dropped by
/// rules of its own, so that each direction can be cut by itself.
class HostNetwork {
 public:
  /// Moves the calling thread, and the threads that it starts from now on, out of the machine's
  /// network. See missing().
  explicit HostNetwork(int hosts);
  /// Moves the calling thread back.
  ~HostNetwork();
  HostNetwork(const HostNetwork&) = delete;
  HostNetwork& operator=(const HostNetwork&) = delete;

  /// Why there is no such network here, as a test says it that skips; empty: there is one.
  const std::string& missing() const { return missing_; }
  /// The IPv4 address of host `host`, from 0 on, with a port.
  static std::string address(int host) { return ip(host) + ":7700"; }
  /// Moves the calling thread to that host. For a child process, before exec.
  void enter(int host) const;

  /// What `from` sends does not reach `to` any more.
  void cut(int from, int to);
  /// The hosts of `part` and the others hear nothing of each other.
  void split(const std::vector<int>& part);
  /// `host` is heard by no other any more, and hears all.
  void mute(int host);
  /// `host` hears no other any more, and is heard by all.
  void deafen(int host);
  /// All reaches all again.
  void heal();

 private:
  static std::string ip(int host) { return "10.78.0." + std::to_string(host + 1); }
  int size() const { return static_cast<int>(hosts_.size()); }
  /// Runs a line of shell on the bridge (-1) or a host. Remembers in missing_ what it says if it
  /// fails.
  void run(int host, const std::string& line);
  void begin(int hosts);

  std::string missing_;
  int before_ = -1;  ///< The network that the calling thread came from.
  int bridge_ = -1;
  std::vector<int> hosts_;
};

}  // namespace dunlin::node
