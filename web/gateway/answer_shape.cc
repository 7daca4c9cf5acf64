// SPDX-License-Identifier: MIT
#include "web/gateway/answer_shape.h"

#include <algorithm>
#include <string>

#include "web/agent/node_list.h"
#include "web/gateway/members.h"

// Lists of the agent's verbs differ in small ways. A script that reads one list of /v1 should be
// able to read all of them, so what a list has is made the same here, and nowhere else.
namespace dunlin::web {
namespace {

using client::Json;

/// What the agent said of it stays: it knows better.
void add_if_missing(Json& answer, const char* name, Json value) {
  if (!answer.contains(name)) answer[name] = std::move(value);
}

Json list_answer(Json answer) {
  add_if_missing(answer, "next", Json());
  add_if_missing(answer, "silent", Json::array());
  if (answer.contains("matching")) add_if_missing(answer, "total", answer["matching"]);
  return answer;
}

Json tasks_answer(Json answer) {
  // A cursor is a text, whatever stands in it.
  if (client::member(answer, "next") != nullptr) answer["next"] = answer["next"].dump();
  return list_answer(std::move(answer));
}

tl::expected<Json, Trouble> task_answer(const Json& answer, const Target& target) {
  const Json& tasks = client::list_of(answer, "tasks");
  // The agent begins at an index, and tells the next one there is.
  const std::string& index = target.steps.back();
  const bool there =
      !tasks.empty() && std::to_string(client::number_of<std::int64_t>(tasks[0], "index")) == index;
  if (there) return Json{{"task", tasks[0]}};
  const bool pruned = client::flag_of(answer, "pruned");
  return tl::unexpected<Trouble>(Trouble{"not_found",
      pruned ? "what became of each task of this job is forgotten"
             : "the job has no task " + index});
}

NodeWish node_wish_of(const Endpoint& endpoint, const Target& target) {
  const auto text = [&target](std::string_view name, std::string_view fallback) {
    return std::string(target.parameter(name).value_or(fallback));
  };
  const auto limit = std::ranges::find(endpoint.query, "limit", &Parameter::name);
  return {.state = text("state", ""),
      .name = text("name", ""),
      .sort = text("sort", "name"),
      .after = text("after", ""),
      .limit = static_cast<std::size_t>(number_in(target, *limit))};
}

tl::expected<Json, Trouble> part_of(
    const Endpoint& endpoint, const Target& target, const Json& answer) {
  switch (endpoint.way) {
    case Way::list:
      return list_answer(answer);
    case Way::tasks:
      return tasks_answer(answer);
    case Way::task:
      return task_answer(answer, target);
    case Way::nodes:
      return node_page(answer, node_wish_of(endpoint, target));
    case Way::node_bins:
      return node_bins(answer);
    default:
      return answer;
  }
}

}  // namespace

tl::expected<Json, Trouble> shaped_answer(
    const Endpoint& endpoint, const Target& target, const Answer& answer) {
  auto shaped = part_of(endpoint, target, answer.ok);
  if (shaped) (*shaped)["as_of_ns"] = answer.as_of_ns;
  return shaped;
}

}  // namespace dunlin::web
