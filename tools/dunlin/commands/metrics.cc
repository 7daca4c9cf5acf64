// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/report.h"
#include "web/metrics/alert_rules.h"
#include "web/metrics/board.h"
#include "web/metrics/metrics_text.h"

namespace dunlin::cli {
namespace {

/// Whoever collects the file must never find half of it, and is another user.
Result<void> write_textfile(const std::string& path, const std::string& text) {
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  std::FILE* const file = std::fopen(part.c_str(), "we");
  if (file == nullptr) return failure_of(errno, part);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
      ::fchmod(::fileno(file), 0644) == 0;
  const int code = written ? 0 : errno;
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(part.c_str(), path.c_str()) == 0) return {};
  const int why = written ? errno : code;
  std::remove(part.c_str());
  return failure_of(why, path);
}

}  // namespace

Result<int> metrics(const Globals& globals, const MetricsOptions& options) {
  if (options.alerts || options.board) {
    print(options.alerts ? web::alert_rules_text() : web::board_text());
    return kSuccess;
  }
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("status");
  if (!reply) return tl::unexpected(reply.error());
  const std::string text =
      web::metrics_text(reply->dump(-1, ' ', false, Json::error_handler_t::replace));
  if (options.textfile.empty()) {
    print(text);
    return kSuccess;
  }
  if (auto written = write_textfile(options.textfile, text); !written) {
    return tl::unexpected(written.error());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
