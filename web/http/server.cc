// SPDX-License-Identifier: MIT
#include "web/http/server.h"

#include <array>
#include <netinet/in.h>
#include <utility>

// Strangers may open connections and say nothing, from one address or from many. Against one
// address there is a bound of its own; against many, the place that is taken is that of the
// connection which has asked nothing for longest. Such a client is mostly a browser that holds a
// spare connection, and browsers open another without a word.
namespace dunlin::web {
namespace {

constexpr int kBacklog = 128;
constexpr std::uint64_t kCheckMs = 1'000;

std::string listen_problem(const std::string& address, std::uint16_t port, int code) {
  return "cannot listen at " + address + " port " + std::to_string(port) + ": " +
      uv_strerror(code) + (code == UV_EADDRINUSE ? "; choose another with --listen" : "");
}

}  // namespace

bool is_loopback(const std::string& address) {
  // The last one is how a socket for both kinds of IP names a client of IPv4.
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

std::string address_group(const std::string& address) {
  in6_addr bytes{};
  if (address.find(':') == address.npos || uv_inet_pton(AF_INET6, address.c_str(), &bytes) != 0) {
    return address;
  }
  // Raw bytes: only compared, never shown.
  return {reinterpret_cast<const char*>(&bytes), 8};
}

Server::Server(uv_loop_t& loop, ServerBounds bounds, Connection::Handler handler)
    : loop_(loop),
      bounds_(bounds),
      handler_(std::move(handler)) {
  uv_timer_init(&loop, timer_.get());
  timer_->data = this;
  uv_timer_start(
      timer_.get(), [](uv_timer_t* timer) { static_cast<Server*>(timer->data)->check(); }, kCheckMs,
      kCheckMs);
}

Server::~Server() {
  close();
}

Result<std::uint16_t> Server::listen(const std::string& address, std::uint16_t port) {
  sockaddr_storage where{};
  if (uv_ip4_addr(address.c_str(), port, reinterpret_cast<sockaddr_in*>(&where)) != 0 &&
      uv_ip6_addr(address.c_str(), port, reinterpret_cast<sockaddr_in6*>(&where)) != 0) {
    return failure(ErrorKind::usage, "'" + address + "' is no address; such as 127.0.0.1 or ::1");
  }
  auto listener = node::make_handle<uv_tcp_t>();
  uv_tcp_init(&loop_, listener.get());
  listener->data = this;
  // libuv may report here or only at uv_listen() that the port is taken.
  int code = uv_tcp_bind(listener.get(), reinterpret_cast<const sockaddr*>(&where), 0);
  if (code == 0) {
    code = uv_listen(reinterpret_cast<uv_stream_t*>(listener.get()), kBacklog,
        [](uv_stream_t* stream, int status) {
          if (status == 0) static_cast<Server*>(stream->data)->on_client(*stream);
        });
  }
  int size = sizeof where;
  if (code == 0) {
    code = uv_tcp_getsockname(listener.get(), reinterpret_cast<sockaddr*>(&where), &size);
  }
  if (code != 0) return failure(ErrorKind::io, listen_problem(address, port, code));
  listeners_.push_back(std::move(listener));
  // Both kinds have their port in one place.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&where)->sin_port);
}

void Server::close() {
  listeners_.clear();
  uv_timer_stop(timer_.get());
  // Their ends must not come back to this.
  const auto connections = std::exchange(connections_, {});
  of_address_.clear();
  for (const auto& [number, connection] : connections) {
    connection->on_end({});
    connection->close();
  }
}

void Server::on_client(uv_stream_t& listener) {
  const auto connection = Connection::accept(listener, handler_, bounds_.patience);
  if (connection == nullptr) return;
  const std::string group = address_group(connection->address());
  // Sent away without a word: an answer would need what there is too little of.
  if (!make_room(connection->address())) return connection->close();
  const std::uint64_t number = ++number_last_;
  connections_.emplace(number, connection);
  ++of_address_[group];
  // By number: a connection that its own handler held would never be freed.
  connection->on_end([this, number, group] {
    connections_.erase(number);
    const auto found = of_address_.find(group);
    if (found != of_address_.end() && --found->second == 0) of_address_.erase(found);
  });
}

bool Server::make_room(const std::string& address) {
  const auto own = of_address_.find(address_group(address));
  const bool own_share =
      is_loopback(address) || own == of_address_.end() || own->second < bounds_.of_one_address;
  // Before the bound for all: a client that has its share must not push out others.
  if (!own_share) return false;
  if (connections_.size() < bounds_.connections) return true;
  std::shared_ptr<Connection> oldest;
  for (const auto& [number, connection] : connections_) {
    // An answer that is under way is never cut off for a newcomer, not even a stream.
    if (!connection->idle()) continue;
    if (!oldest || connection->waits_since() < oldest->waits_since()) oldest = connection;
  }
  if (oldest == nullptr) return false;
  oldest->close();
  return true;
}

void Server::check() {
  // An end is told by the loop, later: nothing leaves the map meanwhile.
  for (const auto& [number, connection] : connections_) connection->check(uv_now(&loop_));
}

}  // namespace dunlin::web
