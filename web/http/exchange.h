// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "web/http/request.h"
#include "web/http/response.h"

namespace dunlin::web {

class Connection;

/// One request and its answer, which may come later, at once or piece by piece. The client may go
/// at any time: then what is said here is heard by nobody.
class Exchange {
 public:
  Exchange(std::weak_ptr<Connection> connection, Request request, std::string address)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        address_(std::move(address)) {}
  /// Its address is how the connection knows it.
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  const Request& request() const { return request_; }
  /// The client's, as "127.0.0.1" or "::1".
  const std::string& address() const { return address_; }
  /// Added to each answer.
  void add_header(std::string name, std::string value) {
    always_.push_back({std::move(name), std::move(value)});
  }

  /// All of the answer.
  void answer(Response response);
  /// The begin of it, with the first bytes; write() and end() follow. Without a length its end ends
  /// the connection. False if nothing may follow: the client has gone, or asked for the header
  /// alone.
  bool begin(Response head, std::optional<std::uint64_t> length);
  /// More bytes than promised are cut off. There is no bound on what waits: look at queued(), and
  /// go on when told by on_drained().
  void write(std::string_view bytes);
  /// No more follows. Where fewer bytes than promised were written, the connection ends with it,
  /// for that is the only way to tell.
  void end();

  /// Bytes that wait for the client to read them.
  std::size_t queued() const;
  /// Called each time that what waits has become little, or nothing.
  void on_drained(std::function<void()> handler) { drained_ = std::move(handler); }
  /// Called once when the client has gone before the end.
  void on_gone(std::function<void()> handler) { gone_handler_ = std::move(handler); }
  bool gone() const { return done_ || connection_.expired(); }

 private:
  friend class Connection;
  void tell_drained();
  void tell_gone();

  /// Weak: an answer that takes long must not keep the descriptor of a client that has gone.
  std::weak_ptr<Connection> connection_;
  Request request_;
  std::string address_;
  /// Set before it is known what the answer is, so that none goes without them, errors included.
  std::vector<Header> always_;
  std::optional<std::uint64_t> left_;  ///< Bytes that were promised.
  bool begun_ = false;
  bool done_ = false;
  std::function<void()> drained_;
  std::function<void()> gone_handler_;
};

}  // namespace dunlin::web
