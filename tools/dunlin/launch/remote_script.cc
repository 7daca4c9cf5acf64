// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/remote_script.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/dunlin/launch/remote_text.h"
#include "tools/dunlin/screen/text.h"

// A shell reads ahead: of a script on standard input dash takes 8 KiB, and what was meant for `cat`
// is gone. So a loader of one line takes exactly the script, byte by byte, and nothing behind it.
namespace dunlin::cli {
namespace {

/// The bound of one fact that a host tells; a longer one is cut.
constexpr std::size_t kFactBytesMax = 1024;
/// What a step leaves of the time that it has, so that it tells what is wrong before it is killed.
constexpr int kStepMarginS = 3;

/// A variable of the script, quoted whatever it holds.
std::string assigned(std::string_view name, std::string_view value) {
  return std::string(name) + "=" + sh_word(value) + "\n";
}

/// "--bind=..." for "bind=..." and "agent.bind=...", "--cyclon.period=..." for the others.
std::string setting_flag(std::string_view setting) {
  constexpr std::string_view kAgent = "agent.";
  if (setting.starts_with(kAgent)) setting.remove_prefix(kAgent.size());
  std::string key(setting.substr(0, setting.find('=')));
  if (key.find('.') == key.npos) std::ranges::replace(key, '_', '-');
  return "--" + key + std::string(setting.substr(key.size()));
}

/// Adds a flag, in the place of an earlier one of that name: an agent takes each once.
void put_flag(std::vector<std::string>& flags, std::string flag) {
  const std::string name = flag.substr(0, flag.find('=') + 1);
  std::erase_if(flags, [&](const std::string& each) { return each.starts_with(name); });
  flags.push_back(std::move(flag));
}

/// A function that prints the flags of the agent, a line each. What is said of one host goes before
/// what is said of all.
std::string settings_function(
    const LaunchTerms& terms, const LaunchHost& host, const std::string& contacts) {
  std::vector<std::string> flags;
  const std::string& join = contacts.empty() ? terms.known : contacts;
  if (!join.empty()) put_flag(flags, "--join=" + join);
  for (const std::string& setting : terms.settings) put_flag(flags, setting_flag(setting));
  if (host.cpus != 0) put_flag(flags, "--cpus=" + std::to_string(host.cpus));
  for (const std::string& setting : host.settings) put_flag(flags, setting_flag(setting));
  std::string words;
  for (const std::string& flag : flags) words += " " + sh_word(flag);
  return "settings() { " + (words.empty() ? ":" : "printf '%s\\n'" + words) + "; }\n";
}

std::string_view text_of_step(LaunchStep step) {
  switch (step) {
    case LaunchStep::probe:
      return remote::kProbe;
    case LaunchStep::put_program:
      return remote::kPutProgram;
    case LaunchStep::put_key:
      return remote::kPutKey;
    case LaunchStep::start:
      return remote::kStart;
    case LaunchStep::restart:
      return remote::kRestart;
    case LaunchStep::stop:
      return remote::kStop;
    case LaunchStep::remove:
      return remote::kRemove;
  }
  return {};
}

}  // namespace

// In single quotes nothing means anything to a shell but the quote itself.
std::string sh_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string remote_script(LaunchStep step,
    const LaunchTerms& terms,
    const LaunchHost& host,
    std::size_t program,
    const std::string& contacts) {
  // Less than this desk waits: the script says why it gave up, which a killed ssh cannot.
  const int patience = std::max(static_cast<int>(terms.timeout.count()) - kStepMarginS, 1);
  std::string script = assigned("cluster", terms.cluster) + assigned("want", terms.directory) +
      assigned("hash", terms.programs.hash) + assigned("patience", std::to_string(patience)) +
      assigned("drain", terms.drain ? "yes" : "") + assigned("peers", contacts);
  if (step == LaunchStep::put_program) {
    const LaunchProgram& file = terms.programs.files.at(program);
    script += assigned("name", file.name) + assigned("sum", file.sum);
  }
  if (step == LaunchStep::put_key) script += assigned("size", std::to_string(terms.key.size()));
  script += remote::kCommon;
  if (step == LaunchStep::start || step == LaunchStep::restart) {
    script += settings_function(terms, host, contacts);
    script += remote::kStarting;
  }
  script += text_of_step(step);
  return script;
}

// eval in a shell of its own: what a login shell is, and what it has set, does not matter.
std::string script_loader(std::size_t script_bytes) {
  return "exec sh -c 'eval \"$(dd bs=1 count=" + std::to_string(script_bytes) + " 2>/dev/null)\"'";
}

// The last of two sayings of a word counts, but programs add up.
RemoteFacts read_facts(std::string_view out) {
  constexpr std::string_view kMark = "dunlin:";
  RemoteFacts facts;
  while (!out.empty()) {
    const std::size_t end = std::min(out.find('\n'), out.size());
    std::string_view line = out.substr(0, end);
    out.remove_prefix(std::min(end + 1, out.size()));
    if (!line.starts_with(kMark)) continue;
    line.remove_prefix(kMark.size());
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string word(line.substr(0, blank));
    line.remove_prefix(std::min(blank + 1, line.size()));
    // A host is a stranger until its agent proves that it holds the key: a terminal must not obey
    // it.
    const std::string value = printable(line.substr(0, kFactBytesMax));
    if (word == "have") {
      facts[word] += " " + value + " ";
    } else {
      facts[word] = value;
    }
  }
  return facts;
}

}  // namespace dunlin::cli
