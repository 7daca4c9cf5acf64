// SPDX-License-Identifier: MIT
#include "web/http/connection.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <netinet/in.h>
#include <utility>

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
  auto connection = std::shared_ptr<Connection>(new Connection(handler, patience));
  auto* socket = new Socket;
  uv_tcp_init(listener.loop, &socket->handle);
  socket->handle.data = socket;
  socket->owner = connection;
  connection->socket_ = socket;
  connection->waits_since_ = connection->moved_at_ = uv_now(listener.loop);
  sockaddr_storage address{};
  int size = sizeof address;
  if (uv_accept(&listener, socket->stream()) != 0 ||
      uv_tcp_getpeername(&socket->handle, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    connection->close();
    return nullptr;
  }
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
  if (!orderly || (current_ != nullptr && !waits)) return close();
  if (current_ != nullptr) return;
  closing_ = true;
  if (queued() == 0) close();
}

void Connection::on_read(std::string_view bytes) {
  if (closing_) return;
  if (current_ == nullptr && !std::exchange(begun_, true)) {
    waits_since_ = uv_now(socket_->handle.loop);
  }
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
      if (parser_.wants_continue() && !std::exchange(told_continue_, true)) {
        send("HTTP/1.1 100 Continue\r\n\r\n");
      }
      break;
    }
    told_continue_ = false;
    dispatch(parser_.take());
  }
  advancing_ = false;
  if (read_ == input_.size() || read_ > kReadAheadMax) {
    input_.erase(0, read_);
    read_ = 0;
  }
  if (socket_ == nullptr || closing_ || queued() > kQueuedMax) return;
  if (paused_ && !at_end_ && input_.size() - read_ <= kReadAheadMax) read();
  if (at_end_ && current_ == nullptr) on_read_end(true);
}

void Connection::dispatch(Request request) {
  keep_alive_ = request.keep_alive;
  asked_ = true;
  begun_ = false;
  auto exchange = std::make_shared<Exchange>(weak_from_this(), std::move(request), address_);
  current_ = exchange.get();
  handler_(std::move(exchange));
}

void Connection::refuse(int status) {
  const std::string text = std::string(reason_of(status)) + "\n";
  const Response response{.status = status,
      .headers = {{"Content-Type", "text/plain"}, {"X-Content-Type-Options", "nosniff"}}};
  closing_ = lingers_ = true;
  if (socket_ != nullptr) waits_since_ = uv_now(socket_->handle.loop);
  send(head_text(response, text.size(), false, date_now()) + text);
}

void Connection::send(std::string bytes) {
  if (socket_ == nullptr || bytes.empty()) return;
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
  moved_at_ = uv_now(socket_->handle.loop);
  if (queued() == 0 && closing_) return part();
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
  if (!whole) return close();
  waits_since_ = uv_now(socket_->handle.loop);
  begun_ = read_ < input_.size();
  if (keep_alive_) return advance();
  closing_ = true;
  if (queued() == 0) close();
}

void Connection::check(std::uint64_t now_ms) {
  const std::size_t waiting = queued();
  if (waiting == 0 || waiting < queued_last_) moved_at_ = now_ms;
  queued_last_ = waiting;
  const auto over = [now_ms](std::uint64_t since, std::uint64_t patience_ms) {
    return now_ms > since && now_ms - since > patience_ms;
  };
  if (waiting > 0 && over(moved_at_, patience_.unread_ms)) return close();
  if (lingers_ && over(waits_since_, kLingerMs)) return close();
  if (current_ != nullptr || closing_ || waiting > 0) return;
  std::uint64_t patience_ms = asked_ && !begun_ ? patience_.idle_ms : patience_.header_ms;
  if (parser_.has_header()) patience_ms += patience_.body_ms;
  if (!over(waits_since_, patience_ms)) return;
  waits_since_ = now_ms;
  begun_ ? refuse(408) : close();
}

void Connection::close() {
  Socket* const socket = std::exchange(socket_, nullptr);
  if (socket == nullptr) return;
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

Exchange::~Exchange() {
  // Whoever was to answer let it go: better a connection that ends than one that hangs.
  if (!done_) end();
}

void Exchange::answer(Response response) {
  const auto size = response.body.size();
  if (begin(std::move(response), size)) end();
}

bool Exchange::begin(Response head, std::optional<std::uint64_t> length) {
  const auto connection = connection_.lock();
  if (done_ || begun_ || connection == nullptr) return false;
  begun_ = true;
  head.headers.insert(head.headers.end(), always_.begin(), always_.end());
  if (!length) connection->keep_alive_ = false;
  left_ = length;
  const bool bare = head.status == 204 || head.status == 304 || request_.method == "HEAD";
  std::string text = head_text(head, length, connection->keep_alive_, date_now());
  if (!bare) text += head.body;
  if (left_) *left_ -= std::min<std::uint64_t>(*left_, head.body.size());
  connection->send(std::move(text));
  if (!bare) return !done_;
  left_.reset();
  end();
  return false;
}

void Exchange::write(std::string_view bytes) {
  const auto connection = connection_.lock();
  if (done_ || !begun_ || connection == nullptr) return;
  // More than was promised would be read as the next answer.
  const std::uint64_t room = left_.value_or(bytes.size());
  if (room < bytes.size()) bytes = bytes.substr(0, static_cast<std::size_t>(room));
  if (left_) *left_ -= bytes.size();
  connection->send(std::string(bytes));
}

void Exchange::end() {
  if (std::exchange(done_, true)) return;
  gone_handler_ = nullptr;
  drained_ = nullptr;
  const auto connection = connection_.lock();
  if (connection == nullptr || connection->current_ != this) return;
  connection->finish(begun_ && left_.value_or(0) == 0);
}

std::size_t Exchange::queued() const {
  const auto connection = connection_.lock();
  return connection == nullptr ? 0 : connection->queued();
}

void Exchange::tell_drained() {
  const auto handler = drained_;  // It may set another.
  if (handler) handler();
}

void Exchange::tell_gone() {
  done_ = true;
  drained_ = nullptr;
  const auto handler = std::exchange(gone_handler_, nullptr);
  if (handler) handler();
}

}  // namespace dunlin::web
