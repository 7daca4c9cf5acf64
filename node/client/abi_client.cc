// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/un.h>
#include <vector>

#include "node/client/abi.h"
#include "node/client/where.h"

// The C interface of the library: what is about a client itself. No exception may cross it, every
// pointer may be null, and flags that are not known are refused, so that a later library may give
// them a meaning. Nothing connects here: that an agent is away is no error of a call that opens.
namespace dunlin::client {
namespace {

/// All flags that a client may be opened with.
constexpr unsigned kOpenFlags = unsigned{DUNLIN_OWN_LOOP} | unsigned{DUNLIN_KINDS};

/// Where the agent of this user listens, as `dunlin` finds it; none if nothing says so.
std::vector<std::string> usual_addresses() {
  if (const char* const set = std::getenv("DUNLIN_ADDRESS"); set != nullptr && *set != '\0') {
    return addresses_in(set);
  }
  // Nothing is tried here: which of them answers is known only later, at each connection.
  if (::geteuid() == 0) return {"/run/dunlin/agent.sock"};
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || *runtime == '\0') return {};
  return {std::string(runtime) + "/dunlin/agent.sock"};
}

/// Only paths of sockets that fit: a remote agent is not spoken to.
bool can_be_asked(const std::string& address) {
  return is_socket_path(address) && address.size() < sizeof(sockaddr_un::sun_path);
}

/// Connects to nothing yet: an agent that is down is no error here, as one that restarts later is
/// not.
int open_client(
    const char* const* addresses, std::size_t count, unsigned flags, dunlin_client** client) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < count; ++i) {
    if (addresses == nullptr || addresses[i] == nullptr) return DUNLIN_USAGE;
    paths.emplace_back(addresses[i]);
  }
  if (paths.empty()) paths = usual_addresses();
  if (paths.empty() || !std::ranges::all_of(paths, can_be_asked)) return DUNLIN_USAGE;
  auto made = std::make_unique<dunlin_client>();
  made->client = std::make_shared<Client>(std::move(paths), (flags & DUNLIN_OWN_LOOP) != 0,
      (flags & DUNLIN_KINDS) != 0 ? Engine::kProtocol : Engine::kProtocolRefused);
  *client = made.release();
  return DUNLIN_OK;
}

}  // namespace
}  // namespace dunlin::client

using dunlin::client::guarded;
using dunlin::client::kOpenFlags;

extern "C" {

const char* dunlin_version(void) {
  return DUNLIN_VERSION;
}

const char* dunlin_status_text(int status) {
  switch (status) {
    case DUNLIN_OK:
      return "all is well";
    case DUNLIN_USAGE:
      return "the call or the job is wrong";
    case DUNLIN_NOT_FOUND:
      return "there is no such job or task";
    case DUNLIN_REFUSED:
      return "refused";
    case DUNLIN_FORBIDDEN:
      return "not for this user";
    case DUNLIN_BUSY:
      return "the agent is too busy; ask again in a moment";
    case DUNLIN_QUOTA:
      return "this user has as much as a user may";
    case DUNLIN_CONFLICT:
      return "it has ended, is held, or is otherwise not in the state for that";
    case DUNLIN_IO:
      return "a disk or the system failed";
    case DUNLIN_CORRUPT:
      return "the agent's answer makes no sense";
    case DUNLIN_TIMEOUT:
      return "not yet";
    case DUNLIN_LOST:
      return "the connection broke; whether it was done is not known";
    case DUNLIN_MISMATCH:
      return "library and agent speak different versions of the protocol";
    case DUNLIN_CLOSED:
      return "the client was closed";
    case DUNLIN_FORKED:
      return "the client belongs to the parent of this process";
    case DUNLIN_END:
      return "no more follows";
    case DUNLIN_NO_MEMORY:
      return "no memory is left";
    default:
      return "an unknown status";
  }
}

int dunlin_client_open(
    const char* const* addresses, size_t count, unsigned flags, dunlin_client** client) {
  // Flags that are unknown are refused, not ignored, so that a later library may give them a
  // meaning.
  if (client == nullptr || (flags & ~kOpenFlags) != 0) return DUNLIN_USAGE;
  // No exception may leave for C. guarded() keeps what went wrong with the client, and there is
  // none yet.
  try {
    return dunlin::client::open_client(addresses, count, flags, client);
  } catch (const std::bad_alloc&) {
    return DUNLIN_NO_MEMORY;
  } catch (...) {
    return DUNLIN_IO;
  }
}

void dunlin_client_close(dunlin_client* client) {
  if (client == nullptr) return;
  const auto kept = client->client;
  guarded(*kept, [&] {
    if (!kept->close_in_call(client->client)) kept->close();
    return DUNLIN_OK;
  });
  // In a child of fork() only: its copy gives up its descriptors, and is never destroyed.
  dunlin::client::abandon(client->client);
  delete client;
}

int dunlin_client_flush(dunlin_client* client, int wait_ms) {
  if (client == nullptr) return DUNLIN_USAGE;
  auto& served = *client->client;
  return guarded(served, [&] {
    // Those that other threads submit meanwhile are not waited for.
    return served.wait(
        wait_ms, [&served, given = served.given()] { return served.is_settled(given); });
  });
}

int dunlin_client_error(dunlin_client* client, char* text, size_t size) {
  if (client == nullptr) return DUNLIN_USAGE;
  return guarded(*client->client, [&] {
    int status = DUNLIN_OK;
    client->client->look([&](const dunlin::client::Engine& engine) {
      status = engine.problem().status;
      dunlin::client::copy_text(text, size, engine.problem().text);
    });
    return status;
  });
}

// Not to be watched if a thread of the library serves it, nor in a child, which shares the socket
// with its parent: what one of them read the other would miss.
int dunlin_client_fd(dunlin_client* client) {
  return client != nullptr && !client->client->forked() ? client->client->fd() : -1;
}

int dunlin_client_poll(dunlin_client* client, int wait_ms) {
  if (client == nullptr || client->client->fd() < 0) return DUNLIN_USAGE;
  const auto kept = client->client;  // A callback may close the client.
  return guarded(*kept, [&] {
    kept->serve(wait_ms);
    return DUNLIN_OK;
  });
}

}  // extern "C"
