// SPDX-License-Identifier: MIT
#include "sched/cell/manager/cell_service.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

/// Writes down what it was asked, and takes messages of one kind.
class Scribe final : public CellService {
 public:
  Scribe(std::string name, std::string& written) : name_(std::move(name)), written_(written) {}

  void on_report(const LeaderTurn&, const cell::MemberReport&) override { write("report"); }
  void on_period(const LeaderTurn&) override { write("period"); }
  Handling on_message(const LeaderTurn&, const Endpoint&, const cell::Message&) override {
    write("message");
    return answer;
  }
  void on_outcome(const LeaderTurn&, const Resolution&) override { write("outcome"); }
  Time deadline() const override { return due; }
  void on_deadline(const LeaderTurn&) override { write("deadline"); }

  Handling answer = Handling::passed;
  Time due = kNever;

 private:
  void write(const char* what) { written_ += name_ + " " + what + ". "; }

  std::string name_;
  std::string& written_;
};

class CellServicesTest : public ::testing::Test {
 protected:
  std::string take() { return std::exchange(written, ""); }

  test::LedCell cell;
  std::string written;
  Scribe first{"first", written};
  Scribe second{"second", written};
  CellServices services{{&first, &second}};
};

TEST_F(CellServicesTest, AllHearInOrder) {
  services.on_period(cell.turn());
  EXPECT_EQ(take(), "first period. second period. ");
  services.on_report(cell.turn(), {});
  EXPECT_EQ(take(), "first report. second report. ");
  services.on_outcome(cell.turn(), {});
  EXPECT_EQ(take(), "first outcome. second outcome. ");
}

TEST_F(CellServicesTest, AMessageGoesToTheFirstThatTakesIt) {
  EXPECT_EQ(services.on_message(cell.turn(), {}, cell::Verdict{}), Handling::passed);
  EXPECT_EQ(take(), "first message. second message. ");
  first.answer = Handling::refused;
  EXPECT_EQ(services.on_message(cell.turn(), {}, cell::Verdict{}), Handling::refused);
  EXPECT_EQ(take(), "first message. ");
}

TEST_F(CellServicesTest, OnlyServicesThatAreDueAreWoken) {
  EXPECT_EQ(services.deadline(), kNever);
  second.due = cell.now + 1s;
  EXPECT_EQ(services.deadline(), cell.now + 1s);
  services.on_deadline(cell.turn());
  EXPECT_EQ(take(), "");
  cell.now += 1s;
  services.on_deadline(cell.turn());
  EXPECT_EQ(take(), "second deadline. ");
}

// Calls that a service does not override do nothing.
TEST_F(CellServicesTest, AServiceSleepsUntilItIsUsed) {
  class Sleeper final : public CellService {};
  Sleeper sleeper;
  sleeper.on_report(cell.turn(), {});
  sleeper.on_period(cell.turn());
  sleeper.on_outcome(cell.turn(), {});
  sleeper.on_deadline(cell.turn());
  EXPECT_EQ(sleeper.on_message(cell.turn(), {}, cell::Verdict{}), Handling::passed);
  EXPECT_EQ(sleeper.deadline(), kNever);
  EXPECT_TRUE(cell.sent.empty());
}

}  // namespace
}  // namespace dunlin::sched
