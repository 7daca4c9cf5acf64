// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "node/message.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The values for %{NAME} in the words of one task. Borrows.
struct PlaceholderValues {
  std::string_view task_index;   ///< %{TASK_INDEX}
  std::string_view task_count;   ///< %{TASK_COUNT}
  std::string_view group_index;  ///< %{GROUP_INDEX}: its place in its group.
  std::string_view job_id;       ///< %{JOB_ID}: the job's number.
  std::string_view attempt;      ///< %{ATTEMPT}
  std::string_view entry;        ///< %{ENTRY}: the task's own line.
  std::string_view node;         ///< %{NODE}
  std::string_view cwd;          ///< %{CWD}: the task's working directory.
  std::string_view submit_dir;   ///< %{SUBMIT_DIR}
};

/// Fails with `usage`, naming the word, if `text` holds an unknown placeholder or an unclosed "%{".
/// "%%{" stands for "%{"; everything else stands for itself: "{}", "%", "$HOME".
Result<void> check_placeholders(std::string_view text);
/// The same for all that a task spec says, to be called when it is submitted. Fails, too, if a line
/// of the user's (%{ENTRY}; of an array it is a number) would become part of a shell's script.
Result<void> check_placeholders(const TaskSpec& spec, bool entry_is_number = false);

/// `text`, written so that it stands for itself.
std::string escape_placeholders(std::string_view text);

/// True if tasks write to a file that their user named: then its output is not kept, nor dropped.
bool writes_files(const TaskSpec& spec);

/// The word of `command` that a shell takes for its script ("sh -c SCRIPT"); null if there is none.
const Word* shell_script(const std::vector<Word>& command);

/// `text` with every placeholder replaced. Values are not searched for placeholders again.
/// Fails like check_placeholders, or if the outcome would exceed `bytes_max` bytes.
Result<std::string> fill_placeholders(
    std::string_view text, const PlaceholderValues& values, std::size_t bytes_max = 1u << 20);

}  // namespace dunlin::node
