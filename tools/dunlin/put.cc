// SPDX-License-Identifier: MIT
#include "tools/dunlin/put.h"

#include <cerrno>

#include "config/standard_output.h"

namespace dunlin::cli {

// Flushed at once, since a reader at the other end of a pipe waits for it; and looked at, since
// output that a full disk did not take once got lost in silence, with status 0.
Result<void> put(std::FILE* to, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), to) == text.size();
  if (written && std::fflush(to) == 0) return {};
  const int code = errno;
  const char* const stream = to == stderr ? "stderr" : "stdout";
  return tl::unexpected<Error>({ErrorKind::io, config::unwritten_text(stream, code), code});
}

}  // namespace dunlin::cli
