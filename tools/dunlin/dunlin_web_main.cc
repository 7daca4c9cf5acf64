// SPDX-License-Identifier: MIT
#include "tools/dunlin/app.h"
#include "tools/dunlin/grammar_web.h"
#include "web/gateway/run_web.h"

int main(int argc, char** argv) {
  return dunlin::cli::run(argc, argv,
      {.commands = dunlin::cli::web_commands(),
          .unnamed = dunlin::cli::kWebCommand.name,
          .run_web = dunlin::web::run_web,
          .run_login = dunlin::web::run_login});
}
