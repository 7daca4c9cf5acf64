// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <string>

#include "node/message.h"
#include "overlay/field_info.h"
#include "sched/replica/record.h"
#include "tests/support/docs/markdown.h"

// Python's table of terms, held against the schemas.
namespace dunlin::cli {
namespace {

std::string unit_word(overlay::FieldUnit unit) {
  constexpr const char* kWords[] = {"none", "ns", "mib", "kib_per_second", "milli_cpu"};
  return kWords[static_cast<std::size_t>(unit)];
}

/// The rows of the terms of a record.
template <typename Record>
std::string python_rows(const char* kind) {
  std::string text = "    \"" + std::string(kind) + "\": {\n";
  const Record record;
  Record::terms(record, [&](const overlay::FieldInfo& info, const auto&) {
    text += "        \"" + std::string(info.toml) + "\": (\"" + std::string(info.key) + "\", \"" +
        unit_word(info.unit) + "\", " + std::to_string(info.min) + ", " + std::to_string(info.max) +
        "),\n";
  });
  return text + "    },\n";
}

TEST(PythonTerms, AreThoseOfTheSchemas) {
  const std::string page =
      test::page_text(DUNLIN_SOURCE_DIR "/node/client/python/dunlin/_terms.py");
  const std::string begin = "TERMS = {\n";
  const std::size_t at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(page.substr(at),
      begin + python_rows<sched::replica::PutJob>("job") +
          python_rows<sched::replica::PutGroup>("group") + python_rows<sched::Resources>("demand") +
          python_rows<node::TaskSpec>("task") + "}\n");
}

}  // namespace
}  // namespace dunlin::cli
