// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/users_table.h"

#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// An operator with a slow agent sees here which users hold what of it. The last line says how much
// there is of each kind, and how much of that one user may have.
namespace dunlin::cli {

// LOOP is the time for which the agent's loop worked for a user since its start: what others
// waited.
std::string users_text(const Json& status, const Terminal& terminal) {
  Table table(
      {{"USER"}, {"CLIENTS", Align::right}, {"STREAMS", Align::right}, {"RELAYS", Align::right},
          {"FOLLOWERS", Align::right}, {"END COMMANDS", Align::right}, {"REQUESTS", Align::right},
          {"REFUSED", Align::right}, {"FAULTS", Align::right}, {"LOOP", Align::right}});
  for (const Json& user : member(status, "users")) {
    const auto number = [&](const char* key) {
      return std::to_string(value<std::uint64_t>(user, key));
    };
    const auto name = value<std::string>(user, "user");
    // A holder of the key need not name a user.
    table.add({name.empty() ? "(cluster key)" : name, number("clients"), number("streams"),
        number("relays"), number("followers"), number("end_commands"), number("requests"),
        number("refused"), number("failed"), span_text(value<double>(user, "loop_ns") / 1e9)});
  }
  std::string places;
  for (const auto& [name, share] : member(status, "shares").items()) {
    const auto number = [&share = share](const char* key) {
      return std::to_string(value<std::uint64_t>(share, key));
    };
    places += (places.empty() ? "" : "; ") + printable(name) + " " + number("all") + ", a user " +
        number("user");
  }
  return table.render(terminal) + (places.empty() ? "" : "places: " + places + "\n");
}

}  // namespace dunlin::cli
