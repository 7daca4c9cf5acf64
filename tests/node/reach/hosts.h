// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace dunlin::node {

/// Hosts with networks that a test lays itself, in namespaces of this process alone, which vanish
/// with it.
class Hosts {
 public:
  /// Moves the calling thread, and the threads that it starts from now on, out of the machine's
  /// network. See missing().
  explicit Hosts(int hosts);
  /// Moves the calling thread back.
  ~Hosts();
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  /// Why there are no such networks here, as a test says it that skips; empty: there are.
  const std::string& missing() const { return missing_; }
  /// Moves the calling thread to that host. For a child process, before exec.
  void enter(int host) const;

  /// Runs a line of shell on a host. Remembers in missing() what it says if it fails.
  void run(int host, const std::string& line);
  /// Lays a cable between the interfaces `name` of two hosts.
  void connect(const std::string& name, int a, int b);
  /// Gives an interface an address, "10.0.0.1/24", and brings it up.
  void set_address(int host, const std::string& name, const std::string& address);
  /// A bridge with carrier and an address, as Docker makes for containers.
  void add_bridge(int host, const std::string& name, const std::string& address);
  /// A network that leads to no other host, and has the default route by `gateway`.
  void add_dead_end(
      int host, const std::string& name, const std::string& address, const std::string& gateway);

 private:
  std::string missing_;
  int before_ = -1;  ///< The network that the calling thread came from.
  int outside_ = -1;
  std::vector<int> hosts_;
};

}  // namespace dunlin::node
