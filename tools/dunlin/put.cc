// SPDX-License-Identifier: MIT
#include "tools/dunlin/put.h"

#include <cerrno>

#include "config/standard_output.h"

namespace dunlin::cli {

Result<void> put(std::FILE* to, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), to) == text.size();
  if (written && std::fflush(to) == 0) return {};
  const int code = errno;
  const char* const stream = to == stderr ? "stderr" : "stdout";
  return tl::unexpected<Error>({ErrorKind::io, config::unwritten_text(stream, code), code});
}

}  // namespace dunlin::cli
