// SPDX-License-Identifier: MIT
#include "tools/dunlin/app.h"

int main(int argc, char** argv) {
  return dunlin::cli::run(argc, argv);
}
