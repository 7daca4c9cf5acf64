// SPDX-License-Identifier: MIT
#include "node/control/job_listing.h"

#include <algorithm>
#include <charconv>
#include <fnmatch.h>
#include <tuple>

#include "node/ids.h"

// No node knows all jobs, so the agent that is asked gathers the lists of all others. Each node
// sends the first jobs of its own, sorted, and numbers for the rest: the first of all jobs are
// among these, whatever is left out. So an answer stays small however many jobs there are.
namespace dunlin::node {
namespace {

constexpr std::pair<std::string_view, JobSort> kSorts[] = {{"number", JobSort::number},
    {"newest", JobSort::newest}, {"oldest", JobSort::oldest}, {"tasks", JobSort::tasks},
    {"name", JobSort::name}, {"user", JobSort::user}, {"state", JobSort::state}};

/// Null if there is none.
const Json& member_in(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto at = object.find(key);
  return at == object.end() ? nothing : *at;
}

std::string_view text_in(const Json& object, const char* key) {
  const Json& found = member_in(object, key);
  if (!found.is_string()) return {};
  return found.get_ref<const std::string&>();
}

template <typename Number>
Number number_in(const Json& object, const char* key) {
  const Json& found = member_in(object, key);
  return found.is_number() ? found.get<Number>() : Number{0};
}

std::size_t rank_of(std::string_view state) {
  return static_cast<std::size_t>(std::ranges::find(kJobStates, state) - kJobStates.begin());
}

overlay::PeerId id_in(std::string_view text) {
  overlay::PeerId id;
  std::from_chars(text.data(), text.data() + text.size(), id.value, 16);
  return id;
}

}  // namespace

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

bool JobQuery::covers(const JobLine& job) const {
  if (!state.empty() && job.state != state) return false;
  if (!user.empty() && job.user != user) return false;
  if (!service_class.empty() && job.service_class != service_class) return false;
  if (since > 0 && job.submitted_at < since) return false;
  return name.empty() || fnmatch(name.c_str(), std::string(job.name).c_str(), 0) == 0;
}

bool JobQuery::before(const JobLine& a, const JobLine& b) const {
  const auto newer = [&] {
    return std::tie(b.submitted_at, a.home, b.number) < std::tie(a.submitted_at, b.home, a.number);
  };
  const auto by = [&](auto of_a, auto of_b) { return of_a != of_b ? of_a < of_b : newer(); };
  switch (sort) {
    case JobSort::number:
      return std::tie(a.home, a.number) < std::tie(b.home, b.number);
    case JobSort::newest:
      return newer();
    case JobSort::oldest:
      return std::tie(a.submitted_at, a.home, a.number) <
          std::tie(b.submitted_at, b.home, b.number);
    case JobSort::tasks:
      return by(b.tasks, a.tasks);
    case JobSort::name:
      return by(a.name, b.name);
    case JobSort::user:
      return by(a.user, b.user);
    case JobSort::state:
      return by(rank_of(a.state), rank_of(b.state));
  }
  return false;
}

JobQuery query_of(Args& args, std::uint32_t fallback) {
  JobQuery query;
  query.all = args.flag("all");
  query.state = args.text("state", 16);
  if (!query.state.empty() && rank_of(query.state) == kJobStates.size()) {
    args.fail("state", "running, waiting, failed, done or cancelled");
  }
  query.user = args.text("user", sched::kJobNameMax);
  query.service_class = args.text("class", sched::kJobNameMax);
  query.name = args.text("name", sched::kJobNameMax);
  query.since = args.number("since_at_ns", 0, INT64_MAX, 0);
  const auto limit = static_cast<std::uint32_t>(args.number("limit", 1, kListedMax, fallback));
  if (limit != 0) query.limit = limit;
  const std::string sort = args.text("sort", 16);
  const auto* known = std::ranges::find(kSorts, sort, &std::pair<std::string_view, JobSort>::first);
  if (known != std::end(kSorts)) {
    query.sort = known->second;
  } else if (!sort.empty()) {
    args.fail("sort", "number, newest, oldest, tasks, name, user or state");
  }
  return query;
}

Json request_of(const JobQuery& query) {
  Json request = {
      {"verb", "jobs"}, {"all", query.all}, {"since_at_ns", query.since}, {"limit", query.limit}};
  for (const auto& [word, sort] : kSorts) {
    if (sort == query.sort) request["sort"] = word;
  }
  const std::pair<const char*, const std::string&> texts[] = {{"state", query.state},
      {"user", query.user}, {"class", query.service_class}, {"name", query.name}};
  for (const auto& [key, text] : texts) {
    if (!text.empty()) request[key] = text;
  }
  return request;
}

void count(JobTotals& totals, std::string_view state) {
  if (const std::size_t rank = rank_of(state); rank < totals.size()) ++totals[rank];
}

void JobMerge::add(overlay::PeerId node, const std::string& name, const Json& answer) {
  const Json& list = member_in(answer, "jobs");
  if (!list.is_array()) return;
  const Json& counted = member_in(answer, "totals");
  const bool knows = counted.is_object();
  if (knows) {
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      totals_[i] += number_in<std::uint64_t>(counted, std::string(kJobStates[i]).c_str());
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
    if (!knows) count(totals_, line.state);
    if (!query_.lists(line)) continue;
    if (!knows) ++matching_;
    jobs_.push_back(std::move(job));
  }
  std::ranges::sort(jobs_,
      [this](const Json& a, const Json& b) { return query_.before(line_of(a), line_of(b)); });
  if (jobs_.size() > query_.limit) jobs_.resize(query_.limit);
}

Json JobMerge::take_jobs() {
  Json jobs = Json::array();
  for (Json& job : std::exchange(jobs_, {})) jobs.push_back(std::move(job));
  return jobs;
}

Json totals_json(const JobTotals& totals) {
  Json json = Json::object();
  for (std::size_t i = 0; i < totals.size(); ++i) json[std::string(kJobStates[i])] = totals[i];
  return json;
}

}  // namespace dunlin::node
