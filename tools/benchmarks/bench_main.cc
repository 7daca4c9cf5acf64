// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/benchmarks/client.h"
#include "tools/benchmarks/live.h"
#include "tools/benchmarks/quality.h"

// One program for what is measured of real agents, so that all figures of a run come from one build
// on one machine. Figures are printed for people and, with --json, written for a script that
// compares two builds.
namespace {

int usage(const std::string& why) {
  std::fprintf(stderr,
      "dunlin-bench: %s\nusage: dunlin-bench live [--json FILE] [--tasks N] [--repeat N] "
      "[--starts N] [--rest-seconds N]\n"
      "         [--plan POLICY] [--set KEY=VALUE]...\n"
      "       dunlin-bench client [--json FILE] [--submits N] [--jobs N] [--loop N]\n"
      "       dunlin-bench quality [--json FILE] [--seconds N] [--seeds N] [--at-once N]\n"
      "         [--data FOLDER] [--all] [--no-synthetic] [--no-traces] [--set KEY=VALUE]...\n"
      "         [--trace FILE --slots N [--cutoff S]]...\n",
      why.c_str());
  return 2;
}

int quality(const std::vector<std::string>& words) {
  // A line that is wrong is told with the usage; what fails while it runs is not.
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

/// Flags that are numbers above 0, and where they go. A 0 is a mistake in all of them.
using Numbers = std::map<std::string, unsigned*>;
using Texts = std::map<std::string, std::function<void(const std::string&)>>;

/// Reads flags, each with a value. Fails with what is wrong.
std::optional<std::string> read_flags(
    const std::vector<std::string>& words, const Numbers& numbers, const Texts& texts) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& flag = words[i];
    if (i + 1 == words.size()) return flag + " needs a value";
    const std::string& value = words[i + 1];
    if (const auto text = texts.find(flag); text != texts.end()) {
      text->second(value);
    } else if (const auto number = numbers.find(flag); number != numbers.end()) {
      // A text that is no number reads as 0, which is refused.
      const long read = std::strtol(value.c_str(), nullptr, 10);
      // The bound keeps the number within 32 bits; nothing that is measured needs as many.
      if (read <= 0 || read > 10'000'000) return flag + " needs a number above 0";
      *number->second = static_cast<unsigned>(read);
    } else {
      return "no option " + flag;
    }
  }
  return std::nullopt;
}

/// Runs one benchmark. Returns the exit status: 1, with a reason, if something did not run.
int measure(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dunlin-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}

int live(const std::vector<std::string>& words) {
  dunlin::bench::LiveOptions options;
  const Numbers numbers = {{"--tasks", &options.tasks}, {"--repeat", &options.repeat},
      {"--starts", &options.starts}, {"--rest-seconds", &options.rest_seconds}};
  const Texts texts = {{"--json", [&](const std::string& value) { options.json = value; }},
      {"--plan", [&](const std::string& value) { options.plan = value; }},
      {"--set", [&](const std::string& value) { options.settings.push_back(value); }}};
  if (const auto wrong = read_flags(words, numbers, texts)) return usage(*wrong);
  return measure([&] { dunlin::bench::measure_live(options); });
}

int client(const std::vector<std::string>& words) {
  dunlin::bench::ClientOptions options;
  const Numbers numbers = {
      {"--submits", &options.submits}, {"--jobs", &options.jobs}, {"--loop", &options.loop}};
  const Texts texts = {{"--json", [&](const std::string& value) { options.json = value; }}};
  if (const auto wrong = read_flags(words, numbers, texts)) return usage(*wrong);
  return measure([&] { dunlin::bench::measure_client(options); });
}

}  // namespace

int main(int argc, char** argv) {
  // Without any word argc is 1, and there is nothing to skip.
  const std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
  const std::string what = argc >= 2 ? argv[1] : "";
  if (what == "quality") return quality(words);
  if (what == "live") return live(words);
  if (what == "client") return client(words);
  return usage("what to measure?");
}
