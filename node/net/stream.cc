// SPDX-License-Identifier: MIT
#include "node/net/stream.h"

#include <algorithm>
#include <span>
#include <utility>

#include "node/net/socket_address.h"
#include "overlay/ensure.h"

// Glue between a TCP handle and a SealedStream: bytes read are fed in, bytes to write are taken
// out. Bounds stop a peer that reads slowly from filling our memory: beyond them messages are lost,
// as on any network.
namespace dunlin::node {
namespace {

constexpr unsigned kKeepAliveSeconds = 60;
/// The bytes of the output's room that are kept for more.
constexpr std::size_t kOutputKept = 128 << 10;

uv_stream_t* as_stream(uv_tcp_t* tcp) {
  return reinterpret_cast<uv_stream_t*>(tcp);
}

}  // namespace

/// A write that libuv still works on. It may outlive the stream.
struct Stream::Write {
  uv_write_t request{};
  std::string bytes;
  std::weak_ptr<Stream> stream;
};

Stream::Stream(const Context& context, Handle<uv_tcp_t> tcp, std::unique_ptr<SealedStream> sealed)
    : context_(context),
      tcp_(std::move(tcp)),
      sealed_(std::move(sealed)) {
  tcp_->data = this;
  deadline_.emplace(context_.loop, [this] { on_deadline(); });
  begun_at_ = active_at_ = now(context_.loop);
}

std::shared_ptr<Stream> Stream::dial(const Context& context,
    const overlay::Endpoint& to,
    std::unique_ptr<SealedStream> sealed,
    bool control) {
  auto tcp = make_handle<uv_tcp_t>();
  uv_tcp_init(&context.loop, tcp.get());
  std::shared_ptr<Stream> stream(new Stream(context, std::move(tcp), std::move(sealed)));
  stream->remote_ = to;
  stream->control_ = control;
  stream->deadline_->at(stream->active_at_ + context.params.connect_timeout);

  struct Connect {
    uv_connect_t request{};
    std::weak_ptr<Stream> stream;
  };
  // libuv calls back even if the handle is closed meanwhile, so the request has a life of its own
  // and only a weak hold of the stream.
  auto connect = std::make_unique<Connect>();
  connect->stream = stream;
  connect->request.data = connect.get();
  SocketAddress address;
  to_socket(to.address, family_of(to.address), address);
  const int status = uv_tcp_connect(&connect->request, stream->tcp_.get(), address.get(),
      [](uv_connect_t* request, int connected) {
        const std::unique_ptr<Connect> done(static_cast<Connect*>(request->data));
        const auto self = done->stream.lock();
        if (!self || !self->tcp_) return;
        if (connected < 0) {
          self->abort(std::nullopt);
        } else {
          self->start_reading();
        }
      });
  if (status == 0) {
    connect.release();
  } else {
    // Later, not now: the caller does not own the stream yet, and would be told of the end of one
    // that it does not know.
    stream->fail_soon(DropReason::truncated);
  }
  return stream;
}

std::shared_ptr<Stream> Stream::accept(
    const Context& context, Handle<uv_tcp_t> tcp, std::unique_ptr<SealedStream> sealed) {
  std::shared_ptr<Stream> stream(new Stream(context, std::move(tcp), std::move(sealed)));
  stream->incoming_ = true;
  SocketAddress address;
  int size = sizeof address.storage;
  if (uv_tcp_getpeername(stream->tcp_.get(), address.get(), &size) == 0) {
    stream->remote_.address = from_socket(address.get());
  }
  stream->start_reading();
  return stream;
}

void Stream::start_reading() {
  // Writes are gathered here already; to hold a small answer back for an acknowledgement costs 40
  // ms.
  uv_tcp_nodelay(tcp_.get(), 1);
  uv_tcp_keepalive(tcp_.get(), 1, kKeepAliveSeconds);
  begun_at_ = now(context_.loop);
  // A stranger that says nothing must not hold a place among the connections for as long as a slow
  // handshake may take.
  deadline_->at(begun_at_ +
      (incoming_ ? std::min(context_.params.greeting_timeout, context_.params.handshake_timeout)
                 : context_.params.handshake_timeout));
  pause(false);
  write();
}

// While it is paused TCP fills up, and the other side waits: nothing is lost by it.
void Stream::pause(bool on) {
  if (!tcp_) return;
  if (on) {
    uv_read_stop(as_stream(tcp_.get()));
    return;
  }
  uv_read_start(
      as_stream(tcp_.get()),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        auto& space = static_cast<Stream*>(handle->data)->context_.read_buffer;
        *buffer = uv_buf_init(space.data(), static_cast<unsigned>(space.size()));
      },
      [](uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
        static_cast<Stream*>(stream->data)->on_read(size, *buffer);
      });
}

void Stream::on_read(ssize_t size, const uv_buf_t& buffer) {
  const auto self = shared_from_this();  // The owner may let go meanwhile.
  if (size == 0) return;
  if (size < 0) {
    // The end of TCP proves nothing: anybody on the way can send one. Only the seal's own last
    // frame says that all has come.
    if (sealed_->finished() && size == UV_EOF) return abort(std::nullopt);
    sealed_->end_of_input();
    return abort(sealed_->failure());
  }
  context_.counters.stream_bytes_received += static_cast<std::uint64_t>(size);
  active_at_ = now(context_.loop);
  sealed_->feed(
      {reinterpret_cast<const std::uint8_t*>(buffer.base), static_cast<std::size_t>(size)});
  deliver();
}

// Whatever is called here may end the stream, so it looks after each call whether it is still
// there.
void Stream::deliver() {
  bool was_open = sealed_->open();
  while (tcp_) {
    const auto frame = sealed_->next();
    if (!was_open && sealed_->open()) {
      was_open = true;
      // The owner may end the stream there, as in any call below.
      on_opened();
      if (!tcp_) return;
    }
    if (!frame) break;
    on_frame(*frame);
  }
  if (!tcp_) return;
  if (sealed_->failure()) return abort(sealed_->failure());
  if (sealed_->finished()) ending_ = true;  // It wants no more, and neither do we.
  write();
}

// Only now is it known which node speaks: what was said early was kept for this.
void Stream::on_opened() {
  const StreamParty& party = sealed_->peer();
  remote_.id = peer_id(party.key);
  if (incoming_) remote_.address.port = party.port;
  for (const Early& early : early_) sealed_->send(early.channel, early.bytes);
  unsent_ += early_.size();
  early_.clear();
  early_bytes_ = 0;
  deadline_->at(active_at_ + context_.params.idle_timeout);
  context_.owner.on_stream_open(*this);
}

// Which of the two kinds of conversation it is the first frame decides: messages of protocols, or
// requests of a client.
void Stream::on_frame(const SealedStream::Frame& frame) {
  if (frame.channel != Channel::control) {
    // A client without an address has no business with the protocols.
    if (!remote_.address) return abort(DropReason::malformed);
    context_.owner.on_stream_message(*this, frame.channel, frame.bytes);
    return;
  }
  if (!control_) {
    control_ = true;
    if (!context_.owner.on_stream_control(shared_from_this())) {
      return abort(DropReason::malformed);
    }
  }
  // A copy: the handler may replace itself.
  if (const auto handle = handle_message_) handle(frame.bytes);
}

// False: it was not taken, and never will be sent.
bool Stream::send(Channel channel, std::string_view bytes) {
  if (!usable()) return false;
  if (queued() > context_.params.send_buffer) {
    // Messages may be lost, the answer to a client may not.
    if (channel == Channel::control) fail_soon(DropReason::too_slow);
    return false;
  }
  if (!sealed_->open()) {
    early_.push_back({channel, std::string(bytes)});
    early_bytes_ += bytes.size();
    return true;
  }
  active_at_ = now(context_.loop);
  sealed_->send(channel, bytes);
  unsent_ += channel != Channel::control;
  write();
  return true;
}

// All that the other side has not taken yet, wherever it waits.
std::size_t Stream::queued() const {
  return early_bytes_ + writing_ + sealed_->output().size();
}

void Stream::write() {
  if (!tcp_ || failing_ || writing_ > 0) return;  // One write at a time: more gathers meanwhile.
  if (ending_ && sealed_->open()) sealed_->finish();
  std::string& output = sealed_->output();
  if (!output.empty()) {
    uv_buf_t buffer = uv_buf_init(output.data(), static_cast<unsigned>(output.size()));
    // At once if the system has room: no request, no copy, no further turn of the loop.
    const int written = uv_try_write(as_stream(tcp_.get()), &buffer, 1);
    if (written > 0) {
      context_.counters.stream_bytes_sent += static_cast<std::uint64_t>(written);
      output.erase(0, static_cast<std::size_t>(written));
    } else if (written < 0 && written != UV_EAGAIN && written != UV_EBADF) {
      return fail_soon(DropReason::truncated);
    }
  }
  if (output.empty()) {
    if (output.capacity() > kOutputKept) output.shrink_to_fit();
    unsent_ = 0;
    finish_when_drained();
    return;
  }
  auto request = std::make_unique<Write>();
  request->bytes = std::move(output);
  output.clear();
  request->stream = weak_from_this();
  request->request.data = request.get();
  writing_ = request->bytes.size();
  uv_buf_t buffer = uv_buf_init(request->bytes.data(), static_cast<unsigned>(writing_));
  const int status = uv_write(
      &request->request, as_stream(tcp_.get()), &buffer, 1, [](uv_write_t* done, int written) {
        const std::unique_ptr<Write> write(static_cast<Write*>(done->data));
        if (const auto self = write->stream.lock()) self->on_written(written);
      });
  if (status == 0) {
    request.release();
  } else {
    writing_ = 0;
    fail_soon(DropReason::truncated);
  }
}

// Bytes that gathered meanwhile go with the next write.
void Stream::on_written(int status) {
  if (!tcp_) return;
  if (status < 0) return abort(DropReason::truncated);
  context_.counters.stream_bytes_sent += writing_;
  writing_ = 0;
  active_at_ = now(context_.loop);
  write();
  if (tcp_ && queued() == 0) {
    if (const auto handle = handle_drained_) handle();
  }
}

void Stream::on_message(std::function<void(std::string_view)> handler) {
  if (tcp_) handle_message_ = std::move(handler);
}
void Stream::on_close(std::function<void()> handler) {
  if (tcp_) handle_close_ = std::move(handler);
}
void Stream::on_drained(std::function<void()> handler) {
  if (tcp_) handle_drained_ = std::move(handler);
}

}  // namespace dunlin::node
