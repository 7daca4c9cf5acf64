// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>
#include <vector>

#include "node/dev_cluster.h"
#include "node/entry.h"
#include "node/loop/handle.h"
#include "node/machine.h"
#include "node/net/keyring.h"
#include "sched/resources.h"

// `dunlin dev`: a cluster to try things on, in the foreground, gone with Ctrl-C. Its directory is
// temporary unless one is named; then a second start finds the key and the jobs of the first.
namespace dunlin::node {
namespace {

constexpr std::uint32_t kNodesMax = 256;

int fail_dev(const Error& error) {
  std::fprintf(stderr, "dunlin dev: %s\n", error.text.c_str());
  return error.kind == ErrorKind::usage ? 2 : 1;
}

/// The directory of all agents: given, or a new temporary one.
Result<std::string> make_home(const std::string& wanted) {
  if (!wanted.empty()) {
    std::error_code error;
    std::filesystem::create_directories(wanted, error);
    if (error) return failure_of(error.value(), "cannot create " + wanted);
    return std::filesystem::absolute(wanted).string();
  }
  const char* base = std::getenv("TMPDIR");
  std::string path =
      std::string(base != nullptr && *base == '/' ? base : "/tmp") + "/dunlin-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return failure_of(errno, "cannot create " + path);
  return path;
}

Result<std::string> make_key(const std::string& home) {
  const std::string path = home + "/cluster.key";
  // A directory that is used again: its agents know each other by this key.
  if (std::filesystem::exists(path)) return path;
  const auto keyring = Keyring::generate("dev");
  if (!keyring) return tl::unexpected(keyring.error());
  if (auto saved = keyring->save(path); !saved) return tl::unexpected(saved.error());
  return path;
}

void greet(const DevCluster& cluster) {
  for (const DevAgent& agent : cluster.agents()) {
    std::printf("%-8s pid %-7d %s\n", agent.name.c_str(), agent.pid, agent.address.c_str());
  }
  const bool one = cluster.agents().size() == 1;
  std::printf(
      "\n%zu %s; Ctrl-C stops %s. In another terminal:\n\n"
      "  export DUNLIN_ADDRESS=%s\n"
      "  dunlin nodes\n"
      "  dunlin run --count 20 -- sh -c 'echo hello from $DUNLIN_NODE'\n\n",
      cluster.agents().size(), one ? "agent runs" : "agents run", one ? "it" : "them",
      cluster.agents().front().socket.c_str());
  std::fflush(stdout);
}

}  // namespace

int run_dev(const DevCommand& command) {
  if (command.nodes == 0 || command.nodes > kNodesMax) {
    return fail_dev({ErrorKind::usage, "--nodes must be from 1 to " + std::to_string(kNodesMax)});
  }
  const auto home = make_home(command.data);
  if (!home) return fail_dev(home.error());
  const auto key = make_key(*home);
  if (!key) return fail_dev(key.error());

  uv_loop_t loop;
  uv_loop_init(&loop);
  int status = 0;
  {
    DevCluster cluster(loop, command, *home, *key);
    const auto started = cluster.start();
    if (started) {
      greet(cluster);
    } else {
      status = fail_dev(started.error());
      cluster.stop();
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    if (status == 0) status = cluster.status();
  }
  // Handles of the cluster, which is gone, are freed by the loop's next turn, not at once.
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);

  const bool temporary = command.data.empty() && !command.keep;
  std::error_code ignored;
  if (temporary) std::filesystem::remove_all(*home, ignored);
  if (!temporary) std::printf("kept: %s\n", home->c_str());
  return status;
}

}  // namespace dunlin::node
