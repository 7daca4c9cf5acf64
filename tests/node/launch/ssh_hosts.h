// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace dunlin::node {

/// How a host of a test is.
struct SshHostOptions {
  std::string home;        ///< The directory that it takes for its home; empty: one of its own.
  std::string path;        ///< A folder of commands that go before those of the system.
  bool own_tmp = false;    ///< Its /var/tmp is its own, by a mount namespace.
  bool other_key = false;  ///< It shows another host key than the one that is known.
};

/// Hosts for ssh on loopback: each is an sshd of its own, with its own port, host key and home. All
/// run as the user of the test. They end with the object, and so do agents that were launched
/// there.
class SshHosts {
 public:
  /// Works below `directory`. See missing().
  explicit SshHosts(std::string directory);
  ~SshHosts();
  SshHosts(const SshHosts&) = delete;
  SshHosts& operator=(const SshHosts&) = delete;

  /// Why there are none here, as a test says it that skips; empty: there are.
  const std::string& missing() const { return missing_; }
  /// Starts a host and returns its word for ssh, "127.0.0.1:PORT". Remembers in missing() if nobody
  /// can log in there.
  std::string add(const SshHostOptions& options = {});
  /// A port of loopback that takes connections, and never says a word.
  std::string add_mute();
  /// The configuration for ssh -F.
  std::string config() const { return directory_ + "/ssh_config"; }
  /// The home of the host that add() made as the `i`th.
  const std::string& home(std::size_t i) const { return homes_[i]; }

 private:
  void make_keys();
  bool start(const std::vector<std::string>& words);

  std::string directory_;
  std::string missing_;
  std::vector<std::string> homes_;
  std::vector<pid_t> servers_;
  std::vector<int> mute_;
};

}  // namespace dunlin::node
