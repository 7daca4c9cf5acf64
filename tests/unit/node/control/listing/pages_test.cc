// SPDX-License-Identifier: MIT
#include <functional>
#include <gmock/gmock.h>

#include "node/control/listing/job_listing.h"
#include "node/ids.h"
#include "tests/unit/node/control/listing/listing_test.h"

// Lists of jobs page by page.
namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The numbers of a list in pages of two, in its order; `between` is called after each page.
class PagesTest : public ListingTest {
 protected:
  std::vector<std::uint32_t> paged(Json request, const std::function<void()>& between = [] {}) {
    std::vector<std::uint32_t> numbers;
    request["limit"] = 2;
    for (int page = 0; page < 20; ++page) {
      const Json listed = ask("jobs", request);
      EXPECT_EQ(error_of(listed), "");
      for (const Json& job : listed["ok"]["jobs"]) numbers.push_back(job["number"]);
      const Json& next = listed["ok"]["next"];
      if (next.is_null()) return numbers;
      EXPECT_EQ(listed["ok"]["jobs"].size(), 2u);
      request["after"] = next;
      between();
    }
    ADD_FAILURE() << "it has no end";
    return numbers;
  }
};

TEST_F(PagesTest, TogetherAreTheWholeListInEachOrder) {
  for (const std::uint32_t tasks : {3u, 1u, 2u, 1u, 5u}) submit(tasks, 100'000);
  ask("cancel", {{"number", 2}});
  for (const std::string_view sort : sched::kJobSortWords) {
    SCOPED_TRACE(sort);
    const Json whole = ask("jobs", {{"sort", sort}, {"all", true}})["ok"];
    EXPECT_TRUE(whole["next"].is_null());
    std::vector<std::uint32_t> numbers;
    for (const Json& job : whole["jobs"]) numbers.push_back(job["number"]);
    EXPECT_EQ(numbers.size(), 5u);
    EXPECT_EQ(paged({{"sort", sort}, {"all", true}}), numbers);
  }
}

TEST_F(PagesTest, StayGoodAsJobsComeAndEnd) {
  for (int i = 0; i < 6; ++i) submit(1, 100'000);
  // Of each page read so far one job ends, and is not in the list any more; others come.
  std::uint32_t ends = 1;
  const auto numbers = paged(Json::object(), [&] {
    ask("cancel", {{"number", ends}});
    ends += 2;
    if (ends < 4) submit(1, 100'000);
  });
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST_F(PagesTest, APlaceIsOfTheSameOrder) {
  for (int i = 0; i < 3; ++i) submit(1, 100'000);
  const Json next = ask("jobs", {{"limit", 1}, {"sort", "newest"}})["ok"]["next"];
  ASSERT_TRUE(next.is_string());
  EXPECT_EQ(ask("jobs", {{"sort", "newest"}, {"after", next}})["ok"]["jobs"].size(), 2u);
  EXPECT_EQ(ask("jobs", {{"sort", "newest"}, {"after", next}})["ok"]["matching"], 3);
  const std::string wrong = "usage: 'after' must be 'next' of an answer to the same request";
  EXPECT_EQ(error_of(ask("jobs", {{"sort", "oldest"}, {"after", next}})), wrong);
  for (const std::string_view word : {"x", "bnVsbA==", "e30=", "W10="}) {
    EXPECT_EQ(error_of(ask("jobs", {{"after", word}})), wrong) << word;
  }
}

}  // namespace
}  // namespace dunlin::node
