// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "node/control/json.h"
#include "sched/work.h"

// Labels of jobs in the protocol: an object of texts by their keys.
namespace dunlin::node {

/// Whether labels are those of a job, or those that jobs are to have.
enum class LabelsOf : bool {
  job,
  query,  ///< An empty text stands for any value.
};

/// Reads the member `labels`, at most `max` of them, ascending by key. What is wrong is in `args`.
std::vector<sched::Label> parse_labels(Args& args, std::size_t max, LabelsOf kind);

Json labels_json(std::span<const sched::Label> labels);

/// The labels of a summary that another agent sent; one of a build before has none. At most as many
/// as a job may have.
std::vector<sched::Label> labels_in(const Json& summary);

}  // namespace dunlin::node
