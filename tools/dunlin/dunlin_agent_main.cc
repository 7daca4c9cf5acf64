// SPDX-License-Identifier: MIT
#include "node/entry.h"
#include "tools/dunlin/app.h"
#include "tools/dunlin/grammar_agent.h"

int main(int argc, char** argv) {
  return dunlin::cli::run(argc, argv,
      {dunlin::cli::agent_commands(), dunlin::node::run_agent, dunlin::node::run_dev,
          dunlin::cli::kAgentCommand.name});
}
