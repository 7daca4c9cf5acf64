// SPDX-License-Identifier: MIT
#include "tests/node/launch/ssh_hosts.h"

#include <arpa/inet.h>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <signal.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "tests/node/agent_world.h"

namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServer = "/usr/sbin/sshd";

/// Runs a line of shell; true if it went well.
bool shell_line(const std::string& line) {
  return std::system(("{ " + line + "; } >/dev/null 2>&1 </dev/null").c_str()) == 0;
}

std::string file_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Ends the agent and the warden that live below `base`, if they do.
void end_agent(const fs::path& base) {
  for (const char* const name : {"agent.pid", "data/warden/lock"}) {
    const long pid = std::strtol(file_text(base / name).c_str(), nullptr, 10);
    std::error_code ignored;
    const auto program = fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", ignored);
    // A number in a file may be another process's by now.
    if (pid > 1 && program.string().starts_with((base / "programs").string())) {
      ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
  }
}

}  // namespace

SshHosts::SshHosts(std::string directory) : directory_(std::move(directory)) {
  if (!fs::exists(kServer)) {
    missing_ = "NOT TESTED: there is no sshd here (tools/install-packages test)";
    return;
  }
  fs::create_directories(directory_);
  if (::geteuid() == 0) fs::create_directories("/run/sshd");
  make_keys();
}

SshHosts::~SshHosts() {
  for (const std::string& home : homes_) {
    std::error_code ignored;
    for (const auto& each : fs::directory_iterator(home + "/.dunlin", ignored)) {
      end_agent(each.path());
    }
  }
  for (const pid_t server : servers_) {
    ::kill(server, SIGTERM);
    ::waitpid(server, nullptr, 0);
  }
  for (const int socket : mute_) ::close(socket);
}

void SshHosts::make_keys() {
  const std::string make = "ssh-keygen -q -t ed25519 -N '' -f " + directory_;
  if (!shell_line(make + "/user_key") || !shell_line(make + "/host_key") ||
      !shell_line(make + "/other_key")) {
    missing_ = "NOT TESTED: ssh-keygen makes no keys here";
    return;
  }
  std::ofstream(config()) << "Host *\n  IdentityFile " << directory_ << "/user_key\n"
                          << "  IdentitiesOnly yes\n  UserKnownHostsFile " << directory_
                          << "/known_hosts\n  GlobalKnownHostsFile /dev/null\n";
}

bool SshHosts::start(const std::vector<std::string>& words) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    argv.push_back(nullptr);
    ::execvp(argv[0], const_cast<char* const*>(argv.data()));
    ::_exit(127);
  }
  servers_.push_back(pid);
  return pid > 0;
}

std::string SshHosts::add(const SshHostOptions& options) {
  const std::string name = directory_ + "/host" + std::to_string(homes_.size());
  homes_.push_back(options.home.empty() ? name + "/home" : options.home);
  fs::create_directories(homes_.back());
  fs::create_directories(name + "/var_tmp");
  const std::string port = std::to_string(free_port());
  const std::string path = options.path.empty() ? "" : options.path + ":";
  std::ofstream(name + "/sshd_config")
      << "Port " << port << "\nListenAddress 127.0.0.1\nHostKey " << directory_
      << (options.other_key ? "/other_key" : "/host_key") << "\nPidFile none\nAuthorizedKeysFile "
      << directory_ << "/user_key.pub\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
      << "PermitRootLogin yes\nMaxStartups 100\nSetEnv HOME=" << homes_.back() << " PATH=" << path
      << "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin\n";
  std::ofstream(directory_ + "/known_hosts", std::ios::app)
      << "[127.0.0.1]:" << port << " " << file_text(directory_ + "/host_key.pub");
  const std::string server =
      std::string("exec ") + kServer + " -D -f " + name + "/sshd_config -E " + name + "/log";
  const std::string mount = "mount --bind " + name + "/var_tmp /var/tmp && ";
  if (options.own_tmp) {
    start({"unshare", "--mount", "sh", "-c", mount + server});
  } else {
    start({"sh", "-c", server});
  }
  // A host with another key is there once it shows one; into the others somebody must get.
  const std::string login = "ssh -F " + config() +
      " -o BatchMode=yes -o ConnectTimeout=5 -o StrictHostKeyChecking=yes -p " + port +
      " 127.0.0.1 true";
  const std::string scan = "ssh-keyscan -T 2 -p " + port + " 127.0.0.1 | grep ssh-ed25519";
  for (int i = 0; i < 100; ++i) {
    if (shell_line(options.other_key ? scan : login)) return "127.0.0.1:" + port;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  missing_ = "NOT TESTED: nobody can log in at an sshd here: " + file_text(name + "/log");
  return "127.0.0.1:" + port;
}

std::string SshHosts::add_mute() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(socket, plain, size), 0);
  EXPECT_EQ(::listen(socket, 8), 0);
  EXPECT_EQ(::getsockname(socket, plain, &size), 0);
  mute_.push_back(socket);
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

}  // namespace dunlin::node
