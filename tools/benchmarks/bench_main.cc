// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/benchmarks/live.h"
#include "tools/benchmarks/quality.h"

namespace {

int usage(const std::string& why) {
  std::fprintf(stderr,
      "dunlin-bench: %s\nusage: dunlin-bench live [--json FILE] [--tasks N] [--repeat N] "
      "[--starts N] [--rest-seconds N]\n"
      "         [--set KEY=VALUE]...\n"
      "       dunlin-bench quality [--json FILE] [--seconds N] [--seeds N] [--at-once N]\n"
      "         [--data FOLDER] [--all] [--no-synthetic] [--no-traces] [--set KEY=VALUE]...\n"
      "         [--trace FILE --slots N [--cutoff S]]...\n",
      why.c_str());
  return 2;
}

int quality(const std::vector<std::string>& words) {
  try {
    dunlin::bench::measure_quality(dunlin::bench::quality_options(words));
  } catch (const std::invalid_argument& error) {
    return usage(error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dunlin-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 2 && std::string(argv[1]) == "quality") return quality({argv + 2, argv + argc});
  if (argc < 2 || std::string(argv[1]) != "live") return usage("what to measure?");
  dunlin::bench::LiveOptions options;
  const std::map<std::string, unsigned*> numbers = {{"--tasks", &options.tasks},
      {"--repeat", &options.repeat}, {"--starts", &options.starts},
      {"--rest-seconds", &options.rest_seconds}};
  for (int i = 2; i < argc; i += 2) {
    const std::string flag = argv[i];
    if (i + 1 == argc) return usage(flag + " needs a value");
    const std::string value = argv[i + 1];
    if (flag == "--json") {
      options.json = value;
    } else if (flag == "--set") {
      options.settings.push_back(value);
    } else if (const auto number = numbers.find(flag); number != numbers.end()) {
      const long read = std::strtol(value.c_str(), nullptr, 10);
      if (read <= 0 || read > 10'000'000) return usage(flag + " needs a number above 0");
      *number->second = static_cast<unsigned>(read);
    } else {
      return usage("no option " + flag);
    }
  }
  try {
    dunlin::bench::measure_live(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dunlin-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
