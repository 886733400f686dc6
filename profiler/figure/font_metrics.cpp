#include "profiler/figure/font_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

// Big-endian reads that never leave the file: what lies outside is 0.
class FontFile
{
public:
    explicit FontFile(std::string bytes)
        : m_bytes(std::move(bytes))
    { }

    std::uint32_t u8(std::size_t at) const
    {
        return at < m_bytes.size() ? static_cast<std::uint8_t>(m_bytes[at]) : 0;
    }
    std::uint32_t u16(std::size_t at) const { return u8(at) << 8 | u8(at + 1); }
    std::uint32_t u32(std::size_t at) const { return u16(at) << 16 | u16(at + 2); }
    double i16(std::size_t at) const { return static_cast<std::int16_t>(u16(at)); }

    // Offset of a table, none when the font lacks it.
    std::optional<std::size_t> table(std::string_view tag) const
    {
        for (std::size_t t = 0; t < u16(4); ++t) {
            const std::size_t record = 12 + 16 * t;
            if (record + 16 <= m_bytes.size() && m_bytes.compare(record, 4, tag) == 0)
                return u32(record + 8);
        }
        return std::nullopt;
    }

private:
    std::string m_bytes;
};

using Glyphs = std::map<std::uint32_t, std::uint16_t>;

// Format 4 of the cmap table: segments of the basic plane (OpenType specification, "cmap").
Glyphs readSegments(const FontFile& file, std::size_t at)
{
    Glyphs glyphs;
    const std::size_t segments = file.u16(at + 6) / 2;
    const std::size_t ends = at + 14, starts = ends + 2 * segments + 2;
    const std::size_t deltas = starts + 2 * segments, offsets = deltas + 2 * segments;
    for (std::size_t s = 0; s < segments; ++s) {
        const auto first = file.u16(starts + 2 * s), last = file.u16(ends + 2 * s);
        const auto delta = file.u16(deltas + 2 * s), offset = file.u16(offsets + 2 * s);
        for (auto c = first; c <= last && c != 0xFFFF; ++c) {
            auto glyph = c;
            if (offset != 0)
                glyph = file.u16(offsets + 2 * s + offset + std::size_t{2} * (c - first));
            if (offset == 0 || glyph != 0)
                glyph = (glyph + delta) & 0xFFFF;
            if (glyph != 0)
                glyphs.emplace(c, static_cast<std::uint16_t>(glyph));
        }
    }
    return glyphs;
}

Glyphs readGlyphs(const FontFile& file, std::size_t cmap)
{
    for (std::size_t t = 0; t < file.u16(cmap + 2); ++t) {
        const std::size_t at = cmap + file.u32(cmap + 4 + 8 * t + 4);
        if (file.u16(at) == 4)
            return readSegments(file, at);
    }
    return {};
}

std::vector<double> readAdvances(const FontFile& file, std::size_t hhea, std::size_t hmtx,
                                 double unitsPerEm)
{
    std::vector<double> advances(file.u16(hhea + 34));
    for (std::size_t g = 0; g < advances.size(); ++g)
        advances[g] = file.u16(hmtx + 4 * g) / unitsPerEm;
    return advances;
}

// The next character of UTF-8 text; what is malformed counts as one unknown character.
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
    std::ifstream stream(path, std::ios::binary);
    const FontFile file(std::string(std::istreambuf_iterator<char>(stream), {}));
    const auto head = file.table("head"), hhea = file.table("hhea"), hmtx = file.table("hmtx");
    const auto cmap = file.table("cmap"), os2 = file.table("OS/2");
    const double unitsPerEm = head ? file.u16(*head + 18) : 0;
    if (!hhea || !hmtx || !cmap || unitsPerEm == 0)
        return fail(Error::Code::Corrupt,
                    fmt::format("{} is not a TrueType or OpenType font", path.string()));
    FontMetrics metrics;
    metrics.m_glyphs = readGlyphs(file, *cmap);
    metrics.m_advances = readAdvances(file, *hhea, *hmtx, unitsPerEm);
    metrics.m_descent = -file.i16(*hhea + 6) / unitsPerEm;
    if (os2 && file.u16(*os2) >= 2)
        metrics.m_capHeight = file.i16(*os2 + 88) / unitsPerEm;
    if (metrics.m_advances.empty() || metrics.m_glyphs.empty())
        return fail(Error::Code::Corrupt, fmt::format("{} has no characters", path.string()));
    return metrics;
}

std::uint16_t FontMetrics::glyphOf(char32_t character) const
{
    const auto found = m_glyphs.find(static_cast<std::uint32_t>(character));
    return found == m_glyphs.end() ? 0 : found->second;
}

double FontMetrics::width(std::string_view utf8, double size) const
{
    double em = 0;
    while (!utf8.empty()) {
        const std::size_t glyph = glyphOf(takeCharacter(utf8));
        em += m_advances[std::min(glyph, m_advances.size() - 1)];
    }
    return em * size;
}

} // namespace profiler
