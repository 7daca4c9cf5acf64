// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <uv.h>
#include <vector>

#include "node/loop/handle.h"
#include "overlay/result.h"
#include "web/http/connection.h"

namespace dunlin::web {

/// How many clients there may be.
struct ServerBounds {
  /// Each costs a descriptor, 16 KiB to read into, and what waits for it.
  std::size_t connections = 1'000;
  std::size_t of_one_address = 256;  ///< Not of loopback: all clients of a proxy come from there.
  Patience patience;
};

/// Listens, and hands requests to a handler. Where there are too many clients the one that has
/// asked nothing for longest makes room, so that those who only hold connections open keep nobody
/// out.
class Server {
 public:
  /// `handler` must outlive the loop's handles, and is called for each request.
  Server(uv_loop_t& loop, ServerBounds bounds, Connection::Handler handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens at an address such as "127.0.0.1" or "::1"; at port 0 at any that is free. Returns the
  /// port.
  /// Fails with `usage` if that is no address, and with `io` if it is taken or not this machine's.
  Result<std::uint16_t> listen(const std::string& address, std::uint16_t port);
  std::size_t connections() const { return connections_.size(); }
  /// Ends all connections and listens no more.
  void close();

 private:
  void on_client(uv_stream_t& listener);
  /// False if one more client of that address has to be sent away.
  bool make_room(const std::string& address);
  void check();

  uv_loop_t& loop_;
  ServerBounds bounds_;
  Connection::Handler handler_;
  std::vector<node::Handle<uv_tcp_t>> listeners_;
  node::Handle<uv_timer_t> timer_ = node::make_handle<uv_timer_t>();
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  /// Connections by address_group(); never walked.
  std::unordered_map<std::string, std::size_t> of_address_;
  std::uint64_t number_last_ = 0;
};

/// True of an address of this machine itself.
bool is_loopback(const std::string& address);
/// What counts as one client: of IPv6 the network of 64 bits, all of which one client may have.
std::string address_group(const std::string& address);

}  // namespace dunlin::web
