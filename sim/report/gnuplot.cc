// SPDX-License-Identifier: MIT
#include "sim/report/gnuplot.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <sys/wait.h>

#include "config/text.h"
#include "sim/report/write_file.h"

// gnuplot draws from a script and a data file that stay beside the pictures: a user who wants other
// colours, sizes or words in a paper edits the script and runs it again.
namespace dunlin::sim {
namespace {

// Colours after Okabe and Ito and after Tol, which differ on white, and in print with dashes and
// points.
constexpr std::array<const char*, kLooks> kLookWords = {"lc rgb '#0072b2' dt solid pt 7",
    "lc rgb '#d55e00' dt (8,4) pt 5", "lc rgb '#009e73' dt (3,2) pt 9",
    "lc rgb '#cc79a7' dt (10,3,2,3) pt 11", "lc rgb '#e69f00' dt solid pt 13",
    "lc rgb '#56b4e9' dt (8,4) pt 6", "lc rgb '#555555' dt (3,2) pt 4",
    "lc rgb '#8c510a' dt (10,3,2,3) pt 8", "lc rgb '#332288' dt solid pt 10",
    "lc rgb '#999933' dt (8,4) pt 12"};

constexpr std::size_t kTitleColumns = 84;

std::string looks() {
  std::string text;
  for (std::size_t i = 0; i < kLooks; ++i) {
    text += "set linetype " + std::to_string(i + 1) + " " + kLookWords[i] + "\n";
  }
  return text + "set linetype cycle " + std::to_string(kLooks) + "\n";
}

/// The commands that choose each kind of picture. A row of the key takes as much of the height as
/// it needs, so the frame stays as high as it is.
std::string terminals(const Picture& picture) {
  constexpr double kWidth = 720, kHeight = 440, kRow = 17;  // Pixels of an SVG.
  constexpr double kPdf = 120;                              // Pixels to an inch of a PDF.
  const double width = kWidth * picture.size;
  const double height =
      kHeight * picture.size + kRow * (picture.key_rows > 1 ? picture.key_rows - 1.0 : 0);
  std::ostringstream text;
  text << "if (kind eq 'svg') { set terminal svg size " << std::lround(width) << ','
       << std::lround(height) << " font 'sans,13' background rgb 'white' }\n"
       << "if (kind eq 'png') { set terminal pngcairo size " << std::lround(1.5 * width) << ','
       << std::lround(1.5 * height) << " fontscale 1.3 font 'sans,13' }\n"
       << "if (kind eq 'pdf') { set terminal pdfcairo size " << width / kPdf << "in,"
       << height / kPdf << "in font 'sans,8' }\n";
  return text.str();
}

// It names files without folders: the pictures can be drawn again wherever script and data lie.
std::string script_of(const Picture& picture, const std::string& name) {
  return "# Draws " + name + ".svg, .png and .pdf: gnuplot " + name + ".gp\n" +
      "data = " + gnuplot_quoted(name + ".dat") + "\n" + looks() + picture.frame +
      "do for [kind in 'svg png pdf'] {\n" + terminals(picture) + "set output " +
      gnuplot_quoted(name + ".") + ".kind\n" + picture.plot + "\nset output\n}\n";
}

/// Runs `name`.gp in its folder, so that what it names lies beside it.
Result<void> run_gnuplot(const std::string& folder, const std::string& name) {
  // The shell returns 127 if there is no such command.
  const std::string command = "cd " + config::shell_word(folder.empty() ? "." : folder) +
      " && exec gnuplot " + config::shell_word(name + ".gp") + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) return failure_of(errno, "gnuplot");
  std::string said;
  std::array<char, 4096> chunk;
  for (std::size_t got = 0; (got = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    said.append(chunk.data(), got);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return failure(ErrorKind::not_found,
        "no gnuplot: install gnuplot-nox; then `gnuplot " + name + ".gp` draws the picture");
  }
  if (status != 0) {
    return failure(ErrorKind::io, folder + "/" + name + ".gp: gnuplot failed: " + said);
  }
  return {};
}

void remove_all(const std::string& base, std::initializer_list<const char*> kinds) {
  std::error_code code;
  for (const char* const kind : kinds) std::filesystem::remove(base + kind, code);
}

}  // namespace

std::string gnuplot_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

// In double quotes a backslash and n is a new line, in single ones nothing is special: so both
// kinds are joined.
std::string gnuplot_wrapped(const std::string& text, std::size_t columns) {
  std::string quoted;
  std::string_view rest = text;
  while (rest.size() > columns) {
    const std::size_t space = rest.rfind(' ', columns);
    if (space == std::string_view::npos || space == 0) break;
    quoted += gnuplot_quoted(std::string(rest.substr(0, space))) + ".\"\\n\".";
    rest.remove_prefix(space + 1);
  }
  return quoted + gnuplot_quoted(std::string(rest));
}

std::string title_command(const std::string& title, const std::string& note) {
  return "set title " + gnuplot_wrapped(title, kTitleColumns) +
      (note.empty() ? "" : ".\"\\n\"." + gnuplot_wrapped(note, kTitleColumns)) + " noenhanced\n";
}

std::string ylabel_command(const std::string& meaning, std::size_t columns) {
  return "set ylabel " + gnuplot_wrapped(meaning, columns) + " noenhanced\n";
}

std::string PictureData::add(
    const std::string& name, const std::string& columns, const std::string& rows) {
  // A block of comments alone would be none, and the next be taken for it.
  text_ +=
      "# " + columns + "\n# " + name + "\n" + (rows.empty() ? "NaN NaN NaN NaN\n" : rows) + "\n\n";
  return "data index " + gnuplot_quoted(name);
}

void remove_pictures(const std::string& base) {
  remove_all(base, {".svg", ".png", ".pdf", ".dat", ".gp"});
}

Result<void> draw(const Picture& picture, const std::string& base) {
  // Old ones first: a picture that could not be drawn must not be taken for the new one.
  remove_pictures(base);
  const std::filesystem::path path(base);
  const std::string name = path.filename().string();
  if (auto written = write_file(base + ".dat", picture.data.text()); !written) return written;
  if (auto written = write_file(base + ".gp", script_of(picture, name)); !written) return written;
  auto drawn = run_gnuplot(path.parent_path().string(), name);
  if (!drawn) remove_all(base, {".svg", ".png", ".pdf"});
  return drawn;
}

}  // namespace dunlin::sim
