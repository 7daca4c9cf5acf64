// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/confirm.h"

#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// A step that cannot be taken back needs a second word. A word of the thing itself is asked for,
// not y or n: hands say yes before eyes have read.
namespace dunlin::cli {

Result<void> confirm(
    std::string_view command, const std::string& warning, const std::string& word) {
  // A script must say --yes: an answer in a pipe is nobody's decision.
  if (!Terminal::of(stdin, true).interactive) {
    return failure(ErrorKind::usage,
        std::string(command) + ": no terminal to ask; give --yes if you are sure");
  }
  print(warning);
  std::fflush(stdout);
  std::string answer;
  // All of the line is read, so that its rest is no answer to the next question.
  for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar()) {
    if (answer.size() < 256) answer += static_cast<char>(c);
  }
  if (answer == word) return {};
  return failure(ErrorKind::refused, "nothing was changed");
}

}  // namespace dunlin::cli
