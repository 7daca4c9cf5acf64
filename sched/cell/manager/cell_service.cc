// SPDX-License-Identifier: MIT
#include "sched/cell/manager/cell_service.h"

#include <algorithm>

#include "overlay/ensure.h"

// Every service sees every report, period and outcome, in the order in which the manager lists
// them; a message goes to one alone, and only the service can tell whether that is its own. So a
// new service is added by listing it: nothing else in the manager knows of it.
namespace dunlin::sched {

CellServices::CellServices(std::vector<CellService*> services) : services_(std::move(services)) {
  ensure(std::ranges::count(services_, nullptr) == 0, "a service that is not there");
}

void CellServices::on_report(const LeaderTurn& turn, const cell::MemberReport& report) {
  for (CellService* service : services_) service->on_report(turn, report);
}

void CellServices::on_period(const LeaderTurn& turn) {
  for (CellService* service : services_) service->on_period(turn);
}

Handling CellServices::on_message(
    const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) {
  for (CellService* service : services_) {
    const Handling handling = service->on_message(turn, from, message);
    if (handling != Handling::passed) return handling;
  }
  return Handling::passed;
}

void CellServices::on_outcome(const LeaderTurn& turn, const Resolution& outcome) {
  for (CellService* service : services_) service->on_outcome(turn, outcome);
}

Time CellServices::deadline() const {
  Time earliest = kNever;
  for (const CellService* service : services_) earliest = std::min(earliest, service->deadline());
  return earliest;
}

void CellServices::on_deadline(const LeaderTurn& turn) {
  for (CellService* service : services_) {
    if (service->deadline() <= turn.now) service->on_deadline(turn);
  }
}

}  // namespace dunlin::sched
