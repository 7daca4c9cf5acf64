// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "node/control/json.h"

namespace dunlin::node {

/// A client of one agent's Unix socket: blocking, as a test likes it.
class TestClient {
 public:
  explicit TestClient(const std::string& socket);
  ~TestClient();
  TestClient(TestClient&& other) noexcept;
  TestClient& operator=(TestClient&&) = delete;

  bool connected() const { return socket_ >= 0; }
  /// Sends a request and returns its last reply, {"ok": ...} or {"error": ...}; the "ok" of those
  /// before go to `part`. A connection that ends, or no reply in 60 s, gives {"error": ...} too.
  Json call(Json request, const std::function<void(const Json&)>& part = {});
  /// The same, and only what was "ok"; a failure of the test otherwise.
  Json ok(Json request, const std::function<void(const Json&)>& part = {});
  void send_raw(const std::string& bytes);
  /// The next frame; empty at the end of the connection.
  std::string receive();

 private:
  int socket_ = -1;
  int id_last_ = 0;
};

/// A real agent, in a process and a directory of its own, on loopback.
class TestAgent {
 public:
  /// `arguments` come after the ones every test needs.
  TestAgent(
      std::string name, std::string directory, std::string key, std::vector<std::string> arguments);
  ~TestAgent();
  TestAgent(const TestAgent&) = delete;
  TestAgent& operator=(const TestAgent&) = delete;

  /// One more argument, from the next start on.
  void give(std::string argument) { arguments_.push_back(std::move(argument)); }
  void start();
  /// Waits until its socket answers; fails the test if it does not.
  void wait_until_up();
  void signal(int number) const;
  /// Waits for its end, and returns the exit status; 128 + n for a signal; -1 after 30 s.
  int wait();
  void kill9();
  bool running() const { return pid_ > 0; }
  /// The warden that lives in its data directory; 0 if none does.
  pid_t warden() const;
  /// The text of its stderr.
  std::string log() const;

  TestClient client() const { return TestClient(socket()); }
  std::string socket() const { return directory_ + "/agent.sock"; }
  const std::string& name() const { return name_; }
  const std::string& address() const { return address_; }
  std::uint16_t port() const { return port_; }
  const std::string& directory() const { return directory_; }
  pid_t pid() const { return pid_; }

  /// Runs before exec in the child: resource limits.
  std::function<void()> in_child;

 private:
  std::string name_;
  std::string directory_;
  std::uint16_t port_;
  std::string address_;
  std::string key_;
  std::vector<std::string> arguments_;
  pid_t pid_ = -1;
};

/// A few agents with one key, and impatient parameters.
class AgentWorld : public ::testing::Test {
 protected:
  AgentWorld();
  ~AgentWorld() override;

  /// Starts an agent of 2 CPUs that joins the first one.
  TestAgent& add(const std::string& name, std::vector<std::string> arguments = {});
  void wait_for_nodes(TestAgent& at, std::size_t count);
  /// Submits `count` tasks of `sh -c script`; returns the job's number.
  std::uint32_t submit(TestAgent& at, const std::string& script, int count, Json more = {});
  /// Waits for the job's end and returns its Counts.
  Json finish(TestAgent& at, std::uint32_t job);
  std::string output(TestAgent& at, std::uint32_t job, std::uint32_t task, bool follow = false);

  /// Polls until `holds` is true; false after `patience`.
  static bool eventually(
      const std::function<bool()>& holds, std::chrono::seconds patience = std::chrono::seconds(30));

  std::string home;
  std::string key;
  std::vector<std::unique_ptr<TestAgent>> agents;
};

/// {"verb": verb} and the members of `more`.
Json request(const std::string& verb, Json more = Json::object());
std::string decode_base64(const std::string& text);
/// A free UDP and TCP port of loopback.
std::uint16_t free_port();

}  // namespace dunlin::node
