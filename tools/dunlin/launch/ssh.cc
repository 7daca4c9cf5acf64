// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/ssh.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

// ssh is called as a program, with the user's own configuration: jump hosts, names and keys work as
// everywhere else. Options that could ask a question, or print beside what a script says, are
// turned off. A master for each host saves the handshake of all steps but the first; its socket has
// a short path, because paths of sockets may have some hundred bytes.
namespace dunlin::cli {
namespace {

/// A runtime directory with a longer path leaves too little room for the socket of a master.
constexpr std::size_t kRuntimePathMax = 30;

/// The words at the head of each call: the same files and masters for all of them.
std::vector<std::string> way_words(const SshWay& way) {
  std::vector<std::string> words = {"ssh"};
  if (!way.config.empty()) words.insert(words.end(), {"-F", way.config});
  if (!way.control.empty()) words.insert(words.end(), {"-o", "ControlPath=" + way.control + "/%C"});
  return words;
}

/// The host as the last words. Behind "--" no name can be a flag.
void add_target(std::vector<std::string>& words, const LaunchHost& host) {
  if (host.port != 0) words.insert(words.end(), {"-p", std::to_string(host.port)});
  if (!host.user.empty()) words.insert(words.end(), {"-l", host.user});
  words.insert(words.end(), {"--", host.name});
}

}  // namespace

Result<PrivateDirectory> PrivateDirectory::make() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool is_short =
      runtime != nullptr && *runtime == '/' && std::string(runtime).size() <= kRuntimePathMax;
  std::string path;
  // A runtime directory may be named and not exist, as after su.
  for (const std::string& folder :
      {std::string(is_short ? runtime : "/tmp"), std::string("/tmp")}) {
    path = folder + "/dunlin-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) return PrivateDirectory(std::move(path));
  }
  return failure_of(errno, "no directory for sockets can be made: " + path);
}

PrivateDirectory::PrivateDirectory(PrivateDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

PrivateDirectory::~PrivateDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> ssh_words(const SshWay& way,
    const LaunchHost& host,
    const std::vector<std::string>& more,
    const std::string& command) {
  std::vector<std::string> words = way_words(way);
  // It must never ask: nobody sees the question of one of forty. Forwards and commands of the
  // user's own configuration are turned off, because scripts read what comes back.
  std::vector<std::string> options = {"BatchMode=yes", "StrictHostKeyChecking=yes",
      "ConnectTimeout=" + std::to_string(way.timeout.count()), "ServerAliveInterval=5",
      "ForwardAgent=no", "ForwardX11=no", "PermitLocalCommand=no", "RemoteCommand=none",
      "LogLevel=ERROR"};
  if (way.control.empty()) {
    options.insert(options.end(), {"ControlMaster=no", "ControlPath=none"});
  } else {
    // One handshake for all steps of a host; the master outlives the pause between two of them.
    options.insert(options.end(), {"ControlMaster=auto", "ControlPersist=60"});
  }
  words.push_back("-T");
  for (std::string& option : options) words.insert(words.end(), {"-o", std::move(option)});
  words.insert(words.end(), more.begin(), more.end());
  add_target(words, host);
  words.push_back(command);
  return words;
}

std::vector<std::string> ssh_exit_words(const SshWay& way, const LaunchHost& host) {
  std::vector<std::string> words = way_words(way);
  words.insert(words.end(), {"-o", "BatchMode=yes", "-O", "exit"});
  add_target(words, host);
  return words;
}

}  // namespace dunlin::cli
