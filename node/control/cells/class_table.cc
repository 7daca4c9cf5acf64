// SPDX-License-Identifier: MIT
#include "node/control/cells/class_table.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "sched/ledger/class_name.h"
#include "sched/ledger/class_version.h"

// Edits of the table of classes. A table is replaced as a whole, under a higher version, so cells
// that hear of two edits agree on the last; here an edit is checked against the table that this
// node knows, and nothing is changed unless all of it makes sense.
namespace dunlin::node {
namespace {

using sched::books::Class;
using sched::books::Classes;

Result<void> set_one(Classes& table, const std::string& name, std::int64_t weight) {
  if (auto fine = sched::check_class_name(name); !fine) return fine;
  if (weight < 1 || weight > kWeightMax) {
    return failure(ErrorKind::usage,
        "the weight of class '" + name + "' must be a whole number from 1 to " +
            std::to_string(kWeightMax) + "; to take its share away, remove it");
  }
  const auto class_id = sched::class_id_of(name);
  const auto at = std::ranges::lower_bound(table.classes, class_id, {}, &Class::class_id);
  if (at == table.classes.end() || at->class_id != class_id) {
    if (table.classes.size() == Classes::kClassesMax) {
      return failure(ErrorKind::usage,
          "there are " + std::to_string(Classes::kClassesMax) +
              " classes already, and no room for '" + name + "'; remove one first");
    }
    table.classes.insert(at, {.class_id = class_id, .name = name, .share = weight});
    return {};
  }
  // The id is a hash of the name, so two names may share one, and messages give the id only.
  if (at->name != name) {
    return failure(ErrorKind::usage,
        "'" + name + "' cannot be told from class '" + at->name + "'; choose another name");
  }
  at->share = weight;
  return {};
}

/// Fails if an edit names a class twice.
Result<void> check_named_once(const ClassEdit& edit) {
  std::set<std::string_view> names;
  const auto once = [&](const std::string& name) -> Result<void> {
    if (names.insert(name).second) return {};
    return failure(ErrorKind::usage, "class '" + name + "' is named twice; name it once");
  };
  for (const std::string& name : edit.remove) {
    if (auto fine = once(name); !fine) return fine;
  }
  for (const auto& [name, weight] : edit.set) {
    if (auto fine = once(name); !fine) return fine;
  }
  return {};
}

}  // namespace

Result<Classes> edited(const Classes& table, const ClassEdit& edit, std::uint64_t chance) {
  if (auto fine = check_named_once(edit); !fine) return tl::unexpected(fine.error());
  Classes made = table;
  made.version = sched::next_version(table.version, chance);
  for (const std::string& name : edit.remove) {
    const auto at = std::ranges::find(made.classes, name, &Class::name);
    if (at == made.classes.end()) {
      return failure(
          ErrorKind::not_found, "there is no class '" + name + "'; `dunlin share list` names them");
    }
    made.classes.erase(at);
  }
  for (const auto& [name, weight] : edit.set) {
    if (auto done = set_one(made, name, weight); !done) return tl::unexpected(done.error());
  }
  if (edit.plan) {
    made.plan = *edit.plan;
  } else if (made.classes.empty()) {
    return failure(
        ErrorKind::conflict, "a cluster that shares has one class at least; set another one first");
  }
  return made;
}

Classes table_of(const CellReport& report) {
  Classes table;
  table.version = report.version;
  table.plan = report.plan;
  for (const ReportedShare& share : report.shares) {
    table.classes.push_back(
        {.class_id = share.class_id, .name = share.name, .share = share.weight});
  }
  return table;
}

}  // namespace dunlin::node
