// SPDX-License-Identifier: MIT
#include "node/control/cells/cell_answer.h"

#include <gtest/gtest.h>
#include <limits>

#include "node/codec.h"
#include "node/net/transport.h"

namespace dunlin::node {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
constexpr sched::CellId kLargestCell{kLargest};
constexpr sched::Tickets kMany = std::numeric_limits<sched::Tickets>::max();
const overlay::Address kFar{.high = kLargest, .low = kLargest, .port = 65'535};

/// A report in which no list, text or number could be longer.
CellReport longest_report() {
  CellReport report{.cell = kLargestCell, .epoch = kLargest, .parent = kLargestCell};
  report.tickets = kMany;
  report.sums = {kMany, kMany, kMany, kMany, kMany, kMany, kMany, kMany,
      std::string(ReportedSums::kBrokenMax, 'x')};
  report.members.assign(CellReport::kMembersMax,
      {.member = kLargestCell,
          .node = overlay::PeerId{kLargest},
          .address = kFar,
          .tickets = kMany,
          .leaving = true});
  report.shares.assign(CellReport::kSharesMax,
      {.class_id = ~0u,
          .name = std::string(ReportedShare::kNameMax, 'x'),
          .weight = kMany,
          .granted = kMany,
          .used = kMany,
          .need = kMany,
          .balance = kMany,
          .cpu = kMany});
  report.missing.assign(CellReport::kMissingMax,
      {.cell = kLargestCell, .tickets = kMany, .saved = kMany, .age = overlay::Duration::max()});
  report.balances.assign(CellReport::kBalancesMax, {.class_id = ~0u});
  for (ReportedBalances& each : report.balances) {
    each.values.assign(ReportedBalances::kValuesMax, kMany);
  }
  ReportedPartner partner{.cell = kLargestCell,
      .lost = true,
      .number_last = kLargest,
      .sent = kMany,
      .received = kMany,
      .settled_below = kLargest};
  const ReportedTransfer transfer{.number = kLargest, .accepted = true, .tickets = kMany};
  partner.outgoing.assign(ReportedPartner::kOutgoingMax, transfer);
  partner.incoming.assign(ReportedPartner::kIncomingMax, transfer);
  report.partners.assign(CellReport::kPartnersMax, partner);
  ReportedLocalMaster local{
      .rows = ~0u, .free_cpu = kLargest, .free_memory = kLargest, .age = overlay::Duration::max()};
  local.masters.assign(ReportedLocalMaster::kMastersMax,
      {.node = overlay::PeerId{kLargest},
          .partition = ~0u,
          .launched = kLargest,
          .internal = kLargest,
          .external = kLargest,
          .refused = kLargest,
          .under_way = ~0u,
          .parked = ~0u});
  report.local_master.assign(CellReport::kLocalMasterMax, local);
  return report;
}

TEST(CellAnswerTest, WhoSharesNothingHasNothingToTell) {
  const CellAnswer answer = answer_to({.request = 7}, nullptr, nullptr, {}, {});
  EXPECT_EQ(answer, CellAnswer{.request = 7});
}

TEST(CellAnswerTest, TheLongestFitsIntoAMessage) {
  CellAnswer answer{.request = kLargest};
  answer.cells.assign(CellAnswer::kCellsMax, longest_report());
  answer.places.assign(CellAnswer::kPlacesMax,
      {.cell = kLargestCell, .node = overlay::PeerId{kLargest}, .address = kFar});
  std::string bytes;
  encode(Message(answer), bytes);
  EXPECT_LT(bytes.size(), Transport::kMessageMax);
}

}  // namespace
}  // namespace dunlin::node
