// SPDX-License-Identifier: MIT
#include "web/gateway/run_web.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "node/agent_options.h"
#include "node/client/json.h"
#include "node/identity/private_file.h"
#include "node/loop/notify.h"
#include "node/wall_clock.h"
#include "web/gateway/gateway.h"
#include "web/gateway/login_socket.h"
#include "web/http/server.h"

extern char** environ;

namespace dunlin::web {
namespace {

/// A crash costs the sessions of one second at most.
constexpr std::uint64_t kSaveMs = 1'000;
/// 1,000 clients, 65 connections to the agent and 64 that log in, more than three times over.
constexpr rlim_t kFilesWanted = 4'096;
constexpr const char* kAddressVariable = "DUNLIN_ADDRESS";

/// Descriptors for all clients that may be.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kFilesWanted) return;
  limit.rlim_cur = std::min(kFilesWanted, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<std::string> agent_socket_of(const WebOptions& options) {
  std::string path = options.agent_socket;
  if (const char* const given = std::getenv(kAddressVariable); path.empty() && given != nullptr) {
    path = given;
  }
  // What has no slash is an address of another machine, where the kernel could not say who asks.
  if (path.find('/') != path.npos) return path;
  if (!path.empty()) {
    return failure(ErrorKind::usage,
        "the gateway asks the agent of its own machine: --address must be the path of a socket, "
        "not '" +
            path + "'");
  }
  const auto candidates = node::socket_candidates();
  const auto there = std::ranges::find_if(
      candidates, [](const std::string& each) { return ::access(each.c_str(), F_OK) == 0; });
  // An agent that is started later is found by then.
  return there == candidates.end() ? candidates.back() : *there;
}

Result<std::string> made_state_folder(const WebOptions& options) {
  const std::string folder =
      options.state.empty() ? default_state_folder(options.all_users) : options.state;
  if (folder.empty()) return folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  // Hashes and names of users are in there.
  if (!error) ::chmod(folder.c_str(), 0700);
  if (error) return failure_of(error.value(), folder + " (see --state)");
  return folder;
}

std::vector<std::string> small_hosts(const std::vector<std::string>& hosts) {
  std::vector<std::string> small = hosts;
  for (std::string& each : small) {
    std::ranges::transform(each, each.begin(),
        [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  }
  return small;
}

std::string link_address(const WebOptions& options, const std::string& host, std::uint16_t port) {
  if (options.https && !options.hosts.empty()) return "https://" + options.hosts.front() + "/";
  const bool any = host == "0.0.0.0" || host == "::";
  // A browser cannot open the address that means "any".
  const std::string name = any && !options.hosts.empty() ? options.hosts.front()
      : any                                              ? "localhost"
      : host.find(':') != host.npos                      ? "[" + host + "]"
                                                         : host;
  return "http://" + name + ":" + std::to_string(port) + "/";
}

/// Opens a browser, as far as there is a screen. The link goes by a file that others cannot read:
/// the words of a command every user of the machine sees.
void open_browser(const std::string& link, const std::string& folder) {
  const bool screen =
      std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (!screen || ::isatty(STDOUT_FILENO) == 0 || folder.empty()) return;
  const std::string file = folder + "/open.html";
  const std::string page = "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=" + link +
      "\"><a href=\"" + link + "\">Dunlin</a>\n";
  if (!node::write_private_file(file, page, true)) return;
  std::string program = "xdg-open";
  std::string url = "file://" + file;
  char* const words[] = {program.data(), url.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  ::signal(SIGCHLD, SIG_IGN);  // Nobody waits for it.
  ::posix_spawnp(&child, program.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
}

/// A signal that ends the loop.
class StopSignal {
 public:
  StopSignal(uv_loop_t& loop, int number) {
    uv_signal_init(&loop, handle_.get());
    uv_signal_start(handle_.get(), [](uv_signal_t* signal, int) { uv_stop(signal->loop); }, number);
  }

 private:
  node::Handle<uv_signal_t> handle_ = node::make_handle<uv_signal_t>();
};

/// All that runs, made and unmade in order.
class WebProgram {
 public:
  WebProgram(uv_loop_t& loop, const WebOptions& options, AccessTerms access, GatewayTerms gateway)
      : options_(options),
        access_(std::move(access)),
        own_user_(gateway.own_user),
        gateway_(loop, std::move(gateway), access_),
        server_(loop,
            {},
            [this](std::shared_ptr<Exchange> exchange) { gateway_.handle(std::move(exchange)); }),
        // Written down before it is answered: a token that was printed must outlive a crash in that
        // second.
        login_(loop, [this](uid_t user, const std::string& line) {
          std::string answer = gateway_.answer_login(user, line);
          save();
          return answer;
        }) {
    uv_timer_init(&loop, timer_.get());
    timer_->data = this;
  }

  Result<void> start() {
    // Before anything listens: a session of before must not be refused in between.
    if (auto loaded = access_.load(); !loaded) return loaded;
    const std::string socket = options_.login_socket.empty()
        ? default_login_socket(options_.all_users)
        : options_.login_socket;
    if (auto fine = login_.listen(socket, options_.all_users); !fine) return fine;
    const std::vector<std::string> listen =
        options_.listen.empty() ? std::vector<std::string>{"127.0.0.1:0"} : options_.listen;
    for (const std::string& each : listen) {
      const auto where = parse_listen(each);
      if (!where) return tl::unexpected(where.error());
      const auto port = server_.listen(where->host, where->port);
      if (!port) return tl::unexpected(port.error());
      // Links name the first address alone.
      if (!address_.empty()) continue;
      access_.set_port(*port);
      address_ = link_address(options_, where->host, *port);
    }
    gateway_.set_address(address_);
    uv_timer_start(
        timer_.get(), [](uv_timer_t* timer) { static_cast<WebProgram*>(timer->data)->save(); },
        kSaveMs, kSaveMs);
    return {};
  }

  void announce(const std::string& folder) {
    const auto code = options_.all_users || options_.quiet
        ? std::nullopt
        : access_.codes().issue(own_user_, node::unix_seconds());
    if (code) {
      std::printf(
          "%s#%s\nThe link counts once, for a minute; `dunlin web login` prints another. "
          "Ctrl-C ends it.\n",
          address_.c_str(), code->c_str());
      open_browser(address_ + "#" + *code, folder);
    } else {
      std::printf("%s\n", address_.c_str());
    }
    std::fflush(stdout);
    node::notify_service_manager("READY=1");
  }

  void save() {
    const auto saved = access_.save();
    const std::string problem = saved ? std::string() : saved.error().text;
    // Once for each reason, not once a second.
    if (problem != problem_ && !problem.empty()) {
      std::fprintf(stderr, "dunlin-web: sessions and tokens are not kept: %s\n", problem.c_str());
    }
    problem_ = problem;
  }

 private:
  WebOptions options_;
  Access access_;
  std::string own_user_;
  Gateway gateway_;
  Server server_;
  LoginSocket login_;
  node::Handle<uv_timer_t> timer_ = node::make_handle<uv_timer_t>();
  std::string address_;
  std::string problem_;  ///< Why the last save failed.
};

}  // namespace

Result<int> run_web(const WebOptions& options) {
  // A client that goes while it is written to is an error of that write, not of the process.
  ::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  const auto socket = agent_socket_of(options);
  if (!socket) return tl::unexpected(socket.error());
  const auto folder = made_state_folder(options);
  if (!folder) return tl::unexpected(folder.error());
  uv_loop_t loop{};
  uv_loop_init(&loop);
  Result<void> started;
  {
    const StopSignal interrupt(loop, SIGINT);
    const StopSignal terminate(loop, SIGTERM);
    WebProgram program(loop, options,
        {.hosts = small_hosts(options.hosts),
            .https = options.https,
            .file = folder->empty() ? std::string() : *folder + "/logins"},
        {.agent_socket = *socket,
            .all_users = options.all_users,
            .metrics = options.metrics,
            .own_user = user_name_of(::geteuid())});
    started = program.start();
    if (started) {
      program.announce(*folder);
      uv_run(&loop, UV_RUN_DEFAULT);
      program.save();
    }
  }
  // The second run ends by itself: nothing is left in the loop but what closes.
  // Handles are freed when the loop lets go of them.
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  if (!started) return tl::unexpected(started.error());
  return 0;
}

}  // namespace dunlin::web
