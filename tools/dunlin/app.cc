// SPDX-License-Identifier: MIT
#include "tools/dunlin/app.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>

#include "config/standard_output.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/json.h"
#include "tools/dunlin/program.h"

// The end of every command. A command returns its status or an error, and prints; here the error
// becomes a sentence (or JSON), and the output is flushed and judged. So no command has to look
// whether stdout could be written, and none can forget it.
namespace dunlin::cli {
namespace {

/// Tells an error as the user wants it: a line on stderr, or JSON on stdout. Returns the exit
/// status.
int report(const Error& error, bool json) {
  if (json) {
    print_json_error(error);
  } else {
    std::fprintf(stderr, "dunlin: %s\n", error.text.c_str());
  }
  return exit_status(error);
}

/// True if `--json` stands among our own words: then a line that is not understood is answered as
/// JSON. The user's command may hold the same word.
bool wants_json(Words words, std::size_t users) {
  const Words ours = words.first(words.size() - users);
  const auto end = std::ranges::find(ours, "--");
  return std::find(ours.begin(), end, "--json") != end;
}

/// What main() is to return for what came of the command: its status, or, if not all of its output
/// was written, 1, whatever else came of it: a full disk or a closed pipe must not look like
/// success.
int concluded(const Result<int>& status, config::StandardOutput& output, bool json) {
  const int told = status ? *status : report(status.error(), json);
  const int code = output.finish();
  if (code == 0) return told;
  // The command may have failed because of this very thing: told once is enough.
  const bool known = !status && status.error().code == code;
  if (!known) {
    report({ErrorKind::io, config::unwritten_text("stdout", code), code}, false);
  }
  return kFailure;
}

}  // namespace

int run(int argc, char** argv, const Program& program) {
  config::StandardOutput output;
  const std::vector<std::string> words =
      with_command({argv + std::min(argc, 1), argv + argc}, program.unnamed);
  Invocation invocation;
  invocation.run_agent = program.run_agent;
  invocation.run_dev = program.run_dev;
  invocation.run_web = program.run_web;
  invocation.run_login = program.run_login;
  CLI::App app;
  try {
    if (const auto read = read_line(app, invocation, words, program.commands); !read) {
      return concluded(tl::unexpected(read.error()), output,
          wants_json(words, invocation.run.job.command.size()));
    }
    // CLI11 tells of --help by an exception, too.
  } catch (const CLI::Success& help) {
    return concluded(app.exit(help), output, false);
  }
  // No command was named: what there is, is shown, and yet nothing was done.
  if (!invocation.action) {
    std::fputs(app.help().c_str(), stderr);
    return kUsage;
  }
  return concluded(invocation.action(), output, invocation.globals.json);
}

}  // namespace dunlin::cli
