// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "web/metrics/metric_table.h"

namespace dunlin::web {

/// What a panel of the board asks Prometheus for, in PromQL: rates of counters, and at most
/// kLinesMax lines of a metric that each node has by itself. `$instance` stands for the nodes that
/// the reader chose, `$__rate_interval` for a time that Grafana chooses.
std::string board_query(const Metric& metric);
/// What stands beside each line.
std::string board_legend(const Metric& metric);

/// A board for Grafana 9 and later, JSON, with a panel for each metric of the table: what `dunlin
/// metrics --grafana` prints.
std::string board_text();

}  // namespace dunlin::web
