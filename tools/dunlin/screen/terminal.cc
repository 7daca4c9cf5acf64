// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/terminal.h"

#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

// The abilities of a stream: nothing but text to a file or a pipe. Colours need a terminal that is
// not dumb and a user who has not refused them (NO_COLOR, --no-color).
namespace dunlin::cli {
namespace {

constexpr std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::red:
      return "31";
    case Colour::dim:
      return "2";
    case Colour::bold:
      return "1";
    case Colour::none:
      break;
  }
  return "";
}

}  // namespace

Terminal Terminal::of(std::FILE* stream, bool no_colour) {
  Terminal terminal;
  // What stands before stdout (config::StandardOutput) has no descriptor of its own.
  const int fd = stream == stdout ? STDOUT_FILENO : fileno(stream);
  const char* const term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  // A file or a pipe: no colours, no limit of columns, nothing painted over.
  if (isatty(fd) == 0) return terminal;
  terminal.interactive = !dumb;
  // https://no-color.org: any value that is not empty counts.
  const char* const refused = std::getenv("NO_COLOR");
  terminal.colours = !dumb && !no_colour && (refused == nullptr || *refused == '\0');
  winsize size{};
  const bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // Some terminals, such as serial lines, do not know their width.
  terminal.columns = known ? size.ws_col : 80;
  return terminal;
}

std::string Terminal::paint(std::string_view text, Colour colour) const {
  if (!colours || colour == Colour::none) return std::string(text);
  std::string painted = "\033[";
  painted += code_of(colour);
  painted += 'm';
  painted += text;
  return painted + "\033[0m";
}

}  // namespace dunlin::cli
