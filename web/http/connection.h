// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <uv.h>

#include "web/http/exchange.h"
#include "web/http/request_parser.h"

namespace dunlin::web {

/// How long a client may take, in ms.
struct Patience {
  std::uint64_t header_ms = 10'000;  ///< From its first byte, or from the connection on.
  std::uint64_t body_ms = 30'000;    ///< Behind the header.
  std::uint64_t idle_ms = 60'000;    ///< Between two requests.
  std::uint64_t unread_ms = 30'000;  ///< While it reads nothing of what waits for it.
};

/// A client that speaks HTTP/1.1. Its requests are answered one after another: those that it sends
/// meanwhile wait, and beyond a bound in its own kernel.
/// Its socket belongs to libuv until that has closed it; between the two stand weak pointers. So a
/// client may go, a server may drop the connection, and a write may end, in any order.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Handler = std::function<void(std::shared_ptr<Exchange>)>;

  /// Takes the next client of `listener`, in its callback. Null if that fails.
  /// The copy that is returned must be kept: nothing else keeps the connection alive, and its end
  /// closes the socket.
  static std::shared_ptr<Connection> accept(
      uv_stream_t& listener, const Handler& handler, const Patience& patience);
  ~Connection();

  const std::string& address() const { return address_; }
  /// Called once, when it has ended.
  void on_end(std::function<void()> handler) { ended_ = std::move(handler); }
  /// Ends the connection if the client is too slow. To be called about each second.
  void check(std::uint64_t now_ms);
  /// True while nothing is asked: it may be ended for the sake of another client.
  bool idle() const { return current_ == nullptr; }
  /// The loop's time, in ms, at which it last began to wait.
  std::uint64_t waits_since() const { return waits_since_; }
  void close();

 private:
  friend class Exchange;
  struct Socket;
  struct Write;
  explicit Connection(const Handler& handler, const Patience& patience)
      : handler_(handler),
        patience_(patience) {}

  /// Asks libuv for bytes, until it is told to stop.
  void read();
  void on_read(std::string_view bytes);
  /// The client will send no more. `orderly`: it ended its side, and may still read; otherwise the
  /// connection broke.
  void on_read_end(bool orderly);
  /// Takes requests out of what was read, as long as there is one whole, none is being answered and
  /// the client reads. The one place where a request begins.
  void advance();
  void dispatch(Request request);
  /// Answers bytes that are no request, and ends the connection: where the next one would begin
  /// nobody can say.
  void refuse(int status);
  void send(std::string bytes);
  void on_written(int status);
  /// All is sent of a connection that is to end.
  void part();
  /// Bytes that the kernel has not taken yet.
  std::size_t queued() const;
  /// The current answer is over. `whole`: as many bytes as were promised; otherwise the client can
  /// only be told by the end of the connection.
  void finish(bool whole);

  Handler handler_;
  Patience patience_;
  std::string address_;
  Socket* socket_ = nullptr;  ///< Freed by the loop. Null once it is closing.
  RequestParser parser_;
  std::string input_;
  std::size_t read_ = 0;         ///< Bytes of input_ that the parser has taken.
  Exchange* current_ = nullptr;  ///< What is being answered; whoever answers it holds it.
  bool keep_alive_ = true;
  bool asked_ = false;  ///< There was a request.
  bool begun_ = false;  ///< Some of the next one is there.
  bool told_continue_ = false;
  bool paused_ = false;
  bool at_end_ = false;     ///< The client sends no more.
  bool advancing_ = false;  ///< advance() is on the stack.
  bool closing_ = false;    ///< When all is sent.
  bool lingers_ = false;    ///< Then it reads on for a while: what was said would be lost else.
  std::uint64_t waits_since_ = 0;
  std::size_t queued_last_ = 0;  ///< At the last check.
  std::uint64_t moved_at_ = 0;   ///< When less waited than at the check before.
  std::function<void()> ended_;
};

}  // namespace dunlin::web
