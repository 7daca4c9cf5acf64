// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "tools/dunlin/jobs/job_flags.h"
#include "tools/dunlin/jobs/job_request.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

class RateFlagsTest : public ::testing::Test {
 protected:
  RateFlagsTest() { flags.command = {"true"}; }
  std::string problem(const char* net_in) {
    flags.rates[2] = net_in;
    const auto request = job_request(flags, "/here");
    return request ? "" : request.error().text;
  }
  JobFlags flags;
};

TEST_F(RateFlagsTest, AreNamedAsOptionsAre) {
  EXPECT_EQ(name_of_rate_flag(sched::kRates[0]), "--disk-read");
  EXPECT_EQ(name_of_rate_flag(sched::kRates[3]), "--net-out");
}

TEST_F(RateFlagsTest, SayWhatATaskNeeds) {
  flags.rates = {"100M/s", "1G/s", "", "10MiB/s"};
  const auto request = job_request(flags, "/here");
  ASSERT_TRUE(request) << request.error().text;
  const sched::Resources& demand = request->groups.at(0).demand;
  EXPECT_EQ(demand.disk_read, 100u * 1024);
  EXPECT_EQ(demand.disk_write, 1024u * 1024);
  EXPECT_EQ(demand.net_in, 0u);
  EXPECT_EQ(demand.net_out, 10u * 1024);
  const Json rates = to_json(*request)["groups"][0]["demand"]["rates"];
  EXPECT_EQ(rates, (Json{{"disk_read", 102'400}, {"disk_write", 1 << 20}, {"net_out", 10'240}}));
}

TEST_F(RateFlagsTest, AreLeftOutOfWhatIsSubmittedIfNoneIsGiven) {
  const Json demand = to_json(job_request(flags, "/here").value())["groups"][0]["demand"];
  EXPECT_FALSE(demand.contains("rates"));
}

TEST_F(RateFlagsTest, ASizeIsRefusedAndTheCureNamed) {
  EXPECT_EQ(problem("100M"), "--net-in: '100M' is a size; a rate is by the second: 100M/s");
  EXPECT_THAT(problem("fast"), HasSubstr("--net-in: 'fast' is not a rate"));
}

}  // namespace
}  // namespace dunlin::cli
