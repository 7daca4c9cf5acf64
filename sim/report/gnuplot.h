// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "overlay/result.h"

namespace dunlin::sim {

/// `text` as a gnuplot string in single quotes, in which only the quote itself is special.
std::string gnuplot_quoted(const std::string& text);

/// The same, broken into lines of at most so many columns where there are blanks.
std::string gnuplot_wrapped(const std::string& text, std::size_t columns);

/// The command that sets the title: `title`, broken into lines that fit a picture, and below it
/// `note`, which may be empty.
std::string title_command(const std::string& title, const std::string& note);
/// The command that sets the title of the vertical axis, in lines of at most so many columns.
inline constexpr std::size_t kLabelColumns = 46;
std::string ylabel_command(const std::string& meaning, std::size_t columns = kLabelColumns);

/// Lines that can be told apart also in print and by people who see no red or green: after so many
/// looks (colour, dashes and points) they repeat.
inline constexpr std::size_t kLooks = 10;

/// The data of a picture, as a file of blocks that plot commands name.
class PictureData {
 public:
  /// Adds rows of numbers, a line each; `columns` says what they are. Returns the words by which
  /// plot commands name the block. A block without rows draws nothing.
  std::string add(const std::string& name, const std::string& columns, const std::string& rows);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A picture in the words of gnuplot.
struct Picture {
  PictureData data;
  std::string frame;      ///< Titles, axes and scales.
  std::string plot;       ///< The commands that draw.
  double size = 1;        ///< How many times as wide and high as pictures are.
  unsigned key_rows = 1;  ///< Rows of the key below the frame: they make the picture higher.
};

/// Writes a picture as `base`.svg, .png and .pdf, its data as `base`.dat, and the script that draws
/// the three from it as `base`.gp. `not_found` if there is no gnuplot: then the data and the script
/// are there. When it fails, no picture of that name is left: an old one would be taken for this
/// run's.
Result<void> draw(const Picture& picture, const std::string& base);

/// Removes what draw() writes, if it is there.
void remove_pictures(const std::string& base);

}  // namespace dunlin::sim
