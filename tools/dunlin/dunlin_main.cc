// SPDX-License-Identifier: MIT
#include "tools/dunlin/agent_program.h"
#include "tools/dunlin/app.h"
#include "tools/dunlin/grammar.h"

int main(int argc, char** argv) {
  // The command line does not contain the agent, so it starts without the agent's libraries.
  const auto agent = [argv](const auto&) { return dunlin::cli::become(argv, "dunlin-agent"); };
  // Nor the gateway of the web, which is a process of its own for another reason: it listens to
  // strangers.
  const auto web = [argv](const auto&) { return dunlin::cli::become(argv, "dunlin-web"); };
  return dunlin::cli::run(argc, argv,
      {.commands = dunlin::cli::all_commands(),
          .run_agent = agent,
          .run_dev = agent,
          .run_web = web,
          .run_login = web});
}
