// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdio>
#include <ctime>
#include <unistd.h>

#include "node/client/json.h"
#include "node/read_json.h"
#include "web/gateway/login_socket.h"
#include "web/gateway/run_web.h"

// What the command line asks a gateway that runs.
namespace dunlin::web {
namespace {

using client::Json;

constexpr std::int64_t kNsPerS = 1'000'000'000;
/// Ten years: as good as for ever, and far from where sums of seconds overflow.
constexpr std::int64_t kLastsMaxS = std::int64_t{10} * 365 * 86'400;

/// "30d", "12h", "90m" or "45s", in seconds. Empty: none; -1: it makes no sense.
std::int64_t lasting(const std::string& text) {
  if (text.empty()) return 0;
  std::int64_t count = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [at, error] = std::from_chars(text.data(), end, count);
  const std::int64_t unit_s = *end == 'd' ? 86'400 : *end == 'h' ? 3'600 : *end == 'm' ? 60 : 1;
  const bool known = std::string_view("dhms").find(*end) != std::string_view::npos;
  const bool fits = error == std::errc() && at == end && known && count > 0;
  return fits && count <= kLastsMaxS / unit_s ? count * unit_s : -1;
}

std::string day_of(std::int64_t ns) {
  const std::time_t seconds = static_cast<std::time_t>(ns / kNsPerS);
  std::tm parts{};
  char text[32] = "";
  ::localtime_r(&seconds, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

void print_tokens(const Json& answer) {
  const Json& tokens = client::list_of(answer, "tokens");
  if (tokens.empty()) std::puts("no tokens");
  for (const Json& each : tokens) {
    const auto expires = client::number_of<std::int64_t>(each, "expires_at_ns");
    std::printf("%s  %s  made %s, %s  %s\n", client::text_of(each, "id").c_str(),
        client::flag_of(each, "read_only") ? "reads  " : "changes",
        day_of(client::number_of<std::int64_t>(each, "made_at_ns")).c_str(),
        expires == 0 ? "for ever" : ("until " + day_of(expires)).c_str(),
        client::text_of(each, "note").c_str());
  }
}

/// The socket that is there: the user's own gateway goes before the machine's.
std::string socket_of(const LoginWish& wish) {
  if (!wish.login_socket.empty()) return wish.login_socket;
  const std::string own = default_login_socket(false);
  // A file may be all that is left of a gateway; then the connection fails, and its error names it.
  return ::access(own.c_str(), F_OK) == 0 ? own : default_login_socket(true);
}

}  // namespace

Result<int> run_login(const LoginWish& wish) {
  const std::int64_t lasts_s = lasting(wish.expires);
  if (lasts_s < 0) {
    return failure(
        ErrorKind::usage, "--expires '" + wish.expires + "' must be such as 30d, 12h or 90m");
  }
  const Json request = {{"command", wish.command}, {"read_only", wish.read_only},
      {"lasts_s", lasts_s}, {"note", wish.note}, {"id", wish.id}};
  const std::string socket = socket_of(wish);
  const auto line =
      ask_login_socket(socket, request.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!line) {
    return failure(line.error().kind,
        line.error().text + "; is a gateway running? `dunlin web` starts your own");
  }
  const Json answer = read_json<Json>(*line);
  if (const Json* const error = client::member(answer, "error")) {
    const bool usage = client::text_of(*error, "kind") == "usage";
    return failure(usage ? ErrorKind::usage : ErrorKind::refused, client::text_of(*error, "text"));
  }
  if (wish.command == "tokens") {
    print_tokens(answer);
  } else if (wish.command == "login") {
    std::puts(client::text_of(answer, "link").c_str());
  } else if (wish.command == "token") {
    std::puts(client::text_of(answer, "token").c_str());
  }
  return 0;
}

}  // namespace dunlin::web
