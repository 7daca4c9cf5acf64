// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/keys.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// What `dunlin top` shows and how its user steers it: takes keys, says what to ask the agent for,
/// and makes the picture of the answer. Pure: it reads no terminal and asks no agent.
class TopView {
 public:
  /// Jobs that are asked for at a time.
  static constexpr std::uint32_t kJobsMax = 200;

  /// What is to be done after a key.
  enum class Effect {
    none,
    repaint,  ///< The picture is another one.
    ask,      ///< The jobs are others: ask at once, paused or not.
    quit,
  };
  /// What the key asks for: a new picture, another list, or to leave.
  Effect on_key(const Key& key);

  /// The request `jobs` that gets what is to be shown.
  Json request() const;
  /// No new looks until the user goes on.
  bool paused() const { return paused_; }

  /// The picture of an answer to `top`, with an answer to request() as its member `jobs`, and what
  /// else that said as `listing`. It has `rows` lines at most; 0: as many as there are, which is
  /// for a pipe: without keys.
  std::string picture(const Json& look, const Terminal& out, std::size_t rows);

 private:
  /// A character, while no filter is typed.
  Effect on_text(char key);
  /// Any key, while a filter is typed.
  Effect edit_filter(const Key& key);
  /// Bounded by what the last picture had: the next may have fewer jobs.
  void scroll(long by);
  /// The list of jobs from the first one shown on, in `rows` lines.
  std::string jobs_picture(const Json& look, const Terminal& out, std::size_t rows);
  /// The last line: what keys do, or the filter as it is typed.
  std::string bottom(const Json& look, const Terminal& out) const;

  std::size_t sort_ = 0;  ///< Index of the order.
  std::string filter_;    ///< As the user typed it.
  std::string edited_;    ///< As it is being typed.
  bool edits_ = false;
  bool paused_ = false;
  bool helps_ = false;     ///< The keys are shown.
  bool nodes_ = true;      ///< The nodes are shown, too.
  std::size_t first_ = 0;  ///< The first job shown, ...
  std::size_t page_ = 1;   ///< ... how many are, and how many there are: of the last picture.
  std::size_t jobs_ = 0;
};

}  // namespace dunlin::cli
