// SPDX-License-Identifier: MIT
#include "web/gateway/web_options.h"

#include <charconv>
#include <cstdlib>

namespace dunlin::web {
namespace {

/// The value of a variable that holds a whole path; empty if it does not.
std::string folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value == '/' ? value : "";
}

}  // namespace

Result<ListenAddress> parse_listen(const std::string& text) {
  ListenAddress address;
  const auto colon = text.rfind(':');
  const bool alone = colon == text.npos;
  if (!alone) address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  // The one name that is understood: it means the same on each machine.
  if (address.host == "localhost") address.host = "127.0.0.1";
  const std::string port = alone ? text : text.substr(colon + 1);
  const char* const end = port.data() + port.size();
  const auto [at, error] = std::from_chars(port.data(), end, address.port);
  if (port.empty() || error != std::errc() || at != end || address.host.empty()) {
    return failure(ErrorKind::usage,
        "--listen '" + text + "' must be ADDRESS:PORT, such as 127.0.0.1:8780 or [::1]:8780");
  }
  return address;
}

std::string default_state_folder(bool all_users) {
  // systemd has made that folder, with the right owner.
  if (const std::string given = folder_in("STATE_DIRECTORY"); !given.empty()) return given;
  if (all_users) return "/var/lib/dunlin-web";
  if (const std::string state = folder_in("XDG_STATE_HOME"); !state.empty()) {
    return state + "/dunlin-web";
  }
  const std::string home = folder_in("HOME");
  return home.empty() ? "" : home + "/.local/state/dunlin-web";
}

std::string default_login_socket(bool all_users) {
  if (all_users) return "/run/dunlin-web/login.sock";
  const std::string runtime = folder_in("XDG_RUNTIME_DIR");
  // A folder that is emptied at log-out is right for a socket, and wrong for sessions.
  return runtime.empty() ? default_state_folder(false) + "/login.sock"
                         : runtime + "/dunlin-web.sock";
}

}  // namespace dunlin::web
