// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <uv.h>
#include <vector>

#include "node/agent/agent.h"
#include "node/agent/free_memory.h"
#include "node/closed_process.h"
#include "node/config.h"
#include "node/entry.h"
#include "node/identity/read_capability.h"
#include "node/loop/handle.h"
#include "node/loop/notify.h"

// The process around an agent. Before any key is read it shuts itself off from other processes and
// gives up what it does not need; then come the configuration, the signals and the loop. An agent
// that ends with kExitMoved is started again in its place, with the same words.
namespace dunlin::node {
namespace {

/// SIGINT: drain, and the second time stop. SIGTERM: the same, or as agent.stop says. SIGUSR2:
/// stop, and keep tasks. SIGHUP: read keys and log level again.
class Signals {
 public:
  Signals(uv_loop_t& loop, Agent& agent, const AgentCommand& command)
      : agent_(agent),
        command_(command) {
    watch(loop, term_, SIGTERM);
    watch(loop, interrupt_, SIGINT);
    watch(loop, hangup_, SIGHUP);
    watch(loop, restart_, SIGUSR2);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  void watch(uv_loop_t& loop, Handle<uv_signal_t>& handle, int number) {
    uv_signal_init(&loop, handle.get());
    handle->data = this;
    uv_signal_start(
        handle.get(),
        [](uv_signal_t* signal, int caught) {
          static_cast<Signals*>(signal->data)->on_signal(caught);
        },
        number);
    // Signals alone do not keep a stopped agent alive.
    uv_unref(reinterpret_cast<uv_handle_t*>(handle.get()));
  }

  void on_signal(int number) {
    if (number == SIGINT) return agent_.drain_and_stop();
    if (number == SIGTERM) return agent_.stop_as_configured();
    if (number == SIGUSR2) return agent_.keep_and_stop();
    agent_.reload();
    const auto fresh = load_configuration(command_.config, command_.settings, ::getenv);
    if (fresh) {
      agent_.log().set_level(fresh->agent.log_level);
    } else {
      agent_.log().say(overlay::Level::error, "reload_failed", {{"error", fresh.error().text}});
    }
  }

  Agent& agent_;
  const AgentCommand& command_;
  Handle<uv_signal_t> term_ = make_handle<uv_signal_t>();
  Handle<uv_signal_t> interrupt_ = make_handle<uv_signal_t>();
  Handle<uv_signal_t> hangup_ = make_handle<uv_signal_t>();
  Handle<uv_signal_t> restart_ = make_handle<uv_signal_t>();
};

int fail(const Error& error) {
  std::fprintf(stderr, "dunlin agent: %s\n", error.text.c_str());
  return error.kind == ErrorKind::usage ? 2 : 1;
}

/// False if the parent is gone already: then nobody would ever tell.
bool tie_to_parent() {
  const pid_t parent = ::getppid();
  return ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && ::getppid() == parent && parent != 1;
}

/// Whatever blocked them before, as a careless parent does, must not make this agent deaf.
void hear_signals() {
  sigset_t heard;
  ::sigemptyset(&heard);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR2, SIGCHLD}) ::sigaddset(&heard, signal);
  ::sigprocmask(SIG_UNBLOCK, &heard, nullptr);
}

/// Becomes the same program, with the same arguments. Returns if the system refuses.
void start_again() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (words.empty()) return;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv("/proc/self/exe", arguments.data());
}

int run(uv_loop_t& loop,
    Configuration configuration,
    const UserSettings& user,
    const AgentCommand& command) {
  const std::string name = configuration.agent.name;
  const auto agent = std::make_unique<Agent>(loop, std::move(configuration), user);
  if (command.die_with_parent) agent->log().set_name(name);
  int status = 0;
  if (const auto started = agent->start(); started) {
    const Signals signals(loop, *agent, command);
    notify_service_manager("READY=1");
    uv_run(&loop, UV_RUN_DEFAULT);
    status = agent->exit_status();
  } else {
    status = fail(started.error());
    if (agent->exit_status() != 0) status = agent->exit_status();
  }
  return status;
}

}  // namespace

int run_agent(const AgentCommand& command) {
  give_large_blocks_back();
  // Before any key is read, or any file made.
  const auto user = UserSettings::of_this_process();
  close_process();
  ReadCapability::rest();
  if (command.die_with_parent && !tie_to_parent()) return 1;
  if (auto known = check_variables(variable_names()); !known) return fail(known.error());
  auto configuration = load_configuration(command.config, command.settings, ::getenv);
  if (!configuration) return fail(configuration.error());

  hear_signals();
  // A client or a peer that hangs up is an error code, not the end of the agent.
  ::signal(SIGPIPE, SIG_IGN);
  uv_loop_t loop;
  if (const int code = uv_loop_init(&loop); code != 0) {
    return fail({ErrorKind::io, std::string("no event loop: ") + uv_strerror(code), -code});
  }
  const int status = run(loop, std::move(*configuration), user, command);
  uv_run(&loop, UV_RUN_DEFAULT);  // Handles finish closing.
  uv_loop_close(&loop);
  if (status == kExitMoved) start_again();
  return status;
}

}  // namespace dunlin::node
