// SPDX-License-Identifier: MIT
#include "node/control/listing/job_listing.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "node/ids.h"
#include "overlay/field_info.h"

// No node knows all jobs, so the agent that is asked gathers the lists of all others. Each node
// sends the first jobs of its own, sorted, and numbers for the rest: the first of all jobs are
// among these, whatever is left out. So an answer stays small however many jobs there are.
namespace dunlin::node {
namespace {

/// Null if there is none.
const Json& member_in(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto at = object.find(key);
  return at == object.end() ? nothing : *at;
}

/// Views into the answer, not copies: a list is sorted by lines that are read anew at each
/// comparison.
std::string_view text_in(const Json& object, const char* key) {
  const Json& found = member_in(object, key);
  if (!found.is_string()) return {};
  return found.get_ref<const std::string&>();
}

template <typename Number>
Number number_in(const Json& object, const char* key) {
  constexpr auto max = static_cast<std::int64_t>(std::min<std::uint64_t>(
      std::numeric_limits<Number>::max(), std::numeric_limits<std::int64_t>::max()));
  return static_cast<Number>(Args(object).number(key, 0, max, 0));
}

overlay::PeerId id_in(std::string_view text) {
  overlay::PeerId id;
  std::from_chars(text.data(), text.data() + text.size(), id.value, 16);
  return id;
}

}  // namespace

/// Its texts are those of `summary`, which must outlive it.
JobLine line_of(const Json& summary) {
  return {.state = text_in(summary, "state"),
      .user = text_in(summary, "owner"),
      .service_class = text_in(summary, "class"),
      .name = text_in(summary, "name"),
      .submitted_at = number_in<std::int64_t>(summary, "submitted_at_ns"),
      .tasks = number_in<std::uint32_t>(summary, "tasks"),
      .finished = member_in(summary, "finished") == true,
      .home = id_in(text_in(summary, "home")),
      .number = number_in<std::uint32_t>(summary, "number")};
}

JobOrigin origin_of_summary(const Json& summary) {
  const bool told = !text_in(summary, "origin").empty();
  return {.node = id_in(text_in(summary, told ? "origin" : "home")),
      .name = std::string(text_in(summary, told ? "origin_name" : "home_name"))};
}

JobQuery query_of(Args& args, std::uint32_t fallback) {
  JobQuery query;
  query.all = args.flag("all");
  query.state = args.text("state", 16);
  if (!query.state.empty() && sched::rank_of(query.state) == sched::kJobStates.size()) {
    args.fail("state", overlay::one_of(sched::kJobStates));
  }
  query.user = args.text("user", sched::kJobNameMax);
  query.service_class = args.text("class", sched::kJobNameMax);
  query.name = args.text("name", sched::kJobNameMax);
  query.since = args.number("since_at_ns", 0, INT64_MAX, 0);
  const auto limit = static_cast<std::uint32_t>(args.number("limit", 1, kListedMax, fallback));
  if (limit != 0) query.limit = limit;
  const std::string sort = args.text("sort", 16);
  const auto* known = std::ranges::find(sched::kJobSortWords, sort);
  if (known != std::end(sched::kJobSortWords)) {
    query.sort = static_cast<sched::JobSort>(known - std::begin(sched::kJobSortWords));
  } else if (!sort.empty()) {
    args.fail("sort", "number, newest, oldest, tasks, name, user or state");
  }
  return query;
}

/// The question for another agent, which answers as it would a client.
Json request_of(const JobQuery& query) {
  Json request = {{"verb", "jobs"}, {"all", query.all}, {"since_at_ns", query.since},
      {"limit", query.limit}, {"sort", sched::word_of(query.sort)}};
  const std::pair<const char*, const std::string&> texts[] = {{"state", query.state},
      {"user", query.user}, {"class", query.service_class}, {"name", query.name}};
  for (const auto& [key, text] : texts) {
    if (!text.empty()) request[key] = text;
  }
  return request;
}

void JobMerge::add(overlay::PeerId node, const std::string& name, const Json& answer) {
  const Json& list = member_in(answer, "jobs");
  if (!list.is_array()) return;
  const Json& counted = member_in(answer, "totals");
  // An answer without totals is whole, so its jobs can be counted here.
  const bool knows = counted.is_object();
  if (knows) {
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      totals_[i] += number_in<std::uint64_t>(counted, std::string(sched::kJobStates[i]).c_str());
    }
    matching_ += number_in<std::uint64_t>(answer, "matching");
  }
  for (const Json& each : list) {
    Json job = each;
    if (!job.is_object()) continue;
    // A job is of the node that lists it, whatever that node says.
    job["home"] = to_string(node);
    job["home_name"] = name;
    const JobLine line = line_of(job);
    if (!query_.covers(line)) continue;
    if (!knows) sched::count(totals_, line.state);
    if (!query_.lists(line)) continue;
    if (!knows) ++matching_;
    jobs_.push_back(std::move(job));
  }
  // After each answer, so that no more than the limit is kept, however many nodes answer.
  std::ranges::sort(jobs_,
      [this](const Json& a, const Json& b) { return query_.before(line_of(a), line_of(b)); });
  if (jobs_.size() > query_.limit) jobs_.resize(query_.limit);
}

void JobMerge::count(const sched::NodeJobs& node) {
  for (std::size_t i = 0; i < node.totals.size() && i < totals_.size(); ++i) {
    totals_[i] += node.totals[i];
  }
  matching_ += node.matching;
}

Json JobMerge::take_jobs() {
  Json jobs = Json::array();
  for (Json& job : std::exchange(jobs_, {})) jobs.push_back(std::move(job));
  return jobs;
}

Json totals_json(const JobTotals& totals) {
  Json json = Json::object();
  for (std::size_t i = 0; i < totals.size(); ++i)
    json[std::string(sched::kJobStates[i])] = totals[i];
  return json;
}

}  // namespace dunlin::node
