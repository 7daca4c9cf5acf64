// SPDX-License-Identifier: MIT
#include "config/manual/completion.h"

#include <vector>

namespace dunlin::config {

std::string brief_help(std::string_view help) {
  std::string text;
  for (const char c : help.substr(0, help.find_first_of(".;:("))) {
    text += std::string_view("'\"`$\\[]:\n").find(c) == std::string_view::npos ? c : ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string command_words(const CommandTree& program) {
  std::vector<std::string> words;
  for (const CommandTree& below : program.commands) words.push_back(below.name);
  return spaced(words);
}

std::string with_name(std::string_view text, const std::string& name) {
  std::string out;
  for (std::size_t at = 0; (at = text.find("NAME")) != text.npos;) {
    out += std::string(text.substr(0, at)) + name;
    text.remove_prefix(at + 4);
  }
  return out + std::string(text);
}

std::optional<std::string> completion_script(const CommandTree& program, std::string_view shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  return std::nullopt;
}

}  // namespace dunlin::config
