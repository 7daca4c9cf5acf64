// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "overlay/field_info.h"

namespace dunlin::cli {

/// Flags that a job file says instead.
class TaskFlags {
 public:
  explicit TaskFlags(CLI::App& app) : app_(app) {}

  /// Those that are added from now on stand below this word of the help.
  void begin(const char* group) { group_ = group; }
  CLI::Option* add(const auto& names, auto& value, const char* type, const auto& help) {
    CLI::Option* const option = app_.add_option(names, value, help)->type_name(type)->group(group_);
    // Else CLI11 would take the words of the command for more values of the flag before it.
    option->allow_extra_args(false);
    all_.push_back(option);
    return option;
  }
  void flag(const std::string& name, bool& value, const char* help) {
    all_.push_back(app_.add_flag(name, value, help)->group(group_));
  }
  /// A flag of a term: its names and the word for its value are those of the schema.
  CLI::Option* term(const overlay::FieldInfo& info, auto& value, const char* help) {
    return add(std::string(info.flag), value, std::string(info.value).c_str(), help);
  }
  /// The same of a number, within its bounds.
  void number(const overlay::FieldInfo& info, auto& value, const char* help) {
    term(info, value, help)->check(CLI::Range(info.min, info.max));
  }
  const std::vector<CLI::Option*>& all() const { return all_; }

 private:
  CLI::App& app_;
  const char* group_ = "";
  std::vector<CLI::Option*> all_;
};

}  // namespace dunlin::cli
