// SPDX-License-Identifier: MIT
#include "node/net/local_connection.h"

#include <array>
#include <utility>

// The Unix socket needs no seal: its file mode says which users may connect, and the kernel tells
// which one did. Frames have a length in front, checked before memory is taken for them. A client
// that does not read is cut off, because its answers would fill the agent's memory.
namespace dunlin::node {

// libuv's part, which lives until libuv has closed it, and so longer than the connection may.
struct LocalConnection::Pipe {
  uv_pipe_t handle{};
  std::weak_ptr<LocalConnection> owner;
  std::array<char, 65'536> buffer;

  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&handle); }
  static Pipe* of(void* handle) {
    return static_cast<Pipe*>(static_cast<uv_handle_t*>(handle)->data);
  }
};

struct LocalConnection::Write {
  uv_write_t request{};
  std::string bytes;
  std::weak_ptr<LocalConnection> owner;
};

void append_frame(std::string& out, std::string_view message) {
  const auto size = static_cast<std::uint32_t>(message.size());
  // Little end first, on every machine.
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(size >> shift & 0xff);
  out += message;
}

FrameState next_frame(std::string_view& input, std::string_view& frame) {
  if (input.size() < kFrameHeader) return FrameState::incomplete;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kFrameHeader; ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(input[i])) << (8 * i);
  }
  if (size > ControlConnection::kMessageMax) return FrameState::oversize;
  if (input.size() < kFrameHeader + size) return FrameState::incomplete;
  frame = input.substr(kFrameHeader, size);
  input.remove_prefix(kFrameHeader + size);
  return FrameState::whole;
}

std::shared_ptr<LocalConnection> LocalConnection::accept(uv_stream_t& listener) {
  auto connection = std::shared_ptr<LocalConnection>(new LocalConnection);
  auto* pipe = new Pipe;
  uv_pipe_init(listener.loop, &pipe->handle, 0);
  pipe->handle.data = pipe;
  pipe->owner = connection;
  connection->pipe_ = pipe;
  if (uv_accept(&listener, pipe->stream()) != 0) {
    connection->end();
    return nullptr;
  }
  return connection;
}

LocalConnection::~LocalConnection() {
  end();
}

int LocalConnection::socket() const {
  uv_os_fd_t descriptor = -1;
  if (pipe_ == nullptr ||
      uv_fileno(reinterpret_cast<const uv_handle_t*>(&pipe_->handle), &descriptor) != 0) {
    return -1;
  }
  return descriptor;
}

void LocalConnection::on_message(std::function<void(std::string_view)> handler) {
  message_ = std::move(handler);
  if (pipe_ == nullptr) return;
  uv_read_start(
      pipe_->stream(),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        auto& bytes = Pipe::of(handle)->buffer;
        *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
      },
      [](uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
        // Held here: a handler may let go of the connection.
        const auto self = Pipe::of(stream)->owner.lock();
        if (self == nullptr || size == 0) return;
        if (size < 0) {
          self->end();
        } else {
          self->on_read({buffer->base, static_cast<std::size_t>(size)});
        }
      });
}

void LocalConnection::pause(bool on) {
  if (pipe_ == nullptr) return;
  on ? static_cast<void>(uv_read_stop(pipe_->stream())) : on_message(std::exchange(message_, {}));
}

void LocalConnection::on_read(std::string_view bytes) {
  input_ += bytes;
  std::string_view rest = input_;
  std::string_view frame;
  FrameState state = FrameState::incomplete;
  // A handler may close or end the connection between two frames.
  while (pipe_ != nullptr && !closing_ && (state = next_frame(rest, frame)) == FrameState::whole) {
    message_(frame);
  }
  if (state == FrameState::oversize) return end();
  input_.erase(0, input_.size() - rest.size());
  // One large frame must not hold its memory for as long as the client stays.
  if (input_.empty() && input_.capacity() > kMessageMax / 16) input_.shrink_to_fit();
}

bool LocalConnection::send(std::string_view message) {
  if (pipe_ == nullptr || closing_) return false;
  if (queued_ + message.size() > kQueueMax) {
    end();
    return false;
  }
  auto* write = new Write;
  write->bytes.reserve(kFrameHeader + message.size());
  append_frame(write->bytes, message);
  write->owner = weak_from_this();
  write->request.data = write;
  const uv_buf_t buffer =
      uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
  queued_ += write->bytes.size();
  const int code =
      uv_write(&write->request, pipe_->stream(), &buffer, 1, [](uv_write_t* request, int status) {
        const std::unique_ptr<Write> done(static_cast<Write*>(request->data));
        if (const auto self = done->owner.lock()) self->on_written(done->bytes.size(), status);
      });
  if (code == 0) return true;
  delete write;
  end();
  return false;
}

void LocalConnection::on_written(std::size_t size, int status) {
  queued_ -= size;
  if (status < 0) return end();
  if (queued_ > 0) return;
  if (closing_) return end();
  if (drained_) drained_();
}

void LocalConnection::close() {
  closing_ = true;
  if (queued_ == 0) end();
}

void LocalConnection::end() {
  Pipe* pipe = std::exchange(pipe_, nullptr);
  if (pipe == nullptr) return;
  uv_close(reinterpret_cast<uv_handle_t*>(&pipe->handle), [](uv_handle_t* handle) {
    const std::unique_ptr<Pipe> closed(Pipe::of(handle));
    const auto owner = closed->owner.lock();
    if (owner == nullptr) return;
    const auto handler = std::exchange(owner->closed_, nullptr);
    if (handler) handler();
  });
}

}  // namespace dunlin::node
