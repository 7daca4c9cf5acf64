// SPDX-License-Identifier: MIT
#include "sim/workload/lines.h"

#include <array>
#include <cerrno>
#include <string_view>
#include <zlib.h>

namespace dunlin::sim {
namespace {

gzFile as_gz(void* file) {
  return static_cast<gzFile>(file);
}

}  // namespace

void LineFile::Close::operator()(void* file) const {
  gzclose(as_gz(file));
}

// zlib passes a file that is not gzipped through as it is.
Result<LineFile> LineFile::open(const std::string& path) {
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return failure_of(errno == 0 ? ENOMEM : errno, path);
  gzbuffer(file, 1 << 17);
  return LineFile(path, file);
}

Result<bool> LineFile::next(std::string& line) {
  line.clear();
  std::array<char, 4096> part;
  while (gzgets(as_gz(file_.get()), part.data(), part.size()) != nullptr) {
    line += part.data();
    if (line.ends_with('\n')) break;
  }
  int code = Z_OK;
  const char* text = gzerror(as_gz(file_.get()), &code);
  if (code != Z_OK && code != Z_STREAM_END) {
    return failure(ErrorKind::corrupt, place() + ": " + text);
  }
  if (line.empty()) return false;
  ++number_;
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  return true;
}

}  // namespace dunlin::sim
