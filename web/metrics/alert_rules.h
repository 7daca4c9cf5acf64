// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dunlin::web {

/// When Prometheus raises an alarm, and what is to be done then.
struct AlertRule {
  std::string_view name;      ///< "DunlinNodeSick".
  std::string_view severity;  ///< "critical", "warning" or "info".
  std::string_view expr;      ///< PromQL: each series that it yields is an alarm.
  std::string_view after;     ///< It must hold for so long: "5m".
  std::string_view summary;   ///< A template of Prometheus, of one line.
  std::string_view cure;      ///< What to look at, and what to do.
  std::string_view section;   ///< Of docs/guide/operators.md, as in an address: "sick-nodes".
};

/// All of them. The page docs/guide/operators.md has the same table.
std::span<const AlertRule> all_alert_rules();

/// A file of rules for Prometheus, YAML: what `dunlin metrics --alerts` prints. They expect that
/// agents are scraped by a job with the name `dunlin`, as docs/guide/web.md has it.
std::string alert_rules_text();

}  // namespace dunlin::web
