// SPDX-License-Identifier: MIT
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "node/store/checked_rows.h"
#include "node/store/drain_text.h"
#include "node/store/sqlite.h"
#include "node/store/store.h"
#include "node/store/store_words.h"

// What the database says of the node itself, in the table meta.
namespace dunlin::node {

Result<void> SqliteStore::read_meta(const std::function<void(const Statement&)>& read) {
  auto rows = database_.prepare("select key, value, sound from checked_meta");
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    if (rows.number(2) != 0) {
      read(rows);
    } else {
      damage_.note("the row '" + std::string(rows.text(0)) + "' of table meta");
    }
  }
}

Result<std::uint32_t> SqliteStore::incarnation() {
  std::uint32_t incarnation = 0;
  auto done = read_meta([&](const Statement& row) {
    if (row.text(0) == "incarnation") incarnation = narrow<std::uint32_t>(row.number(1));
  });
  if (!done) return tl::unexpected(done.error());
  return incarnation;
}

Result<std::optional<sched::DrainTerms>> SqliteStore::drain() {
  std::optional<sched::DrainTerms> drain;
  auto done = read_meta([&](const Statement& row) {
    if (row.text(0) == "drain") drain = drain_of_text(row.text(1));
  });
  if (!done) return tl::unexpected(done.error());
  return drain;
}

Result<void> SqliteStore::put_incarnation(std::uint32_t incarnation) {
  return database_.prepare(sql::put_meta().c_str())
      .bind(std::string_view("incarnation"), incarnation)
      .run();
}

}  // namespace dunlin::node
