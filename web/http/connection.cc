// SPDX-License-Identifier: MIT
#include "web/http/connection.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <netinet/in.h>
#include <utility>

// A connection is a small machine of four facts: is one request being answered (current_), is some
// of the next one here (begun_), will the client send more (at_end_), and is it to end (closing_).
// Each event changes them, and then advance() looks at what may be done now. The bounds are these:
// bytes read ahead stop the reading, answers not read stop the next request, and check() ends what
// takes too long. Between them one client costs a bounded amount of memory, however it behaves.
namespace dunlin::web {
namespace {

/// What is read ahead of the request that is being answered.
constexpr std::size_t kReadAheadMax = std::size_t{64} << 10;
/// With so little waiting for the client, more is asked for.
constexpr std::size_t kLowWater = std::size_t{64} << 10;
/// With more waiting, the next request waits, too.
constexpr std::size_t kQueuedMax = std::size_t{256} << 10;
/// How long a client that was refused may go on with what it says.
constexpr std::uint64_t kLingerMs = 2'000;

/// The client's address without its port: bounds count connections by it.
std::string text_of(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET6) {
    uv_ip6_name(reinterpret_cast<const sockaddr_in6*>(&address), text.data(), text.size());
  } else {
    uv_ip4_name(reinterpret_cast<const sockaddr_in*>(&address), text.data(), text.size());
  }
  return text.data();
}

std::string date_now() {
  return http_date(std::time(nullptr));
}

}  // namespace

// libuv's part, which lives until libuv has closed it, and so longer than the connection may.
struct Connection::Socket {
  uv_tcp_t handle{};
  std::weak_ptr<Connection> owner;
  std::array<char, 16'384> buffer;

  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&handle); }
  static Socket* of(void* handle) {
    return static_cast<Socket*>(static_cast<uv_handle_t*>(handle)->data);
  }
};

struct Connection::Write {
  uv_write_t request{};
  std::string bytes;
  std::weak_ptr<Connection> owner;
};

std::shared_ptr<Connection> Connection::accept(
    uv_stream_t& listener, const Handler& handler, const Patience& patience) {
  // Not make_shared: the constructor is private, since a connection without a socket is none.
  auto connection = std::shared_ptr<Connection>(new Connection(handler, patience));
  auto* socket = new Socket;
  uv_tcp_init(listener.loop, &socket->handle);
  socket->handle.data = socket;
  socket->owner = connection;
  connection->socket_ = socket;
  connection->waits_since_ = connection->moved_at_ = uv_now(listener.loop);
  sockaddr_storage address{};
  int size = sizeof address;
  // A client may have gone again before it was taken; then it has no name, either.
  if (uv_accept(&listener, socket->stream()) != 0 ||
      uv_tcp_getpeername(&socket->handle, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    connection->close();
    return nullptr;
  }
  // Events of the stream are small, and each counts when it comes, not 40 ms later.
  uv_tcp_nodelay(&socket->handle, 1);
  connection->address_ = text_of(address);
  connection->read();
  return connection;
}

Connection::~Connection() {
  close();
}

void Connection::read() {
  if (socket_ == nullptr) return;
  paused_ = false;
  uv_read_start(
      socket_->stream(),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        auto& bytes = Socket::of(handle)->buffer;
        *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
      },
      [](uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
        // Held here: a handler may let go of the connection.
        const auto self = Socket::of(stream)->owner.lock();
        if (self == nullptr || size == 0) return;
        if (size > 0) return self->on_read({buffer->base, static_cast<std::size_t>(size)});
        self->on_read_end(size == UV_EOF);
      });
}

void Connection::on_read_end(bool orderly) {
  at_end_ = true;
  uv_read_stop(socket_->stream());
  // A client that reads an endless answer has gone; others may have said all that they wanted, and
  // wait for the answer.
  const bool waits = current_ != nullptr && !current_->gone_handler_;
  // A handler for the client's end marks an answer that may take for ever; see StreamHub::open().
  if (!orderly || (current_ != nullptr && !waits)) return close();
  if (current_ != nullptr) return;
  closing_ = true;
  if (queued() == 0) close();
}

// What comes after the last answer was decided is read, so that it does not fill the kernel's
// buffers, and thrown away: see part().
void Connection::on_read(std::string_view bytes) {
  if (closing_) return;
  // The first byte starts the clock of the header: a client that sends one byte a second must not
  // hold its place for longer than one that sends none.
  if (current_ == nullptr && !std::exchange(begun_, true)) {
    waits_since_ = uv_now(socket_->handle.loop);
  }
  // The parser looks at whole lines, so what it left is shown to it again with the new bytes
  // behind.
  input_ += bytes;
  advance();
  if (socket_ == nullptr || input_.size() - read_ <= kReadAheadMax) return;
  paused_ = true;
  uv_read_stop(socket_->stream());
}

void Connection::advance() {
  // A handler may answer at once: then the loop below goes on, and not a call within it.
  if (advancing_) return;
  advancing_ = true;
  // Answers that the client does not read must not pile up, either.
  while (socket_ != nullptr && !closing_ && current_ == nullptr && queued() <= kQueuedMax) {
    const auto state = parser_.read(std::string_view(input_).substr(read_), read_);
    if (state == RequestParser::State::wrong) {
      refuse(parser_.status());
      break;
    }
    if (state == RequestParser::State::more) {
      // Once for each body: a client that is told twice takes the second for an answer.
      if (parser_.wants_continue() && !std::exchange(told_continue_, true)) {
        send("HTTP/1.1 100 Continue\r\n\r\n");
      }
      break;
    }
    told_continue_ = false;
    dispatch(parser_.take());
  }
  advancing_ = false;
  // Not after each request: of many short ones that came together, each would move all the rest.
  if (read_ == input_.size() || read_ > kReadAheadMax) {
    input_.erase(0, read_);
    read_ = 0;
  }
  if (socket_ == nullptr || closing_ || queued() > kQueuedMax) return;
  if (paused_ && !at_end_ && input_.size() - read_ <= kReadAheadMax) read();
  // The requests that the client sent before its end have all been answered now.
  if (at_end_ && current_ == nullptr) on_read_end(true);
}

void Connection::dispatch(Request request) {
  keep_alive_ = request.keep_alive;
  asked_ = true;
  begun_ = false;
  // The exchange belongs to its handler: when that lets go of it, unanswered, its destructor ends
  // the connection. A plain pointer here, for the connection must not keep it alive.
  auto exchange = std::make_shared<Exchange>(weak_from_this(), std::move(request), address_);
  current_ = exchange.get();
  handler_(std::move(exchange));
}

void Connection::refuse(int status) {
  const std::string text = std::string(reason_of(status)) + "\n";
  const Response response{.status = status,
      .headers = {{"Content-Type", "text/plain"}, {"X-Content-Type-Options", "nosniff"}}};
  // No page and no JSON: bytes that are no request may have come from anything but a browser, and
  // what they say is not repeated.
  closing_ = lingers_ = true;
  if (socket_ != nullptr) waits_since_ = uv_now(socket_->handle.loop);
  send(head_text(response, text.size(), false, date_now()) + text);
}

void Connection::send(std::string bytes) {
  if (socket_ == nullptr || bytes.empty()) return;
  // Each write holds its own bytes until the kernel has them: the answer, and even the connection,
  // may be gone by then.
  auto* write = new Write;
  write->bytes = std::move(bytes);
  write->owner = weak_from_this();
  write->request.data = write;
  const uv_buf_t buffer =
      uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
  const int code =
      uv_write(&write->request, socket_->stream(), &buffer, 1, [](uv_write_t* request, int status) {
        const std::unique_ptr<Write> done(static_cast<Write*>(request->data));
        if (const auto self = done->owner.lock()) self->on_written(status);
      });
  if (code == 0) return;
  delete write;
  close();
}

void Connection::on_written(int status) {
  if (socket_ == nullptr) return;
  if (status < 0) return close();
  // This client did read something: the time that it may read nothing begins anew.
  moved_at_ = uv_now(socket_->handle.loop);
  if (queued() == 0 && closing_) return part();
  // Whatever writes pieces is asked for more before the client has all of them, so that the line
  // does not stand idle for a round trip.
  if (queued() > kLowWater) return;
  if (current_ != nullptr) return current_->tell_drained();
  waits_since_ = moved_at_;
  if (read_ < input_.size() || paused_ || at_end_) advance();
}

void Connection::part() {
  if (!lingers_ || at_end_) return close();
  // A close with bytes unread would take back the answer that says why.
  auto* shutdown = new uv_shutdown_t;
  const int code =
      uv_shutdown(shutdown, socket_->stream(), [](uv_shutdown_t* request, int) { delete request; });
  if (code == 0) return;
  delete shutdown;
  close();
}

std::size_t Connection::queued() const {
  return socket_ == nullptr ? 0 : uv_stream_get_write_queue_size(socket_->stream());
}

void Connection::finish(bool whole) {
  current_ = nullptr;
  if (socket_ == nullptr) return;
  // Ended with bytes owed, or before it began: no answer may follow, for the client would read it
  // as the rest of this one.
  if (!whole) return close();
  waits_since_ = uv_now(socket_->handle.loop);
  // The next request may be here already; its time runs from now on, not from when it came.
  begun_ = read_ < input_.size();
  if (keep_alive_) return advance();
  closing_ = true;
  if (queued() == 0) close();
}

void Connection::check(std::uint64_t now_ms) {
  const std::size_t waiting = queued();
  // libuv tells of a write when all of it has gone. One large piece may take a slow client minutes,
  // and only the queue's length says that it moves.
  if (waiting == 0 || waiting < queued_last_) moved_at_ = now_ms;
  queued_last_ = waiting;
  const auto over = [now_ms](std::uint64_t since, std::uint64_t patience_ms) {
    return now_ms > since && now_ms - since > patience_ms;
  };
  if (waiting > 0 && over(moved_at_, patience_.unread_ms)) return close();
  if (lingers_ && over(waits_since_, kLingerMs)) return close();
  // While something is answered the client waits for us, and not the other way round.
  if (current_ != nullptr || closing_ || waiting > 0) return;
  std::uint64_t patience_ms = asked_ && !begun_ ? patience_.idle_ms : patience_.header_ms;
  if (parser_.has_header()) patience_ms += patience_.body_ms;
  if (!over(waits_since_, patience_ms)) return;
  // 408 says to a client that it was slow; one that has sent nothing would read it as the answer to
  // a request that it sends at the same moment.
  waits_since_ = now_ms;
  begun_ ? refuse(408) : close();
}

void Connection::close() {
  Socket* const socket = std::exchange(socket_, nullptr);
  if (socket == nullptr) return;
  // First the socket is forgotten, then others are told: what they do in their handlers finds a
  // connection that has ended, and does not end it twice.
  Exchange* const last = std::exchange(current_, nullptr);
  if (last != nullptr) last->tell_gone();
  uv_close(reinterpret_cast<uv_handle_t*>(&socket->handle), [](uv_handle_t* handle) {
    const std::unique_ptr<Socket> closed(Socket::of(handle));
    const auto owner = closed->owner.lock();
    if (owner == nullptr) return;
    const auto handler = std::exchange(owner->ended_, nullptr);
    if (handler) handler();
  });
}

}  // namespace dunlin::web
