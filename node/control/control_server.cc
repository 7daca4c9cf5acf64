// SPDX-License-Identifier: MIT
#include "node/control/control_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "node/access/socket_user.h"
#include "node/control/agent_services.h"
#include "node/control/control_protocol.h"
#include "node/control/control_session.h"
#include "node/control/usage/day_usage.h"
#include "node/ids.h"
#include "node/kernel/trusted_path.h"
#include "node/net/local_connection.h"
#include "node/wall_clock.h"

// Where clients of this machine come in. The socket's file is the door, and its mode is the lock:
// it is made for its owner alone and given to the group afterwards, so that at no moment more
// people can come in than may. The kernel says which user a client is (SO_PEERCRED), never the
// client.
//
// Places for clients are few, because each costs a descriptor and memory. When they are taken, an
// idle connection of the user with most of them ends, never one with a request under way.
namespace dunlin::node {
namespace {

/// A client that found no room may come again after so long.
constexpr overlay::Duration kClientRest = std::chrono::seconds(1);

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
  // EAGAIN: its queue is full, so somebody listens. Any other answer is that of a dead agent.
  if (code == 0 || code == EAGAIN) {
    return failure(ErrorKind::refused,
        "another agent listens on " + path +
            "; give this one a --socket and --data-dir of its own");
  }
  if (::unlink(path.c_str()) != 0) return failure_of(errno, "cannot remove the old socket " + path);
  return {};
}

/// The group kSocketGroup, if there is one and this process may give files to it in the name of the
/// system: an agent that a member of the group runs for itself gives it nothing.
std::optional<gid_t> socket_group() {
  const group* const found = ::getgrnam(kSocketGroup);
  if (found == nullptr) return std::nullopt;
  const bool ours = ::geteuid() == 0 || ::getegid() == found->gr_gid;
  return ours ? std::optional(found->gr_gid) : std::nullopt;
}

/// Gives what `path` is to the group, if it is of type `type` and of this user: what others put
/// there meanwhile stays as it is. By a descriptor, because a path may lead elsewhere the next
/// moment.
bool give(const std::string& path, mode_t type, gid_t group, mode_t mode) {
  const int file = ::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  struct stat found{};
  const bool ours =
      ::fstat(file, &found) == 0 && (found.st_mode & S_IFMT) == type && found.st_uid == ::geteuid();
  constexpr auto kUnchanged = static_cast<uid_t>(-1);
  const std::string itself = "/proc/self/fd/" + std::to_string(file);
  const bool given = ours && ::fchownat(file, "", kUnchanged, group, AT_EMPTY_PATH) == 0 &&
      ::chmod(itself.c_str(), mode) == 0;
  const int error = ours ? errno : EPERM;
  ::close(file);
  errno = error;
  return given;
}

/// Lets the members of the group connect; `directory` is that of the socket, if it was made for it.
Result<void> give_to_group(const std::string& path, const std::string& directory) {
  const auto group = socket_group();
  if (!group) return {};
  if (give(path, S_IFSOCK, *group, 0660) &&
      (directory.empty() || give(directory, S_IFDIR, *group, 0750))) {
    return {};
  }
  return failure_of(errno, "cannot give the socket " + path + " to the group " + kSocketGroup);
}

/// Makes the directory of the socket if it is missing. Empty if it was there; else its path. Fails
/// if other users could put another socket in the place of this one.
Result<std::string> prepare_directory(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  const std::string what = "the directory of the socket";
  // Twice: the directory may be made between the look and our making of it, by another user.
  if (auto fine = check_trusted_directory(directory, ::geteuid(), what); !fine) {
    return tl::unexpected(fine.error());
  }
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory, error);
  if (made) std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  if (auto fine = check_trusted_directory(directory, ::geteuid(), what); !fine) {
    return tl::unexpected(fine.error());
  }
  return made ? directory : "";
}

/// Before the client has said which version it speaks.
void refuse(ControlConnection& connection, const Error& why) {
  Reply(connection, nullptr, kProtocolOldest).fail(why);
  connection.close();
}

}  // namespace

ControlServer::ControlServer(uv_loop_t& loop, AgentServices& agent, std::uint64_t& requests)
    : loop_(loop),
      agent_(agent),
      accounts_(agent.local().accounts),
      day_(agent.local().day),
      requests_(requests),
      names_(std::in_place, loop),
      rights_(std::in_place, loop, [this] { wake(); }),
      wakeup_(loop, [this] { wakeup_at_ = overlay::kNever; }) {}

ControlServer::~ControlServer() = default;

Result<void> ControlServer::listen(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return failure(ErrorKind::usage,
        "the socket's path " + path + " is longer than 107 bytes; choose another --socket");
  }
  const auto made = prepare_directory(path);
  if (!made) return tl::unexpected(made.error());
  if (auto cleared = clear_socket(path); !cleared) return cleared;
  admins_ = group_id(kAdminGroup);

  // An earlier one removes the file of its name when it closes, so it goes before this one comes.
  listener_.reset();
  listener_ = make_handle<uv_pipe_t>();
  uv_pipe_init(&loop_, listener_.get(), 0);
  listener_->data = this;
  const mode_t mask = ::umask(0177);  // Only its owner may connect: mode 0600 from the start.
  int code = uv_pipe_bind(listener_.get(), path.c_str());
  ::umask(mask);
  if (code == 0) {
    code = uv_listen(
        reinterpret_cast<uv_stream_t*>(listener_.get()), 64, [](uv_stream_t* stream, int status) {
          if (status != 0) return;
          if (auto client = LocalConnection::accept(*stream)) {
            static_cast<ControlServer*>(stream->data)->admit(std::move(client));
          }
        });
  }
  if (code != 0) return failure_of(-code, "cannot listen on the socket " + path);
  if (auto given = give_to_group(path, *made); !given) return given;
  path_ = path;
  return {};
}

// Some system cleans /tmp and /run of what it takes for old. The socket still listens then, but
// nobody can find it.
Result<bool> ControlServer::restore() {
  if (!listener_ || path_.empty()) return false;
  struct stat found{};
  const bool gone = ::lstat(path_.c_str(), &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
  if (!gone) return false;
  if (auto made = listen(std::string(path_)); !made) return tl::unexpected(made.error());
  return true;
}

void ControlServer::admit(std::shared_ptr<LocalConnection> client) {
  const auto caller = socket_user(client->socket(), admins_);
  if (!caller) return client->close();
  if (names_->waiting(caller->uid) >= share_of(Place::client).alone) {
    return refuse(*client,
        {ErrorKind::busy, "too many clients of this user wait for its name to be looked up", 0,
            kClientRest.count()});
  }
  const bool administrator = caller->administrator;
  names_->find(caller->uid, [this, client = std::move(client), administrator](std::string name) {
    serve(client, {.user = std::move(name), .administrator = administrator});
  });
}

// A client of another node: the agent there vouches for its user. It gets none of the room here
// that is kept for administrators.
void ControlServer::adopt(std::shared_ptr<ControlConnection> connection) {
  serve(std::move(connection), {.user = {}, .administrator = true, .remote = true});
}

void ControlServer::serve(std::shared_ptr<ControlConnection> connection, const Principal& caller) {
  // The user that an agent speaks for is known when it speaks; until then the place is the node's.
  const AccountPtr account =
      accounts_.of(caller.remote ? "node " + to_string(connection->peer()) : caller.user);
  const Place place = caller.remote ? Place::stream : Place::client;
  const bool administrator = caller.administrator && !caller.remote;
  if (!accounts_.has_room(place, *account, administrator)) {
    make_room(place, *account, administrator);
  }
  auto held = accounts_.take(place, account, administrator);
  if (!held) return refuse(*connection, held.error());
  sessions_.push_back(
      std::make_unique<ControlSession>(agent_, std::move(connection), caller, requests_));
  sessions_.back()->hold(std::move(*held));
  if (rights_) sessions_.back()->look_up_by(*rights_);
}

void ControlServer::make_room(Place place, const Account& newcomer, bool administrator) {
  const auto at = static_cast<std::size_t>(place);
  // A user at the limit of its own share gets room only from its own idle connections.
  const bool own_only = !administrator && newcomer.places[at] >= share_of(place).user;
  auto victim = sessions_.end();
  for (auto each = sessions_.begin(); each != sessions_.end(); ++each) {
    const HeldPlace& held = (*each)->place();
    if (held.account() == nullptr || held.place() != place || !(*each)->idle_since()) continue;
    const Account& holder = *held.account();
    const bool yields = own_only ? &holder == &newcomer
                                 : administrator || Accounts::yields(place, holder, newcomer);
    // Of those who have most, the one that was idle for longest.
    const auto rank = [at](const ControlSession& session) {
      return std::pair(-static_cast<std::ptrdiff_t>(session.place().account()->places[at]),
          *session.idle_since());
    };
    if (yields && (victim == sessions_.end() || rank(**each) < rank(**victim))) victim = each;
  }
  if (victim == sessions_.end()) return;
  (*victim)->part({ErrorKind::busy,
      "this connection was idle, and ends so that another client finds room; connect again", 0,
      kClientRest.count()});
  sessions_.erase(victim);
}

void ControlServer::advance() {
  std::erase_if(sessions_, [](const auto& session) { return session->ended(); });
  accounts_.begin_turn();
  day_.advance(agent_, wall_clock_ns());
  overlay::Time due = day_.due();
  // Another one is first each time: the last ones may find that the turn is over.
  ++first_;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    sessions_[(first_ + i) % sessions_.size()]->advance();
  }
  for (const auto& session : sessions_) due = std::min(due, session->due());
  if (due == wakeup_at_) return;
  wakeup_at_ = due;
  wakeup_.at(due);
}

void ControlServer::wake() {
  wakeup_at_ = agent_.now();
  wakeup_.at(wakeup_at_);
}

void ControlServer::on_result(
    const sched::JobId& job, const sched::Report& report, overlay::PeerId worker) {
  for (const auto& session : sessions_) session->requests().on_result(job, report, worker);
}

void ControlServer::on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply) {
  for (const auto& session : sessions_) session->requests().on_drain_reply(node, reply);
}

void ControlServer::on_home_is(overlay::PeerId node, const sched::HomeIs& told) {
  for (const auto& session : sessions_) session->requests().on_home_is(node, told);
}

void ControlServer::on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told) {
  for (const auto& session : sessions_) session->requests().on_job_end(from, told);
}

bool ControlServer::on_cell_answer(overlay::PeerId node, const CellAnswer& answer) {
  return std::ranges::any_of(sessions_,
      [&](const auto& session) { return session->requests().on_cell_answer(node, answer); });
}

bool ControlServer::on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer) {
  return std::ranges::any_of(sessions_,
      [&](const auto& session) { return session->requests().on_write_off_answer(node, answer); });
}

void ControlServer::close() {
  sessions_.clear();
  names_.reset();
  rights_.reset();
  listener_.reset();
}

}  // namespace dunlin::node
