// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overlay/result.h"

namespace dunlin::web {

/// What a gateway is told by its command line.
struct WebOptions {
  std::string agent_socket;         ///< Empty: where agents of this machine are found.
  std::vector<std::string> listen;  ///< "127.0.0.1:0"; empty: loopback, and any port that is free.
  std::vector<std::string> hosts;   ///< Names by which browsers reach it, besides loopback's.
  bool all_users = false;    ///< It serves all users of the machine, as a delegate of the agent.
  bool https = false;        ///< A proxy in front speaks TLS with browsers.
  bool metrics = false;      ///< Tell /metrics.
  bool quiet = false;        ///< Print no link, and open no browser.
  std::string state;         ///< The folder of what outlives it; empty: a default.
  std::string login_socket;  ///< Where users log in; empty: a default.
};

/// What a user wants of a gateway that runs.
struct LoginWish {
  std::string login_socket;       ///< Empty: that of the user's own gateway, or of the machine's.
  std::string command = "login";  ///< Or "token", "tokens", "revoke".
  bool read_only = false;
  std::string expires;  ///< "30d"; empty: never.
  std::string note;
  std::string id;  ///< Of the token that is taken back.
};

/// A listening address: "HOST:PORT", "[::1]:8080", or a port alone.
struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};
/// Fails with `usage` and an example. The host is not looked up: names may lead to more than one
/// address, and a gateway should not listen where nobody meant it to.
Result<ListenAddress> parse_listen(const std::string& text);

/// Where the gateway of this user (or of all) keeps what outlives it, and where users log in.
/// The first is empty where there is no home: then nothing outlives the gateway.
std::string default_state_folder(bool all_users);
std::string default_login_socket(bool all_users);

}  // namespace dunlin::web
