// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "tests/client/library_world.h"

namespace dunlin::node {

/// Programs in Python that speak to a real agent.
class PythonWorld : public LibraryWorld {
 protected:
  enum class Sanitizer { of_build, of_threads };

  /// The command that runs a program of the folder `tests`; empty if the interpreter cannot load
  /// the library as it is built.
  static std::string python(const std::string& program, Sanitizer sanitizer = Sanitizer::of_build) {
    std::string library = DUNLIN_LIBRARY;
    std::string run_time;
#if defined(DUNLIN_SANITIZED)
    run_time = DUNLIN_ASAN;
#endif
    if (sanitizer == Sanitizer::of_threads) {
      library = DUNLIN_THREADS_LIBRARY;
      run_time = DUNLIN_TSAN;
    }
    // A compiler that does not know the file says its name again.
    if (!run_time.empty() && !std::filesystem::path(run_time).is_absolute()) return "";
    // The interpreter itself keeps what it has until its end.
    const std::string loaded =
        run_time.empty() ? "" : " ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=" + run_time;
    return "cd " DUNLIN_SOURCE_DIR "/tests && timeout 120 env DUNLIN_LIBRARY=" + library +
        " PYTHONPATH=../node/client/python PYTHONDONTWRITEBYTECODE=1" + loaded +
        " " DUNLIN_PYTHON " " + program;
  }
};

}  // namespace dunlin::node
