// SPDX-License-Identifier: MIT
#include "tests/web/gateway_world.h"

#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace dunlin::web {
namespace {

/// Runs `dunlin web WORDS...` with its stdout in the pipe that is returned.
std::pair<pid_t, int> start_program(
    const std::string& agent_socket, const std::vector<std::string>& words) {
  int out[2] = {-1, -1};
  EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::vector<const char*> argv = {DUNLIN_PROGRAM, "web"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    argv.push_back(nullptr);
    ::setenv("DUNLIN_ADDRESS", agent_socket.c_str(), 1);
    ::dup2(out[1], STDOUT_FILENO);
    ::execv(argv[0], const_cast<char* const*>(argv.data()));
    ::_exit(127);
  }
  ::close(out[1]);
  return {pid, out[0]};
}

std::string first_line(int from) {
  std::string line;
  char c = 0;
  while (::read(from, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

}  // namespace

std::string request_text(const std::string& method,
    const std::string& target,
    const std::string& headers,
    const std::string& body) {
  std::string text = method + " " + target + " HTTP/1.1\r\n";
  if (headers.find("Host:") == headers.npos) text += "Host: localhost\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + headers + "\r\n" + body;
}

HttpClient::HttpClient(std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
  ::close(std::exchange(socket_, -1));
}

HttpClient::~HttpClient() {
  if (socket_ >= 0) ::close(socket_);
}

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty() && socket_ >= 0) {
    const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

bool HttpClient::read_more() {
  std::array<char, 16'384> bytes{};
  const ssize_t size = socket_ < 0 ? -1 : ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (size <= 0) return false;
  input_.append(bytes.data(), static_cast<std::size_t>(size));
  return true;
}

HttpAnswer HttpClient::answer() {
  constexpr std::string_view kEnd = "\r\n\r\n";
  while (input_.find(kEnd) == input_.npos) {
    if (!read_more()) return {};
  }
  HttpAnswer answer;
  const std::string head = input_.substr(0, input_.find(kEnd) + 2);
  input_.erase(0, head.size() + 2);
  answer.status = std::atoi(head.c_str() + std::string_view("HTTP/1.1 ").size());
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const auto end = head.find("\r\n", at);
    const auto colon = head.find(": ", at);
    std::string name = head.substr(at, colon - at);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    answer.headers[name] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  const auto length = answer.headers.find("content-length");
  const std::size_t size =
      length == answer.headers.end() ? 0 : std::strtoul(length->second.c_str(), nullptr, 10);
  while (input_.size() < size) {
    if (!read_more()) return {};
  }
  answer.body = input_.substr(0, size);
  input_.erase(0, size);
  return answer;
}

std::string HttpClient::read_until(std::string_view end) {
  while (input_.find(end) == input_.npos && read_more()) {
  }
  return std::exchange(input_, {});
}

bool HttpClient::ends_within(int seconds) {
  const timeval patience{.tv_sec = seconds, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  // The time as a whole: of an endless answer more may come each moment.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  char bytes[4096];
  ssize_t size = 1;
  while (size > 0 && std::chrono::steady_clock::now() < until) {
    size = ::recv(socket_, bytes, sizeof bytes, 0);
  }
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

TestGateway::TestGateway(
    const node::TestAgent& agent, std::string folder, std::vector<std::string> words)
    : agent_socket_(agent.socket()),
      folder_(std::move(folder)),
      words_(std::move(words)),
      port_(node::free_port()) {
  std::filesystem::create_directories(folder_);
  start();
}

TestGateway::~TestGateway() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  int status = 0;
  EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

void TestGateway::start() {
  std::vector<std::string> words = {"--quiet", "--listen", "127.0.0.1:" + std::to_string(port_),
      "--state", folder_, "--login-socket", folder_ + "/login.sock"};
  words.insert(words.end(), words_.begin(), words_.end());
  const auto [pid, out] = start_program(agent_socket_, words);
  pid_ = pid;
  EXPECT_EQ(first_line(out), "http://127.0.0.1:" + std::to_string(port_) + "/");
  ::close(out);
}

void TestGateway::kill9() {
  ::kill(pid_, SIGKILL);
  ::waitpid(std::exchange(pid_, -1), nullptr, 0);
}

std::string TestGateway::say(std::vector<std::string> words) const {
  words.insert(words.end(), {"--login-socket", folder_ + "/login.sock"});
  const auto [pid, out] = start_program(agent_socket_, words);
  const std::string line = first_line(out);
  ::close(out);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return line;
}

std::string TestGateway::log_in() {
  const std::string link = say({"login"});
  const HttpAnswer answer = post("/v1/session", "", {{"code", link.substr(link.find('#') + 1)}});
  EXPECT_EQ(answer.status, 200) << link << " " << answer.body;
  const auto cookie = answer.headers.find("set-cookie");
  return cookie == answer.headers.end() ? "" : cookie->second.substr(0, cookie->second.find(';'));
}

HttpAnswer TestGateway::ask(const std::string& method,
    const std::string& target,
    const std::string& headers,
    const std::string& body) const {
  HttpClient client(port_);
  client.send(request_text(method, target, headers + "Connection: close\r\n", body));
  return client.answer();
}

node::Json TestGateway::get(const std::string& target, const std::string& cookie) const {
  const HttpAnswer answer = ask("GET", target, "Cookie: " + cookie + "\r\n");
  EXPECT_EQ(answer.status, 200) << target << " " << answer.body;
  return answer.json();
}

HttpAnswer TestGateway::post(
    const std::string& target, const std::string& cookie, const node::Json& body) const {
  return ask("POST", target,
      "Cookie: " + cookie +
          "\r\nX-Dunlin: 1\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n",
      body.dump());
}

}  // namespace dunlin::web
