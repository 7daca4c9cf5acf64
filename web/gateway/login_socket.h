// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <uv.h>

#include "overlay/result.h"

namespace dunlin::web {

/// The Unix socket at which users of this machine ask for a code or a token: the kernel says which
/// user asks. Each connection is one line each way.
/// A password would have to be set, kept and guessed; a user of this machine is known to its kernel
/// already.
class LoginSocket {
 public:
  /// Answers the line of the user with that id; both lines are JSON.
  using Handler = std::function<std::string(uid_t, const std::string&)>;

  LoginSocket(uv_loop_t& loop, Handler handler);
  ~LoginSocket();
  LoginSocket(const LoginSocket&) = delete;
  LoginSocket& operator=(const LoginSocket&) = delete;

  /// Listens at `path`, for all users if `for_all`, else for its owner. A socket that is there and
  /// that nobody answers at is taken away. Fails if somebody does, or it cannot be made.
  Result<void> listen(const std::string& path, bool for_all);

 private:
  struct Client;
  void on_client();
  /// Ends the clients that are there: an honest one is answered in the turn in which it speaks.
  void drop_slow();

  uv_loop_t& loop_;
  Handler handler_;
  std::string path_;
  uv_pipe_t* listener_ = nullptr;  ///< Freed by the loop.
  /// Each is freed when libuv has closed its pipe.
  std::map<Client*, std::unique_ptr<Client>> clients_;
};

/// Sends a line to the gateway at `path` and returns its answer. For the command line: it waits.
Result<std::string> ask_login_socket(const std::string& path, const std::string& line);

/// The name of a user; a number if it has none.
std::string user_name_of(uid_t user);

}  // namespace dunlin::web
