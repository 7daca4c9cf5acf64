// SPDX-License-Identifier: MIT
#include "node/identity/place_mark.h"

#include <gtest/gtest.h>

#include "node/identity/identity.h"
#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

class PlaceMark : public ::testing::Test {
 protected:
  PlaceMark() {
    fs::create_directory(first);
    EXPECT_TRUE(Identity::load_or_create(first));
    EXPECT_TRUE(mark_place(first));
  }
  test::Scratch scratch;
  const std::string first = scratch / "first";
  const std::string second = scratch / "second";
};

TEST_F(PlaceMark, ACopyKnowsItsOriginalAsLongAsThatIsThere) {
  EXPECT_FALSE(find_original(first));
  fs::copy(first, second, fs::copy_options::recursive);
  EXPECT_EQ(find_original(second), fs::canonical(first).string());
  EXPECT_FALSE(find_original(first)) << "the elder is no copy";
  fs::remove_all(first);
  EXPECT_FALSE(find_original(second)) << "it was moved, then";
}

TEST_F(PlaceMark, AMovedDirectoryIsNoCopy) {
  fs::rename(first, second);
  EXPECT_FALSE(find_original(second));
  fs::create_directory(first);
  EXPECT_TRUE(Identity::load_or_create(first));
  EXPECT_FALSE(find_original(second)) << "another node lives there by now";
}

TEST_F(PlaceMark, AnotherNameOfADirectoryIsNoCopy) {
  fs::create_directory_symlink(first, second);
  EXPECT_FALSE(find_original(second));
}

TEST_F(PlaceMark, ACopyThatIsAdoptedIsNoneAnyMore) {
  fs::copy(first, second, fs::copy_options::recursive);
  ASSERT_TRUE(mark_place(second));
  EXPECT_FALSE(find_original(second));
}

TEST_F(PlaceMark, DirectoriesHaveMarksOfTheirOwn) {
  fs::copy(first, second, fs::copy_options::recursive);
  EXPECT_NE(directory_mark(first), "");
  EXPECT_NE(directory_mark(first), directory_mark(second));
  EXPECT_EQ(directory_mark(first), directory_mark(first + "/."));
}

}  // namespace
}  // namespace dunlin::node
