// SPDX-License-Identifier: MIT
#include "web/gateway/login_socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace dunlin::web {
namespace {

constexpr std::size_t kLineMax = 4'096;
constexpr std::size_t kClientsMax = 64;
/// The command line gives up after so long, as people would.
constexpr int kWaitS = 10;

Result<sockaddr_un> socket_address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return failure(ErrorKind::usage, path + ": a socket's path is at most 107 bytes");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// True if somebody listens there.
/// The file of a socket outlives its process when that is killed; only a connection tells.
bool is_answered(const std::string& path) {
  const auto address = socket_address_of(path);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return address && socket.get() >= 0 &&
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0;
}

}  // namespace

// One that asks. It lives until the loop has closed its pipe.
struct LoginSocket::Client {
  uv_pipe_t handle{};
  uv_write_t write{};
  LoginSocket* owner = nullptr;
  std::array<char, kLineMax> buffer;
  std::string line;
  std::string answer;
  uid_t user = static_cast<uid_t>(-1);
  bool closing = false;
  bool heard = false;

  static Client* of(const void* handle) {
    return static_cast<Client*>(static_cast<const uv_handle_t*>(handle)->data);
  }
  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&handle); }

  void close() {
    if (std::exchange(closing, true)) return;
    uv_close(reinterpret_cast<uv_handle_t*>(&handle), [](uv_handle_t* closed) {
      Client* const self = of(closed);
      // The socket has gone before: nobody else has this client any more.
      if (self->owner == nullptr) {
        delete self;
      } else {
        self->owner->clients_.erase(self);
      }
    });
  }

  void read(std::string_view bytes) {
    line += bytes;
    const auto end = line.find('\n');
    if (heard || (end == line.npos && line.size() < kLineMax)) return;
    // As many bytes as may be, and no end of a line.
    if (end == line.npos) return close();
    // A line each way: what comes behind it is not looked at.
    heard = true;
    answer = owner->handler_(user, line.substr(0, end)) + "\n";
    uv_buf_t out = uv_buf_init(answer.data(), static_cast<unsigned>(answer.size()));
    const int code = uv_write(
        &write, stream(), &out, 1, [](uv_write_t* request, int) { of(request->handle)->close(); });
    if (code != 0) close();
  }
};

LoginSocket::LoginSocket(uv_loop_t& loop, Handler handler)
    : loop_(loop),
      handler_(std::move(handler)) {}

LoginSocket::~LoginSocket() {
  if (listener_ != nullptr) {
    ::unlink(path_.c_str());
    uv_close(reinterpret_cast<uv_handle_t*>(listener_),
        [](uv_handle_t* handle) { delete reinterpret_cast<uv_pipe_t*>(handle); });
  }
  for (auto& [client, owned] : clients_) {
    owned.release()->owner = nullptr;
    client->close();
  }
}

Result<void> LoginSocket::listen(const std::string& path, bool for_all) {
  if (auto fits = socket_address_of(path); !fits) return tl::unexpected(fits.error());
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  if (is_answered(path)) {
    return failure(ErrorKind::refused,
        "a gateway runs already, whose socket is " + path +
            ": take `dunlin web login`, or another --login-socket");
  }
  ::unlink(path.c_str());
  path_ = path;
  listener_ = new uv_pipe_t{};
  uv_pipe_init(&loop_, listener_, 0);
  listener_->data = this;
  // The file is made with these rights, so there is no moment at which it has others.
  const mode_t before = ::umask(for_all ? 0111 : 0177);
  int code = uv_pipe_bind(listener_, path.c_str());
  ::umask(before);
  if (code == 0) {
    code = uv_listen(
        reinterpret_cast<uv_stream_t*>(listener_), 16, [](uv_stream_t* stream, int status) {
          if (status == 0) static_cast<LoginSocket*>(stream->data)->on_client();
        });
  }
  if (code == 0) return {};
  return failure(ErrorKind::io, "cannot listen at " + path + ": " + uv_strerror(code));
}

void LoginSocket::on_client() {
  auto owned = std::make_unique<Client>();
  Client* const client = owned.get();
  client->owner = this;
  uv_pipe_init(&loop_, &client->handle, 0);
  client->handle.data = client;
  if (clients_.size() >= kClientsMax) drop_slow();
  clients_.emplace(client, std::move(owned));
  uv_os_fd_t fd = -1;
  ucred who{};
  socklen_t size = sizeof who;
  // SO_PEERCRED is of the moment at which the client connected, and cannot be set by it. So not
  // even a descriptor that was handed to another user changes the answer.
  const bool known = uv_accept(reinterpret_cast<uv_stream_t*>(listener_), client->stream()) == 0 &&
      uv_fileno(reinterpret_cast<uv_handle_t*>(&client->handle), &fd) == 0 &&
      ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  if (!known) return client->close();
  client->user = who.uid;
  uv_read_start(
      client->stream(),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        auto& bytes = Client::of(handle)->buffer;
        *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
      },
      [](uv_stream_t* stream, ssize_t size_read, const uv_buf_t* buffer) {
        Client* const self = Client::of(stream);
        if (size_read == 0 || self->closing) return;
        if (size_read < 0) return self->close();
        self->read({buffer->base, static_cast<std::size_t>(size_read)});
      });
}

void LoginSocket::drop_slow() {
  // Who has said nothing makes room: users who ask are answered at once.
  for (auto& [client, owned] : clients_) client->close();
}

Result<std::string> ask_login_socket(const std::string& path, const std::string& line) {
  const auto address = socket_address_of(path);
  if (!address) return tl::unexpected(address.error());
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return failure_of(errno, "socket");
  const timeval patience{.tv_sec = kWaitS, .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    return failure_of(errno, path);
  }
  const std::string all = line + "\n";
  if (::send(socket.get(), all.data(), all.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(all.size())) {
    return failure_of(errno, path);
  }
  std::string answer;
  std::array<char, 4'096> bytes{};
  while (answer.find('\n') == answer.npos) {
    const ssize_t size = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (size < 0) return failure_of(errno, path + ": the gateway does not answer");
    if (size == 0) return failure(ErrorKind::io, path + ": the gateway ended the connection");
    answer.append(bytes.data(), static_cast<std::size_t>(size));
  }
  return answer.substr(0, answer.find('\n'));
}

std::string user_name_of(uid_t user) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16'384);
  const bool known = ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0;
  return known && found != nullptr ? found->pw_name : std::to_string(user);
}

}  // namespace dunlin::web
