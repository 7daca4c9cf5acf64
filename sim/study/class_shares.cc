// SPDX-License-Identifier: MIT
#include "sim/study/class_shares.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/text.h"
#include "config/text_table.h"
#include "sim/report/gnuplot.h"
#include "sim/study/estimate_text.h"
#include "sim/study/key.h"
#include "sim/study/lines.h"

namespace dunlin::sim {
namespace {

using Json = nlohmann::ordered_json;

/// The class of that name, which is added if there is none.
ClassShares::Class& find(ClassShares& shares, const std::string& name) {
  const auto found = std::ranges::find(shares.classes, name, &ClassShares::Class::name);
  if (found != shares.classes.end()) return *found;
  return shares.classes.emplace_back(
      ClassShares::Class{.name = name, .occupied = std::vector<Estimate>(shares.settings.size())});
}

}  // namespace

Result<ClassShares> class_shares_of(const Study& study, const std::vector<Trial>& trials) {
  ClassShares shares{.settings = planned_combinations(study.plan), .classes = {}};
  // By class, then by combination: of each replication.
  std::vector<std::vector<std::vector<double>>> values;
  for (const Trial& trial : trials) {
    std::ifstream in(trial.output);
    const Json json = Json::parse(in, nullptr, false);
    if (json.is_discarded()) {
      return failure(ErrorKind::corrupt, trial.output + ": no result of a run");
    }
    const Json::json_pointer pointer("/sharing/classes");
    if (!json.contains(pointer)) continue;
    for (const auto& [name, each] : json.at(pointer).items()) {
      auto& found = find(shares, name);
      found.desired = each.at("desired").get<double>();
      // A class may come up first in a later run: the others have gaps there, not zeros.
      values.resize(
          shares.classes.size(), std::vector<std::vector<double>>(shares.settings.size()));
      const auto place = static_cast<std::size_t>(&found - shares.classes.data());
      values[place][trial.combination].push_back(each.at("occupied").get<double>());
    }
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    for (std::size_t i = 0; i < values[j].size(); ++i) {
      shares.classes[j].occupied[i] = estimate_of(values[j][i]);
    }
  }
  return shares;
}

std::string ClassShares::table(std::size_t width) const {
  std::vector<std::string> cells = {""};
  for (const Class& each : classes) cells.push_back(each.name);
  auto table = config::TextTable::by_content(cells);
  cells = {"desired"};
  for (const Class& each : classes) {
    cells.push_back(text_of(Estimate{.mean = each.desired, .half_width = 0, .count = 1}));
  }
  table.add(cells);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    cells = {joined(settings[i])};
    for (const Class& each : classes) cells.push_back(text_of(each.occupied[i]));
    table.add(cells);
  }
  return classes.empty() ? "" : table.stacked(width, 1);
}

Result<void> draw_class_shares(
    const Study& study, const ClassShares& shares, const std::string& base) {
  Picture picture;
  std::size_t longest = 0, runs_max = 0;
  picture.plot = "plot ";
  const LineNames names(study.plan, {}, 0);
  const std::size_t bars = shares.settings.size();
  // The bars of a class side by side, and a gap of one before the next.
  const double width = 1.0 / (static_cast<double>(bars) + 1);
  for (std::size_t i = 0; i < bars; ++i) {
    std::ostringstream rows;
    bool intervals = false;
    for (std::size_t j = 0; j < shares.classes.size(); ++j) {
      const Estimate& occupied = shares.classes[j].occupied[i];
      // The middle of all bars of a class stands over its tick.
      const double off = static_cast<double>(i) - (static_cast<double>(bars) - 1) / 2;
      rows << static_cast<double>(j) + off * width << ' ' << occupied.mean << ' '
           << occupied.half_width << '\n';
      runs_max = std::max(runs_max, occupied.count);
      intervals = intervals || occupied.half_width > 0;
    }
    const std::string name = names.of(shares.settings[i]);
    longest = std::max(longest, config::columns_of(name));
    const std::string block = picture.data.add(
        "bars" + std::to_string(i), "place, mean, half of the interval", rows.str());
    std::ostringstream bar;
    bar << (i > 0 ? ", " : "") << block << " using 1:2:(" << width * 0.9 << ") with boxes lt "
        << i + 1 << " dt solid fs solid " << (i < kLooks ? "0.8" : "0.35") << " title "
        << gnuplot_quoted(name) << " noenhanced";
    // Bars of no length would leave their caps, and a hole where their points are.
    if (intervals) {
      bar << ", " << block << " using 1:2:3 with yerrorbars lc rgb '#333333' dt solid pt 0 notitle";
    }
    picture.plot += bar.str();
  }
  std::ostringstream rows;
  std::string ticks;
  for (std::size_t j = 0; j < shares.classes.size(); ++j) {
    rows << j << ' ' << shares.classes[j].desired << " 0.48\n";
    ticks += (j > 0 ? ", " : "") + gnuplot_quoted(shares.classes[j].name) + " " + std::to_string(j);
  }
  picture.plot += ", " + picture.data.add("desired", "place, share, half a width", rows.str()) +
      " using ($1-$3):2:(2*$3):(0) with vectors nohead dt solid lw 2 lc rgb 'black' "
      "title 'desired'";
  const std::string note = runs_max > 1
      ? "means of " + std::to_string(runs_max) + " runs; bars: 95 % confidence (Student's t)"
      : "single runs";
  const Key key = key_of(bars + 1, std::max(longest, std::string_view("desired").size()),
      gnuplot_quoted(names.title()));
  picture.key_rows = key.rows;
  std::ostringstream frame;
  frame << title_command(study.title, note) << ylabel_command("share of all that is occupied")
        << "set grid y\n"
        << key.command << "set yrange [0:*]\nset offsets 0, 0, graph 0.08, 0\nset xtics (" << ticks
        << ")\nset bars small\nset xrange [-0.6:"
        << static_cast<double>(shares.classes.size()) - 0.4 << "]\n";
  picture.frame = frame.str();
  return draw(picture, base);
}

}  // namespace dunlin::sim
