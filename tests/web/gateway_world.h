// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "tests/node/agent_world.h"

namespace dunlin::web {

/// What a gateway answered.
struct HttpAnswer {
  int status = 0;                              ///< 0: it did not.
  std::map<std::string, std::string> headers;  ///< Names in small letters.
  std::string body;

  node::Json json() const { return node::Json::parse(body, nullptr, false); }
};

/// A connection to a gateway: blocking, as a test likes it.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  void send(std::string_view bytes);
  /// The next answer, whole; status 0 if the connection ends before, or ten seconds are over.
  HttpAnswer answer();
  /// Reads until `end` has come, ten seconds are over, or the connection ends. Returns all that was
  /// read and not taken before.
  std::string read_until(std::string_view end);
  /// True if the gateway ends the connection within that time.
  bool ends_within(int seconds);

 private:
  bool read_more();

  int socket_ = -1;
  std::string input_;
};

/// A gateway in a process and a folder of its own.
class TestGateway {
 public:
  TestGateway(
      const node::TestAgent& agent, std::string folder, std::vector<std::string> words = {});
  ~TestGateway();
  TestGateway(const TestGateway&) = delete;
  TestGateway& operator=(const TestGateway&) = delete;

  void start();
  void kill9();
  std::uint16_t port() const { return port_; }
  /// What `dunlin web WORDS...` prints, such as that of `login`, without the end of the line.
  std::string say(std::vector<std::string> words) const;
  /// The cookie of a new session, as a header's value.
  std::string log_in();
  /// One request on a connection of its own. `headers` are lines with their ends.
  HttpAnswer ask(const std::string& method,
      const std::string& target,
      const std::string& headers = "",
      const std::string& body = "") const;
  /// Reads with that cookie.
  node::Json get(const std::string& target, const std::string& cookie) const;
  /// Changes something as the page does.
  HttpAnswer post(
      const std::string& target, const std::string& cookie, const node::Json& body) const;

 private:
  std::string agent_socket_;
  std::string folder_;
  std::vector<std::string> words_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
};

/// The lines of a request, whole: "GET / HTTP/1.1" with Host and what `headers` has.
std::string request_text(const std::string& method,
    const std::string& target,
    const std::string& headers = "",
    const std::string& body = "");

}  // namespace dunlin::web
