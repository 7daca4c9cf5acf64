// SPDX-License-Identifier: MIT
#include "sched/logs/offers.h"

#include <algorithm>
#include <variant>

#include "sched/replica/codec_record.h"

namespace dunlin::sched::logs {
namespace {

/// Reports in one message: few, so that it fits a datagram.
constexpr std::size_t kOffersMax = 12;
static_assert(kOffersMax <= Done::kReportsMax);

void add(std::vector<Done>& offers, const replica::PutReport& put) {
  const auto fits = [&](const Done& done) {
    return done.job == put.job && done.worker == put.worker && done.reports.size() < kOffersMax;
  };
  auto at = std::ranges::find_if(offers, fits);
  if (at == offers.end()) {
    at = offers.insert(offers.end(), Done{.job = put.job, .reports = {}, .worker = put.worker});
  }
  at->reports.push_back(put.report);
}

}  // namespace

std::vector<Done> results_after(const replica::Log& log, std::uint64_t position) {
  std::vector<Done> offers;
  for (std::uint64_t i = position + 1; i <= log.end(); ++i) {
    const auto records = replica::decode_records(log.at(i).records);
    if (!records) break;
    for (const replica::Record& record : *records) {
      const auto* const put = std::get_if<replica::PutReport>(&record);
      if (put != nullptr && put->final) add(offers, *put);
    }
  }
  return offers;
}

}  // namespace dunlin::sched::logs
