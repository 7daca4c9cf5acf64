// SPDX-License-Identifier: MIT
#include "tools/dunlin/grammar_web.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "tools/dunlin/grammar_parts.h"

namespace dunlin::cli {
namespace {

void add_address(CLI::App& command, Invocation& on) {
  command
      .add_option("--address", on.globals.agent.address,
          "The socket of the agent (default: DUNLIN_ADDRESS, or that of this machine)")
      ->type_name("PATH");
}

void add_login_socket(CLI::App& command, std::string& socket) {
  command
      .add_option("--login-socket", socket,
          "Where users of this machine log in (default: in XDG_RUNTIME_DIR; for all users "
          "/run/dunlin-web/login.sock)")
      ->type_name("PATH");
}

void fill_login(CLI::App& command, Invocation& on) {
  does(command, on, [&on] {
    // Said when it runs and not when it is described: all commands are described before one is
    // chosen.
    on.web_login.command = "login";
    return on.run_login(on.web_login);
  });
  add_login_socket(command, on.web_login.login_socket);
}

void fill_token(CLI::App& command, Invocation& on) {
  does(command, on, [&on] {
    // Three wishes of one command: --list goes before --revoke, as it changes nothing.
    on.web_login.command = on.web_tokens ? "tokens" : on.web_login.id.empty() ? "token" : "revoke";
    return on.run_login(on.web_login);
  });
  command.add_flag("--read-only", on.web_login.read_only, "It may change nothing");
  command.add_option("--expires", on.web_login.expires, "After so long (default: never)")
      ->type_name("TIME");
  command.add_option("--note", on.web_login.note, "What it is for, for --list")->type_name("TEXT");
  command.add_flag("--list", on.web_tokens, "List your tokens instead");
  command.add_option("--revoke", on.web_login.id, "Take one back instead")->type_name("ID");
  add_login_socket(command, on.web_login.login_socket);
}

}  // namespace

void fill_web(CLI::App& command, Invocation& on) {
  // Alone it is the gateway; with a word behind it, a question to one that runs.
  command.require_subcommand(0, 1);
  does(command, on, [&on] {
    // All commands have --address; the gateway finds it among its own options.
    on.web.agent_socket = on.globals.agent.address;
    return on.run_web(on.web);
  });
  command
      .add_option("--listen", on.web.listen,
          "Where browsers find it: a port of 127.0.0.1, or ADDRESS:PORT (default: a free port)")
      ->type_name("PORT")
      ->allow_extra_args(false);
  command.add_option("--host", on.web.hosts, "A name by which browsers call it, besides localhost")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_flag("--all-users", on.web.all_users,
      "Serve all users of this machine, each as that user (the unit dunlin-web.service)");
  command.add_flag("--https", on.web.https, "A proxy in front speaks TLS with browsers");
  command.add_flag("--metrics", on.web.metrics, "Tell /metrics, for Prometheus");
  command.add_flag("-q,--quiet", on.web.quiet, "Print the address alone, and open no browser");
  command
      .add_option("--state", on.web.state,
          "Where sessions and tokens are kept (default ~/.local/state/dunlin-web)")
      ->type_name("DIR");
  add_login_socket(command, on.web.login_socket);
  add_address(command, on);
  fill_login(*command.add_subcommand("login", "Print a link by which you log in"), on);
  fill_token(
      *command.add_subcommand("token", "Make a token for scripts, list yours, or take one back"),
      on);
}

std::span<const Command> web_commands() {
  static constexpr Command kCommands[] = {kWebCommand};
  return kCommands;
}

}  // namespace dunlin::cli
