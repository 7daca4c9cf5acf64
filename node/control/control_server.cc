// SPDX-License-Identifier: MIT
#include "node/control/control_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "node/agent.h"
#include "node/control/control_protocol.h"
#include "node/control/control_session.h"
#include "node/net/local_connection.h"

namespace dunlin::node {
namespace {

/// Connects to the socket at `path`, as any client: 0, or why that fails.
int try_connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return errno;
  const int code =
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 ? 0
                                                                                           : errno;
  ::close(socket);
  return code;
}

/// Makes `path` free to be bound.
Result<void> clear_socket(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  if (!std::filesystem::exists(status)) return {};
  if (status.type() != std::filesystem::file_type::socket) {
    return failure(ErrorKind::refused, path + " exists and is no socket; choose another --socket");
  }
  const int code = try_connect(path);
  if (code == 0 || code == EAGAIN) {
    return failure(ErrorKind::refused,
        "another agent listens on " + path +
            "; give this one a --socket and --data-dir of its own");
  }
  if (::unlink(path.c_str()) != 0) return failure_of(errno, "cannot remove the old socket " + path);
  return {};
}

}  // namespace

ControlServer::ControlServer(Agent& agent)
    : agent_(agent),
      wakeup_(agent.loop(), [this] { wakeup_at_ = overlay::kNever; }) {}

ControlServer::~ControlServer() = default;

Result<void> ControlServer::listen(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return failure(ErrorKind::usage,
        "the socket's path " + path + " is longer than 107 bytes; choose another --socket");
  }
  const auto directory = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!directory.empty() && std::filesystem::create_directories(directory, error)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  }
  if (auto cleared = clear_socket(path); !cleared) return cleared;

  listener_ = make_handle<uv_pipe_t>();
  uv_pipe_init(&agent_.loop(), listener_.get(), 0);
  listener_->data = this;
  const mode_t mask = ::umask(0177);  // Only its owner may connect: mode 0600 from the start.
  int code = uv_pipe_bind(listener_.get(), path.c_str());
  ::umask(mask);
  if (code == 0) {
    code = uv_listen(
        reinterpret_cast<uv_stream_t*>(listener_.get()), 64, [](uv_stream_t* stream, int status) {
          if (status != 0) return;
          if (auto client = LocalConnection::accept(*stream)) {
            static_cast<ControlServer*>(stream->data)->adopt(std::move(client));
          }
        });
  }
  if (code != 0) return failure_of(-code, "cannot listen on the socket " + path);
  path_ = path;
  return {};
}

void ControlServer::adopt(std::shared_ptr<ControlConnection> connection) {
  if (sessions_.size() >= kControlConnectionsMax) {
    connection->close();
    return;
  }
  sessions_.push_back(std::make_unique<ControlSession>(agent_, std::move(connection)));
}

void ControlServer::advance() {
  std::erase_if(sessions_, [](const auto& session) { return session->ended(); });
  overlay::Time due = overlay::kNever;
  for (const auto& session : sessions_) {
    session->advance();
    due = std::min(due, session->due());
  }
  if (due == wakeup_at_) return;
  wakeup_at_ = due;
  wakeup_.at(due);
}

void ControlServer::on_result(
    std::uint32_t job, const sched::Report& report, overlay::PeerId worker) {
  for (const auto& session : sessions_) session->on_result(job, report, worker);
}

void ControlServer::on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply) {
  for (const auto& session : sessions_) session->on_drain_reply(node, reply);
}

bool ControlServer::on_cell_answer(overlay::PeerId node, const CellAnswer& answer) {
  return std::ranges::any_of(
      sessions_, [&](const auto& session) { return session->on_cell_answer(node, answer); });
}

bool ControlServer::on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer) {
  return std::ranges::any_of(
      sessions_, [&](const auto& session) { return session->on_write_off_answer(node, answer); });
}

void ControlServer::close() {
  sessions_.clear();
  listener_.reset();
}

}  // namespace dunlin::node
