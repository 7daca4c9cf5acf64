// SPDX-License-Identifier: MIT
#include "tools/dunlin/agent_program.h"
#include "tools/dunlin/app.h"
#include "tools/dunlin/grammar.h"

int main(int argc, char** argv) {
  // The command line does not contain the agent, so it starts without the agent's libraries.
  const auto become = [argv](const auto&) { return dunlin::cli::become_agent_program(argv); };
  return dunlin::cli::run(argc, argv, {dunlin::cli::all_commands(), become, become});
}
