#include "profiler/figure/font_metrics.h"

#include <fmt/format.h>
#include <freetype/freetype.h>
#include <freetype/ftadvanc.h>
#include <freetype/tttables.h>

#include <algorithm>
#include <memory>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

using Library = std::unique_ptr<FT_LibraryRec_, decltype(&FT_Done_FreeType)>;
using Face = std::unique_ptr<FT_FaceRec_, decltype(&FT_Done_Face)>;

double advanceOf(FT_Face face, FT_UInt glyph)
{
    FT_Fixed advance = 0;
    FT_Get_Advance(face, glyph, FT_LOAD_NO_SCALE, &advance); // in font units
    return static_cast<double>(advance) / face->units_per_EM;
}

// The next character of UTF-8 text. Malformed bytes become one unknown character.
char32_t takeCharacter(std::string_view& text)
{
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t character = length == 1 ? first : first & (0xFF >> (length + 1));
    for (std::size_t i = 1; i < std::min(length, text.size()); ++i)
        character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
    text.remove_prefix(std::min(length, text.size()));
    return character;
}

} // namespace

Result<FontMetrics> FontMetrics::load(const std::filesystem::path& path)
{
    FT_Library opened = nullptr;
    if (FT_Init_FreeType(&opened) != 0)
        return fail(Error::Code::Device, "FreeType cannot be initialized");
    const Library library(opened, FT_Done_FreeType);
    FT_Face read = nullptr;
    if (FT_New_Face(library.get(), path.c_str(), 0, &read) != 0)
        return fail(Error::Code::Corrupt,
                    fmt::format("{} is not a TrueType or OpenType font", path.string()));
    const Face face(read, FT_Done_Face);
    const auto* lines = static_cast<TT_HoriHeader*>(FT_Get_Sfnt_Table(read, FT_SFNT_HHEA));
    const auto* os2 = static_cast<TT_OS2*>(FT_Get_Sfnt_Table(read, FT_SFNT_OS2));
    if (lines == nullptr || read->units_per_EM == 0)
        return fail(Error::Code::Corrupt,
                    fmt::format("{} is not a TrueType or OpenType font", path.string()));
    FontMetrics metrics;
    metrics.m_unknown = advanceOf(read, 0);
    FT_UInt glyph = 0;
    for (FT_ULong c = FT_Get_First_Char(read, &glyph); glyph != 0;
         c = FT_Get_Next_Char(read, c, &glyph))
        metrics.m_advances.emplace(static_cast<char32_t>(c), advanceOf(read, glyph));
    metrics.m_descent = -static_cast<double>(lines->Descender) / read->units_per_EM;
    if (os2 != nullptr && os2->version >= 2)
        metrics.m_capHeight = static_cast<double>(os2->sCapHeight) / read->units_per_EM;
    if (metrics.m_advances.empty())
        return fail(Error::Code::Corrupt, fmt::format("{} has no characters", path.string()));
    return metrics;
}

double FontMetrics::width(std::string_view utf8, double size) const
{
    double em = 0;
    while (!utf8.empty()) {
        const auto found = m_advances.find(takeCharacter(utf8));
        em += found == m_advances.end() ? m_unknown : found->second;
    }
    return em * size;
}

} // namespace profiler
