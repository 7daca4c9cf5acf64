// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "config/standard_output.h"
#include "sim/command/compare_command.h"
#include "sim/command/grammar.h"
#include "sim/command/run_command.h"
#include "sim/command/self_commands.h"
#include "sim/command/show_commands.h"
#include "sim/command/sweep_command.h"
#include "sim/command/usage.h"
#include "sim/engine/huge_pages.h"
#include "sim/scenario/ns3_attributes.h"

// dunlin-sim: the peers of Dunlin, by the thousand, on the event loop of ns-3.
namespace dunlin::sim {
namespace {

Result<void> do_command(const std::string& name, const SimInvocation& on) {
  if (name == "run") return run(on.run);
  if (name == "sweep") return sweep(on.sweep);
  if (name == "compare") return compare(on.compare);
  if (name == "describe") return describe(on.described);
  if (name == "completion") return completion(on.completion);
  if (name == "man") return man(on.man);
  if (name == "list") list(on.folder);
  if (name == "params") params();
  return {};
}

// 2 for what the user wrote, 1 for what happened, as in `dunlin`.
int report(const Error& error) {
  std::cerr << "dunlin-sim: " << error.text << '\n';
  return error.kind == ErrorKind::usage ? 2 : 1;
}

int main_of(int argc, char** argv) {
  CLI::App app;
  SimInvocation on;
  describe_program(app, on);
  const auto words = with_ns3_attributes({argv + 1, static_cast<std::size_t>(argc - 1)});
  try {
    // CLI11 wants them in reverse, and takes them away.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    // Help and version come as exceptions, too.
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "dunlin-sim: " << usage_problem(app, error, words) << '\n';
    return 2;
  }
  const auto done = do_command(app.get_subcommands().front()->get_name(), on);
  return done ? 0 : report(done.error());
}

}  // namespace
}  // namespace dunlin::sim

int main(int argc, char** argv) {
  // First of all: it may start the program anew, and then nothing may have been done yet.
  dunlin::sim::use_huge_pages(argv);
  dunlin::config::StandardOutput output;
  int status = 1;
  try {
    status = dunlin::sim::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "dunlin-sim: " << error.what() << '\n';
  }
  // Output that was not written must not look like success.
  const int code = output.finish();
  if (code == 0) return status;
  std::cerr << "dunlin-sim: " << dunlin::config::unwritten_text("stdout", code) << '\n';
  return 1;
}
