// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/line_reader.h"

#include <gmock/gmock.h>

#include "tests/support/scratch.h"

namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

class LineReaderTest : public ::testing::Test {
 protected:
  /// The first lines of a file that holds `text`, or why there are none.
  Result<std::vector<std::string>> read(const std::string& text) {
    test::write_file(scratch_ / "lines", text);
    return LineReader::open(scratch_ / "lines")->next_chunk();
  }

  test::Scratch scratch_;
};

TEST_F(LineReaderTest, EndsAndEmptyLinesAreNoPartOfIt) {
  EXPECT_THAT(*read("a\r\n\nb"), ElementsAre("a", "b"));
}

TEST_F(LineReaderTest, AByteOrderMarkIsNoPartOfTheFirstLine) {
  EXPECT_THAT(*read("\xef\xbb\xbf"
                    "a\n\xef\xbb\xbf"
                    "b\n"),
      ElementsAre("a",
          "\xef\xbb\xbf"
          "b"));
  EXPECT_THAT(*read("\xef\xbb\xbf\n"), ElementsAre());
}

TEST_F(LineReaderTest, NamesTheLineThatNoArgumentCanBe) {
  const auto lines = read(std::string("a\nb\0c\n", 6));
  ASSERT_FALSE(lines);
  EXPECT_THAT(lines.error().text, EndsWith("lines:2: holds a zero byte, which no argument can"));
}

}  // namespace
}  // namespace dunlin::cli
