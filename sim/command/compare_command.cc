// SPDX-License-Identifier: MIT
#include "sim/command/compare_command.h"

#include <filesystem>
#include <iostream>

#include "sim/report/compare.h"
#include "sim/report/write_file.h"

namespace dunlin::sim {

Result<void> compare(const CompareOptions& options) {
  const auto comparison = compare_runs(
      options.first, options.second, {.tolerance = options.tolerance, .paired = !options.unpaired});
  if (!comparison) return tl::unexpected(comparison.error());
  std::cout << text_of(*comparison);
  if (options.json.empty()) return {};
  if (auto written = write_file(options.json, json_of(*comparison)); !written) return written;
  const auto name = [](const std::string& file) {
    return std::filesystem::path(file).stem().string();
  };
  auto drawn =
      draw(picture_of(*comparison, name(options.first) + " against " + name(options.second)),
          std::filesystem::path(options.json).replace_extension().string());
  if (drawn) return {};
  // Without gnuplot the figures are there all the same: that is told, and is no failure.
  if (drawn.error().kind != ErrorKind::not_found) return drawn;
  std::cerr << drawn.error().text << '\n';
  return {};
}

}  // namespace dunlin::sim
