#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// The metrics of one font file (TrueType or OpenType), read with FreeType. A layout is therefore
// the same on every machine that has the font. Kerning is ignored, because most texts in figures
// are digits.
class FontMetrics
{
public:
    static engine::Result<FontMetrics> load(const std::filesystem::path& file);

    double width(std::string_view utf8, double size) const; // width in the unit of `size`
    double capHeight(double size) const { return m_capHeight * size; }
    double descent(double size) const { return m_descent * size; }

private:
    std::map<char32_t, double> m_advances;     // character -> advance in em
    double m_unknown = 0;                      // advance of characters that the font lacks, in em
    double m_capHeight = 0.7, m_descent = 0.2; // in em
};

struct FontFace
{
    std::string family;
    FontMetrics regular, bold;
};

// share/fonts beside the program's folder, which the archive for other systems has.
std::filesystem::path programFonts();
// Loads a font family from ~/.fonts, ~/.local/share/fonts, programFonts(), /usr/local/share/fonts
// or /usr/share/fonts.
engine::Result<FontFace> loadFont(std::string_view family);
// The families that suit figures, in order of preference.
std::vector<std::string> installedFonts();

} // namespace profiler
