// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "sim/study/trials.h"

namespace dunlin::sim {

/// A name for the program that runs: eight hexadecimal digits of its bytes, and of those of the
/// libraries of ns-3 that it runs with. It differs after each change of the code, of the compiler
/// or of its flags.
std::string build_of_this_program();

/// The files of ns-3's libraries among those that a process has mapped, as /proc/PID/maps lists
/// them; each once, in the order of their names.
std::vector<std::string> libraries_in(std::istream& maps);

/// Names the results of a study's trials by all that determines them: the build, every parameter
/// as its run will have it, the bytes of its trace, and the number of the replication. How the
/// scenario is written does not count: comments, the order of keys, 0.50 for 0.5, defaults that
/// are spelt out, the title, the rest of the sweep.
class TrialNames {
 public:
  explicit TrialNames(const Study& study) : study_(study) {}

  /// "BUILD-PARAMETERS.json", of hexadecimal digits.
  std::string of(const Settings& settings, std::uint64_t run);

 private:
  /// Every parameter with its value, a line each, but for the number of the replication.
  std::string parameters_of(const Settings& settings);
  /// The hash of a trace's bytes; each is read once.
  std::uint64_t trace_hash(const std::string& path);

  const Study& study_;
  Settings settings_;       ///< The last ones asked for ...
  std::string parameters_;  ///< ... and what they come to.
  std::map<std::string, std::uint64_t> traces_;
};

}  // namespace dunlin::sim
