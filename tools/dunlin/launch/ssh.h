// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "overlay/result.h"
#include "tools/dunlin/launch/host_list.h"

namespace dunlin::cli {

/// A directory of this process alone, of mode 0700, for sockets. It goes with the object.
class PrivateDirectory {
 public:
  /// Made below $XDG_RUNTIME_DIR or /tmp: paths of sockets are short.
  static Result<PrivateDirectory> make();
  ~PrivateDirectory();
  PrivateDirectory(PrivateDirectory&& other) noexcept;
  PrivateDirectory& operator=(PrivateDirectory&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

/// How ssh is called.
struct SshWay {
  std::string config;   ///< For -F; empty: ssh's own files.
  std::string control;  ///< The directory of the masters' sockets; empty: no masters.
  std::chrono::seconds timeout{30};
};

/// ssh with flags and `more` of them, the host, and `command` for its shell. It asks nobody
/// anything, and takes no host key that is not known, whatever the user's configuration says. Words
/// are arguments of a process, never of a shell: nothing in them is read once more here. `command`
/// is read by the host's shell.
std::vector<std::string> ssh_words(const SshWay& way,
    const LaunchHost& host,
    const std::vector<std::string>& more,
    const std::string& command);

/// ssh that ends the master of a host.
std::vector<std::string> ssh_exit_words(const SshWay& way, const LaunchHost& host);

}  // namespace dunlin::cli
