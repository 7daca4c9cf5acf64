// SPDX-License-Identifier: MIT
#include "node/dev_cluster.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "node/machine.h"
#include "sched/resources.h"

// Real agents on one machine, which share it: each offers its part of the processors and of memory,
// and all the rest is as on many machines. They are processes of their own that end with this one.
// Ports must be known before an agent starts, because the others are told where to join, so free
// ones are looked for below those that the kernel gives away.
namespace dunlin::node {
namespace {

/// An agent to try things on has room for a task of the default demand, however many share the
/// machine.
constexpr std::uint32_t kCpuMin = 1000;

constexpr int kReadyTriesMax = 600;
constexpr unsigned kReadyPauseMs = 25;

/// A UDP and TCP port of loopback that is free at this moment, and perhaps not at the next; but an
/// agent must know its address before it starts, to tell others where to join. 0 if there is none.
/// Below those that the kernel gives to connections that go out (from 32768): one of the cluster's
/// own could have it before its agent does.
std::uint16_t free_port() {
  constexpr unsigned kFirst = 20'000;
  constexpr unsigned kPorts = 12'000;
  static unsigned next = static_cast<unsigned>(::getpid()) * 64;
  for (int i = 0; i < 1000; ++i) {
    const int datagrams = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int streams = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(kFirst + next++ % kPorts));
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    const bool free = ::bind(datagrams, plain, sizeof address) == 0 &&
        ::bind(streams, plain, sizeof address) == 0;
    ::close(datagrams);
    ::close(streams);
    if (free) return ntohs(address.sin_port);
  }
  return 0;
}

/// True if something listens on the Unix socket.
bool listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected =
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  ::close(socket);
  return connected;
}

/// "--cyclon.period" for that key, "--bind" for "agent.bind": as `dunlin agent` has it.
std::string flag_of(std::string_view key) {
  constexpr std::string_view kAgent = "agent.";
  if (!key.starts_with(kAgent)) return "--" + std::string(key);
  std::string flag = "--" + std::string(key.substr(kAgent.size()));
  std::ranges::replace(flag, '_', '-');
  return flag;
}

}  // namespace

DevCluster::DevCluster(
    uv_loop_t& loop, const DevCommand& command, std::string home, std::string key)
    : loop_(loop),
      command_(command),
      home_(std::move(home)),
      key_(std::move(key)) {
  for (auto* handle : {&interrupt_, &term_}) {
    uv_signal_init(&loop, handle->get());
    (*handle)->data = this;
    uv_signal_start(
        handle->get(),
        [](uv_signal_t* signal, int) { static_cast<DevCluster*>(signal->data)->stop(); },
        handle == &interrupt_ ? SIGINT : SIGTERM);
    // Signals must not keep the loop alive once all agents have ended.
    uv_unref(reinterpret_cast<uv_handle_t*>(handle->get()));
  }
  // Each offers its share, so that together they offer the machine once.
  const Machine machine = detect_machine();
  if (command_.cpus.empty()) {
    command_.cpus = sched::cpu_text(std::max(machine.cpu / command_.nodes, kCpuMin));
  }
  if (command_.memory.empty()) {
    const std::uint32_t offered = machine.memory_mib - memory_reserve(machine.memory_mib);
    command_.memory = std::to_string(std::max(offered / command_.nodes, 16u)) + "M";
  }
}

DevCluster::~DevCluster() = default;

std::vector<std::string> DevCluster::arguments_of(const DevAgent& agent) const {
  std::vector<std::string> words = {"dunlin", "agent", "--die-with-parent", "--name=" + agent.name,
      "--data-dir=" + agent.directory, "--socket=" + agent.socket, "--key-file=" + key_,
      "--bind=" + agent.address, "--cpus=" + command_.cpus, "--memory=" + command_.memory,
      // As if each had a machine of its own: to try replicas on.
      "--machine=" + agent.name, "--log-level=warn", "--drain-deadline=3s", "--leave-deadline=3s",
      // To each of them all others are something else that uses the machine.
      "--tracker.watch=off"};
  if (&agent != &agents_.front()) words.push_back("--join=" + agents_.front().address);
  for (const auto& [key, value] : command_.settings) words.push_back(flag_of(key) + "=" + value);
  return words;
}

Result<void> DevCluster::spawn(DevAgent& agent) {
  std::vector<std::string> words = arguments_of(agent);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  uv_stdio_container_t stdio[3]{};
  stdio[0].flags = UV_IGNORE;
  stdio[1].flags = UV_INHERIT_FD;
  // stdout is for the command beside which the cluster runs, so agents write to stderr alone.
  stdio[1].data.fd = 2;
  stdio[2].flags = UV_INHERIT_FD;
  stdio[2].data.fd = 2;
  uv_process_options_t options{};
  // The very program that runs, also if its file was replaced meanwhile.
  options.file = "/proc/self/exe";
  options.args = arguments.data();
  options.stdio = stdio;
  options.stdio_count = 3;
  // A session of its own: Ctrl-C is for us, and we pass it on once.
  options.flags = UV_PROCESS_DETACHED;
  options.exit_cb = [](uv_process_t* process, std::int64_t status, int signal) {
    static_cast<DevCluster*>(process->data)->on_exit(*process, status, signal);
  };
  agent.process = make_handle<uv_process_t>();
  agent.process->data = this;
  if (const int code = uv_spawn(&loop_, agent.process.get(), &options); code != 0) {
    return failure_of(-code, "cannot start an agent");
  }
  agent.pid = agent.process->pid;
  ++running_;
  return {};
}

Result<void> DevCluster::start() {
  for (std::uint32_t i = 0; i < command_.nodes; ++i) {
    DevAgent agent;
    agent.name = "node" + std::to_string(i + 1);
    agent.directory = home_ + "/" + agent.name;
    agent.socket = agent.directory + "/agent.sock";
    const std::uint16_t port = free_port();
    if (port == 0) return failure(ErrorKind::io, "no free port on 127.0.0.1");
    agent.address = "127.0.0.1:" + std::to_string(port);
    std::error_code error;
    std::filesystem::create_directories(agent.directory, error);
    // An agent warns of a directory that others may read.
    if (!error) {
      std::filesystem::permissions(agent.directory, std::filesystem::perms::owner_all, error);
    }
    if (error) return failure_of(error.value(), "cannot create " + agent.directory);
    agents_.push_back(std::move(agent));
    if (auto spawned = spawn(agents_.back()); !spawned) return spawned;
  }
  return wait_until_ready();
}

Result<void> DevCluster::wait_until_ready() {
  const std::size_t expected = running_;
  for (const DevAgent& agent : agents_) {
    for (int tries = 0; !listens(agent.socket); ++tries) {
      uv_run(&loop_, UV_RUN_NOWAIT);  // An agent that fails is noticed.
      if (running_ < expected || stops_ > 0 || tries >= kReadyTriesMax) {
        return failure(ErrorKind::io, agent.name + " did not start");
      }
      uv_sleep(kReadyPauseMs);
    }
  }
  return {};
}

void DevCluster::stop() {
  ++stops_;
  for (const DevAgent& agent : agents_) {
    if (agent.process != nullptr && agent.pid != 0) uv_process_kill(agent.process.get(), SIGTERM);
  }
}

void DevCluster::on_exit(uv_process_t& process, std::int64_t status, int signal) {
  const auto ended = std::ranges::find(
      agents_, &process, [](const DevAgent& agent) { return agent.process.get(); });
  if (ended == agents_.end()) return;
  --running_;
  ended->pid = 0;
  if (stops_ == 0) {
    status_ = 1;
    std::fprintf(stderr, "dunlin dev: %s ended: %s %d\n", ended->name.c_str(),
        signal != 0 ? "signal" : "exit", signal != 0 ? signal : static_cast<int>(status));
  } else if (status != 0 || signal != 0) {
    status_ = 1;
  }
  ended->process.reset();
}

}  // namespace dunlin::node
