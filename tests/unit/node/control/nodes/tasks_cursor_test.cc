// SPDX-License-Identifier: MIT
#include "node/control/nodes/tasks_cursor.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

TEST(TasksCursor, IsReadAsItWasWritten) {
  using Part = TasksCursor::Part;
  const TasksCursor all[] = {{.part = Part::running,
                                 .begins = true,
                                 .after = {UINT64_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX, 65535}},
      {.part = Part::asking, .count = 7}, {.part = Part::queued, .count = 0}};
  for (const TasksCursor& cursor : all) {
    const std::string text = to_text(cursor);
    EXPECT_LE(text.size(), kTasksCursorMax);
    EXPECT_EQ(read_tasks_cursor(text), cursor) << text;
  }
  EXPECT_EQ(read_tasks_cursor(""), TasksCursor{});
}

TEST(TasksCursor, NothingElseIsRead) {
  for (const char* const wrong :
      {"x1", "r", "r1", "r1.2.3.4", "r1.2.3.4.", "q", "q1.2", "q-1", "a "}) {
    EXPECT_FALSE(read_tasks_cursor(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace dunlin::node
