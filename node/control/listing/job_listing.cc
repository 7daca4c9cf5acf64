// SPDX-License-Identifier: MIT
#include "node/control/listing/job_listing.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>

#include "node/base64.h"
#include "node/control/agent_services.h"
#include "node/control/job_name.h"
#include "node/control/submit/label_json.h"
#include "node/ids.h"
#include "node/read_json.h"
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

/// False if an older agent made it.
bool has_origin(const Json& summary) {
  return !text_in(summary, "origin").empty();
}

/// The bytes of a place in a list as text.
constexpr std::size_t kPlaceTextMax = 1024;

/// The place that next_text() told; empty if it is none of a list of that order.
std::optional<sched::FirstJob> read_place(const std::string& text, sched::JobSort sort) {
  const auto bytes = from_base64(text);
  if (!bytes) return std::nullopt;
  const Json said = read_json<Json>(*bytes);
  const Json& submitted = member_in(said, "submitted");
  sched::FirstJob place{.number = number_in<std::uint32_t>(said, "number"),
      .submitted_at = submitted.is_number_integer() ? submitted.get<std::int64_t>() : 0,
      .tasks = number_in<std::uint32_t>(said, "tasks"),
      .state = number_in<std::uint8_t>(said, "state"),
      .key = std::string(text_in(said, "key")),
      .origin = id_in(text_in(said, "origin"))};
  const bool fine = text_in(said, "sort") == sched::word_of(sort) && place.number > 0 &&
      place.key.size() <= sched::FirstJob::kKeyMax;
  return fine ? std::optional(std::move(place)) : std::nullopt;
}

/// A job by the id of the node that took it, which need not be known here.
std::optional<sched::ListedJob> by_id(std::string_view word) {
  constexpr std::size_t kDigits = 16;
  if (word.size() <= kDigits + 1 || word[kDigits] != '.') return std::nullopt;
  sched::ListedJob job;
  const char* const begin = std::to_address(word.begin());
  const char* const dot = begin + kDigits;
  const char* const end = begin + word.size();
  const auto node = std::from_chars(begin, dot, job.node.value, 16);
  const auto number = std::from_chars(dot + 1, end, job.number);
  const bool fine = node.ec == std::errc{} && node.ptr == dot && number.ec == std::errc{} &&
      number.ptr == end && job.number > 0;
  return fine ? std::optional(job) : std::nullopt;
}

}  // namespace

std::string next_text(const JobLine& last, sched::JobSort sort) {
  const sched::FirstJob place = sched::place_of(last, sort);
  return to_base64(compact({{"sort", sched::word_of(sort)}, {"state", place.state},
      {"submitted", place.submitted_at}, {"tasks", place.tasks}, {"key", place.key},
      {"origin", to_string(place.origin)}, {"number", place.number}}));
}

Result<std::vector<sched::ListedJob>> read_ids(const AgentServices& agent, Args& args) {
  std::vector<sched::ListedJob> ids;
  const std::vector<std::string> words = args.texts("ids", sched::JobFilter::kIdsMax);
  if (words.empty()) return ids;
  const std::vector<NamedNode> nodes = named_nodes(agent);
  for (const std::string& word : words) {
    if (const auto job = by_id(word)) {
      ids.push_back(*job);
      continue;
    }
    const auto name = read_job_name(word, nodes, false);
    if (!name) return tl::unexpected(name.error());
    ids.push_back({.node = name->node ? name->node : agent.id(), .number = name->number});
  }
  return ids;
}

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
      .number = number_in<std::uint32_t>(summary, "number"),
      .origin = id_in(text_in(summary, has_origin(summary) ? "origin" : "home")),
      .ended_at = number_in<std::int64_t>(summary, "ended_at_ns")};
}

JobOrigin origin_of_summary(const Json& summary) {
  const bool told = has_origin(summary);
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
  query.labels = parse_labels(args, sched::JobFilter::kLabelsMax, LabelsOf::query);
  query.since = args.number("since_at_ns", 0, INT64_MAX, 0);
  query.ended_since = args.number("ended_since_at_ns", 0, INT64_MAX, 0);
  const auto limit = static_cast<std::uint32_t>(args.number("limit", 1, kListedMax, fallback));
  if (limit != 0) query.limit = limit;
  const std::string sort = args.text("sort", 16);
  const auto* known = std::ranges::find(sched::kJobSortWords, sort);
  if (known != std::end(sched::kJobSortWords)) {
    query.sort = static_cast<sched::JobSort>(known - std::begin(sched::kJobSortWords));
  } else if (!sort.empty()) {
    args.fail("sort", "number, newest, oldest, tasks, name, user or state");
  }
  if (const std::string after = args.text("after", kPlaceTextMax); !after.empty()) {
    query.after = read_place(after, query.sort);
    if (!query.after) args.fail("after", "'next' of an answer to the same request");
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
  if (!query.labels.empty()) request["labels"] = labels_json(query.labels);
  if (query.ended_since > 0) request["ended_since_at_ns"] = query.ended_since;
  for (const sched::ListedJob& job : query.ids) {
    request["ids"].push_back(to_string(job.node) + "." + std::to_string(job.number));
  }
  if (query.after) {
    request["after"] = next_text(sched::line_of(*query.after, query.sort), query.sort);
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
    if (!query_.covers(line, labels_in(job))) continue;
    if (!knows) sched::count(totals_, line.state);
    if (!query_.lists(line)) continue;
    if (!knows) ++matching_;
    if (!query_.is_behind(line)) continue;
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
