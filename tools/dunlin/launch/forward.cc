// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/forward.h"

#include <chrono>
#include <poll.h>
#include <utility>
#include <vector>

#include "tools/dunlin/launch/cluster_file.h"
#include "tools/dunlin/launch/host_launch.h"
#include "tools/dunlin/launch/remote_script.h"

// The key stays with the agents: who may log in there as the user that launched them may use their
// sockets, and nobody else. The far side reads standard input and does nothing: when this process
// ends, however that is, its input ends, and ssh with it.
namespace dunlin::cli {
namespace {

using ForwardClock = std::chrono::steady_clock;

constexpr std::string_view kForwardReady = "dunlin:forward";
constexpr std::chrono::seconds kForwardPatience{10};
/// Hosts that are tried: a cluster of which so many do not answer has other troubles.
constexpr std::size_t kForwardTries = 8;

/// Waits until the login worked, and the socket is there with it.
Result<void> await_forward(ChildProcess& ssh, const std::string& host) {
  const auto deadline = ForwardClock::now() + kForwardPatience;
  while (ssh.out().find(kForwardReady) == std::string::npos) {
    std::vector<pollfd> polls;
    ssh.add_polls(polls);
    ::poll(polls.data(), polls.size(), 100);
    ssh.step();
    const auto status = ssh.status();
    const bool late = ForwardClock::now() >= deadline;
    if (!status && !late) continue;
    const RemoteResult result{status.value_or(0), late, ssh.out(), ssh.err()};
    return failure(ErrorKind::io, host + ": " + ssh_problem(result, host, kForwardPatience));
  }
  return {};
}

}  // namespace

SocketForward::SocketForward(
    PrivateDirectory directory, std::unique_ptr<ChildProcess> ssh, std::string path)
    : directory_(std::move(directory)),
      ssh_(std::move(ssh)),
      path_(std::move(path)) {}

Result<std::unique_ptr<SocketForward>> SocketForward::open(const std::string& cluster) {
  if (auto fine = check_cluster_name(cluster); !fine) return tl::unexpected(fine.error());
  const auto known = load_cluster(cluster);
  if (!known) {
    if (known.error().kind != ErrorKind::not_found) return tl::unexpected(known.error());
    return failure(ErrorKind::not_found,
        "no cluster \"" + cluster + "\" was launched from here (" + cluster_path(cluster, ".toml") +
            "): dunlin launch --cluster " + cluster + " HOST...");
  }
  std::string reasons;
  std::size_t tried = 0;
  for (const LaunchHost& host : known->hosts) {
    // Without a directory the host was never reached, and has no socket that is known.
    if (host.directory.empty() || tried == kForwardTries) continue;
    ++tried;
    // A new one for each try: ssh refuses to listen at a socket that is there already.
    auto directory = PrivateDirectory::make();
    if (!directory) return tl::unexpected(directory.error());
    const std::string path = directory->path() + "/agent.sock";
    const SshWay way{.config = known->ssh_config, .control = {}, .timeout = kForwardPatience};
    // 0177: no other user of this machine may open the socket, for the agent at its far end takes
    // all that come by it for the user that logged in.
    const std::vector<std::string> more = {"-o", "ExitOnForwardFailure=yes", "-o",
        "StreamLocalBindMask=0177", "-L", path + ":" + host.directory + "/agent.sock"};
    // Without its socket the next host is asked, whose agent may live.
    auto ssh = ChildProcess::start(ssh_words(way, host, more,
        "exec sh -c 'test -S \"$1\" && echo " + std::string(kForwardReady) +
            " && exec cat >/dev/null; echo no agent runs there >&2; exit 1' sh " +
            sh_word(host.directory + "/agent.sock")));
    if (!ssh) return tl::unexpected(ssh.error());
    if (auto ready = await_forward(**ssh, host.text()); !ready) {
      reasons += (reasons.empty() ? "" : "; ") + ready.error().text;
      continue;
    }
    return std::unique_ptr<SocketForward>(
        new SocketForward(std::move(*directory), std::move(*ssh), path));
  }
  return failure(ErrorKind::io,
      "no host of cluster \"" + cluster + "\" answers (dunlin launch --cluster " + cluster +
          " --status): " + (reasons.empty() ? "none was reached so far" : reasons));
}

}  // namespace dunlin::cli
