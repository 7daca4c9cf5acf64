// SPDX-License-Identifier: MIT
#include "tests/node/agent_world.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <signal.h>
#include <sodium.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "node/net/keyring.h"
#include "node/net/local_connection.h"

namespace dunlin::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Reads exactly `size` bytes; false at the end of the stream or after 60 s of silence.
bool read_all(int socket, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket, to, size, 0);
    // A recv() with a timeout is not begun again by itself after a signal, such as that a child has
    // ended.
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

Json request(const std::string& verb, Json more) {
  Json json = {{"verb", verb}};
  json.update(more);
  return json;
}

std::string decode_base64(const std::string& text) {
  std::string bytes(text.size(), '\0');
  std::size_t size = 0;
  EXPECT_EQ(sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                text.data(), text.size(), nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL),
      0);
  bytes.resize(size);
  return bytes;
}

std::uint16_t free_port() {
  for (int i = 0; i < 100; ++i) {
    const int datagrams = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int streams = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    const bool free = ::bind(datagrams, plain, size) == 0 &&
        ::getsockname(datagrams, plain, &size) == 0 && ::bind(streams, plain, size) == 0;
    ::close(datagrams);
    ::close(streams);
    if (free) return ntohs(address.sin_port);
  }
  ADD_FAILURE() << "no free port";
  return 0;
}

TestClient::TestClient(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(socket);
    return;
  }
  const timeval patience{.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  socket_ = socket;
}

TestClient::TestClient(TestClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      id_last_(other.id_last_) {}

TestClient::~TestClient() {
  if (socket_ >= 0) ::close(socket_);
}

void TestClient::send_raw(const std::string& bytes) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  while (left > 0) {
    const ssize_t sent = ::send(socket_, at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    at += sent;
    left -= static_cast<std::size_t>(sent);
  }
}

std::string TestClient::receive() {
  unsigned char header[kFrameHeader];
  if (!read_all(socket_, reinterpret_cast<char*>(header), sizeof(header))) return "";
  std::size_t size = 0;
  for (std::size_t i = 0; i < sizeof(header); ++i) size |= std::size_t{header[i]} << (8 * i);
  std::string text(size, '\0');
  return read_all(socket_, text.data(), size) ? text : "";
}

Json TestClient::call(Json request, const std::function<void(const Json&)>& part) {
  request["id"] = ++id_last_;
  std::string bytes;
  append_frame(bytes, compact(request));
  send_raw(bytes);
  std::string ended = "the connection ended";
  while (true) {
    errno = 0;
    const std::string text = receive();
    if (text.empty()) {
      if (errno != 0) ended += std::string(": ") + std::strerror(errno);
      return {{"error", {{"kind", "io"}, {"text", ended}}}};
    }
    Json reply = Json::parse(text);
    // An agent that ends it says why, to no request.
    if (reply["id"].is_null()) ended += ": " + reply.dump();
    if (reply["id"] != id_last_) continue;
    if (reply.contains("error") || reply.value("end", false)) return reply;
    if (part) part(reply["ok"]);
  }
}

Json TestClient::ok(Json request, const std::function<void(const Json&)>& part) {
  const Json reply = call(request, part);
  EXPECT_TRUE(reply.contains("ok")) << request.dump() << " -> " << reply.dump();
  return reply.contains("ok") ? reply["ok"] : Json::object();
}

TestAgent::TestAgent(
    std::string name, std::string directory, std::string key, std::vector<std::string> arguments)
    : name_(std::move(name)),
      directory_(std::move(directory)),
      port_(free_port()),
      address_("127.0.0.1:" + std::to_string(port_)),
      key_(std::move(key)),
      arguments_(std::move(arguments)) {}

TestAgent::~TestAgent() {
  if (running()) kill9();
  // It would keep tasks for an agent that never comes.
  if (const pid_t warden = this->warden(); warden > 1) ::kill(warden, SIGTERM);
}

pid_t TestAgent::warden() const {
  pid_t pid = 0;
  std::ifstream(directory_ + "/warden/lock") >> pid;
  std::string name;
  std::ifstream("/proc/" + std::to_string(pid) + "/comm") >> name;
  return name == "dunlin-warden" ? pid : 0;
}

void TestAgent::start() {
  std::vector<std::string> words = {DUNLIN_PROGRAM, "agent", "--die-with-parent", "--name=" + name_,
      "--data-dir=" + directory_, "--socket=" + socket(), "--key-file=" + key_,
      "--machine=" + name_, "--bind=" + address_, "--cpus=2", "--memory=1G", "--sync=normal",
      "--limits=rlimit", "--worker.renew=200ms", "--worker.orphan_after=5s",
      "--frontend.task_lease=2s", "--frontend.recovery_wait=1s", "--kill-grace=500ms",
      // With kill -9 of an agent these tests mean its whole machine.
      "--worker.reattach_within=100ms"};
  for (const std::string& argument : arguments_) {
    // A flag is given once: the test's own replaces the usual one.
    const std::string flag = argument.substr(0, argument.find('=') + 1);
    std::erase_if(words, [&](const std::string& word) { return word.starts_with(flag); });
    words.push_back(argument);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = directory_ + ".log";

  pid_ = ::fork();
  if (pid_ != 0) return;
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  if (in_child) in_child();
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

void TestAgent::wait_until_up() {
  for (int i = 0; i < 600; ++i) {
    if (client().connected()) return;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      break;
    }
    std::this_thread::sleep_for(milliseconds(50));
  }
  FAIL() << name_ << " did not start:\n" << log();
}

void TestAgent::signal(int number) const {
  // kill(-1) would reach every process there is.
  if (pid_ > 0) ::kill(pid_, number);
}

int TestAgent::wait() {
  const auto until = steady_clock::now() + std::chrono::seconds(30);
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (steady_clock::now() > until) return -1;
    std::this_thread::sleep_for(milliseconds(10));
  }
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void TestAgent::kill9() {
  signal(SIGKILL);
  wait();
}

std::string TestAgent::log() const {
  std::ostringstream text;
  text << std::ifstream(directory_ + ".log").rdbuf();
  return text.str();
}

AgentWorld::AgentWorld() {
  std::string pattern = std::filesystem::temp_directory_path() / "dunlin-agents-XXXXXX";
  home = ::mkdtemp(pattern.data());
  key = home + "/cluster.key";
  EXPECT_TRUE(Keyring::generate("test")->save(key));
}

AgentWorld::~AgentWorld() {
  if (HasFailure()) {
    for (const auto& agent : agents) {
      std::fprintf(stderr, "--- %s\n%s", agent->name().c_str(), agent->log().c_str());
    }
  }
  agents.clear();
  std::error_code ignored;
  std::filesystem::remove_all(home, ignored);
}

TestAgent& AgentWorld::add(const std::string& name, std::vector<std::string> arguments) {
  if (!agents.empty()) arguments.push_back("--join=" + agents.front()->address());
  agents.push_back(std::make_unique<TestAgent>(name, home + "/" + name, key, std::move(arguments)));
  agents.back()->start();
  agents.back()->wait_until_up();
  return *agents.back();
}

void AgentWorld::wait_for_nodes(TestAgent& at, std::size_t count) {
  TestClient client = at.client();
  std::size_t up = 0;
  const bool all = eventually([&] {
    up = 0;
    const Json nodes = client.ok(request("nodes"))["nodes"];
    for (const Json& node : nodes) {
      if (node["state"] == "up" && node["facts"] == true) ++up;
    }
    return up == count;
  });
  EXPECT_TRUE(all) << up << " of " << count << " nodes are up";
}

std::uint32_t AgentWorld::submit(TestAgent& at, const std::string& script, int count, Json more) {
  Json group = {{"command", {"sh", "-c", script}}, {"count", count},
      {"demand", {{"cpu_milli", 500}, {"memory_mib", 16}}}};
  if (more.is_object()) group.update(more);
  const Json accepted = at.client().ok(
      request("submit", {{"name", "test"}, {"owner", "tester"}, {"groups", Json::array({group})}}));
  return accepted.value("number", 0u);
}

Json AgentWorld::finish(TestAgent& at, std::uint32_t job) {
  const Json done = at.client().ok(request("wait", {{"numbers", Json::array({job})}}));
  if (!done.contains("jobs") || done["jobs"].empty()) return Json::object();
  return done["jobs"][0]["counts"];
}

std::string AgentWorld::output(TestAgent& at, std::uint32_t job, std::uint32_t task, bool follow) {
  std::string bytes;
  const auto take = [&](const Json& part) { bytes += decode_base64(part.value("data", "")); };
  take(at.client().ok(
      request("output", {{"number", job}, {"task", task}, {"stream", "out"}, {"follow", follow}}),
      take));
  return bytes;
}

bool AgentWorld::eventually(const std::function<bool()>& holds, std::chrono::seconds patience) {
  const auto until = steady_clock::now() + patience;
  while (!holds()) {
    if (steady_clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return true;
}

}  // namespace dunlin::node
