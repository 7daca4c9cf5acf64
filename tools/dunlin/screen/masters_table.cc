// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/masters_table.h"

#include <cmath>
#include <cstdint>

#include "tools/dunlin/screen/share_table.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// The masters of federated placement: local ones, which are the managers of cells and know their
// nodes, and global ones, which are frontends and launch by what they were told.
namespace dunlin::cli {
namespace {

constexpr const char* kNone =
    "no frontend launches by a view now: one with frontend.placement = \"federated\" does while it "
    "has jobs.\n";

std::string number(const Json& of, const char* key) {
  return std::to_string(value<std::int64_t>(of, key));
}

/// "12.5", or "100" and above without a fraction.
std::string short_number(double count) {
  std::string text = std::to_string(std::lround(count * 10));
  if (text.size() < 2) text.insert(0, "0");
  text.insert(text.size() - 1, ".");
  return count >= 100 || text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string cpus_text(const Json& of, const char* key) {
  return short_number(static_cast<double>(value<std::int64_t>(of, key)) / 1000);
}

std::string local_text(const Json& cells, const Terminal& terminal) {
  Table rows({{"CELL"}, {"LOCAL MASTER"}, {"EPOCH", Align::right}, {"ROWS", Align::right},
      {"CPUS FREE", Align::right}, {"GIB FREE", Align::right}, {"AGE", Align::right}});
  for (const Json& cell : cells) {
    const Json& free = member(cell, "free");
    rows.add({value<std::string>(cell, "cell"), value<std::string>(cell, "manager_name"),
        number(cell, "epoch"), number(cell, "rows") + "/" + number(cell, "size"),
        cpus_text(free, "cpu_milli"),
        short_number(static_cast<double>(value<std::int64_t>(free, "memory_mib")) / 1024),
        age_text(static_cast<double>(value<std::int64_t>(cell, "age_ns")) / 1e9)});
  }
  return rows.render(terminal);
}

std::string global_text(const Json& masters, const Terminal& terminal) {
  Table rows({{"GLOBAL MASTER"}, {"CELLS", Align::right}, {"PARTITION", Align::right},
      {"LAUNCHED", Align::right}, {"INCONSISTENT", Align::right}, {"REFUSED", Align::right},
      {"UNDER WAY", Align::right}, {"PARKED", Align::right}, {"CPUS BORROWED", Align::right}});
  for (const Json& master : masters) {
    const Json& rate = member(master, "inconsistency");
    rows.add({value<std::string>(master, "name"), number(master, "cells"),
        number(master, "partition"), number(master, "launched"),
        rate.is_number() ? short_number(rate.get<double>() * 100) + " %" : "-",
        number(master, "refused"), number(master, "under_way"), number(master, "parked"),
        cpus_text(member(master, "borrowed"), "cpu_milli")});
  }
  return rows.render(terminal);
}

}  // namespace

std::string masters_text(const Json& reply, const Terminal& terminal) {
  const Json& cells = member(reply, "cells");
  const Json& masters = member(reply, "masters");
  const std::string silent = silent_text(reply);
  // Without a master no cell tells of its view.
  if (cells.empty()) return silent + kNone;
  std::string text = local_text(cells, terminal);
  if (!masters.empty()) text += "\n" + global_text(masters, terminal);
  return text + silent;
}

}  // namespace dunlin::cli
