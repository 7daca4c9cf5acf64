// SPDX-License-Identifier: MIT
#include "node/control/submit/label_json.h"

#include <string>
#include <utility>

#include "sched/job.h"
#include "sched/labels.h"

namespace dunlin::node {

std::vector<sched::Label> parse_labels(Args& args, std::size_t max, LabelsOf kind) {
  std::vector<sched::Label> labels;
  Args object = args.object("labels");
  if (object.json().size() > max) {
    args.fail("labels", "at most " + std::to_string(max) + " labels");
    return labels;
  }
  for (const auto& [key, unused] : object.json().items()) {
    sched::Label label{.key = key, .value = object.text(key, sched::Label::kValueMax)};
    const bool any = kind == LabelsOf::query && label.value.empty();
    auto read = any ? sched::parse_wanted_label(key) : sched::parse_label(key + "=" + label.value);
    // A key with an equals sign would be read as another one.
    if (read && read->key != key) read = sched::parse_label("");
    if (!read) args.fail(read.error());
    sched::set_label(labels, std::move(label));
  }
  return labels;
}

Json labels_json(std::span<const sched::Label> labels) {
  Json json = Json::object();
  for (const sched::Label& label : labels) json[label.key] = label.value;
  return json;
}

std::vector<sched::Label> labels_in(const Json& summary) {
  std::vector<sched::Label> labels;
  const auto found = summary.is_object() ? summary.find("labels") : summary.end();
  if (found == summary.end() || !found->is_object()) return labels;
  for (const auto& [key, value] : found->items()) {
    if (labels.size() == sched::kLabelsMax) break;
    if (value.is_string())
      sched::set_label(labels, {.key = key, .value = value.get<std::string>()});
  }
  return labels;
}

}  // namespace dunlin::node
