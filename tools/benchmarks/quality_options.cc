// SPDX-License-Identifier: MIT
#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "tools/benchmarks/quality.h"

// A run takes long, so all of its words are checked before anything begins.
namespace dunlin::bench {
namespace {

/// main() prints it, and ends with status 2.
[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

unsigned number(const std::string& flag, const std::string& text) {
  // A text that is no number reads as 0, which is refused below.
  const long value = std::strtol(text.c_str(), nullptr, 10);
  if (value <= 0 || value > 10'000'000) refuse(flag + " needs a number above 0");
  return static_cast<unsigned>(value);
}

/// A flag with a value. A trace's flags go to the last trace named.
void set(QualityOptions& options, const std::string& flag, const std::string& value) {
  const std::map<std::string, std::string*> texts = {
      {"--json", &options.json}, {"--data", &options.data}};
  const std::map<std::string, unsigned*> numbers = {{"--seconds", &options.seconds},
      {"--seeds", &options.seeds}, {"--at-once", &options.at_once}};
  if (const auto text = texts.find(flag); text != texts.end()) {
    *text->second = value;
  } else if (const auto count = numbers.find(flag); count != numbers.end()) {
    *count->second = number(flag, value);
  } else if (flag == "--set") {
    options.settings.push_back(value);
  } else if (flag == "--trace") {
    options.given.push_back({.file = value});
  } else if (flag == "--slots" || flag == "--cutoff") {
    if (options.given.empty()) refuse(flag + " belongs to a --trace before it");
    if (flag == "--slots") options.given.back().slots = number(flag, value);
    if (flag == "--cutoff") options.given.back().cutoff = value;
  } else {
    refuse("no option " + flag);
  }
}

}  // namespace

QualityOptions quality_options(const std::vector<std::string>& words) {
  QualityOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& flag = words[i];
    if (flag == "--all") {
      options.all = true;
    } else if (flag == "--no-synthetic") {
      options.synthetic = false;
    } else if (flag == "--no-traces") {
      options.traces = false;
    } else {
      const std::string value = ++i < words.size() ? words[i] : "";
      if (value.empty()) refuse(flag + ": no such option, or it needs a value");
      set(options, flag, value);
    }
  }
  // After all words: --slots and --cutoff follow the --trace to which they belong.
  for (auto& each : options.given) {
    if (each.slots == 0) refuse("--trace " + each.file + " needs --slots");
    // A bare "90" means seconds, as in the papers.
    if (std::isdigit(static_cast<unsigned char>(each.cutoff.back())) != 0) each.cutoff += "s";
  }
  return options;
}

}  // namespace dunlin::bench
