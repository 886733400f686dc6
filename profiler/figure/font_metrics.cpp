#include "profiler/figure/font_metrics.h"

#include "engine/base/process.h"
#include "engine/base/try.h"

#include <freetype/freetype.h>
#include <freetype/ftadvanc.h>
#include <freetype/tttables.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <system_error>

namespace profiler {
namespace {

using namespace engine;

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

namespace fs = std::filesystem;

// In order of preference. All have tabular digits.
constexpr std::string_view kFamilies[]
    = {"Roboto",      "Noto Sans", "Open Sans",       "Lato",           "Source Sans 3",
       "DejaVu Sans", "Arial",     "Liberation Sans", "TeX Gyre Heros", "Nimbus Sans"};

std::vector<fs::path> fontFolders()
{
    std::vector<fs::path> folders;
    if (const char* home = std::getenv("HOME"))
        folders.insert(folders.end(),
                       {fs::path(home) / ".fonts", fs::path(home) / ".local/share/fonts"});
    folders.push_back(programFonts());
    folders.emplace_back("/usr/local/share/fonts");
    folders.emplace_back("/usr/share/fonts");
    return folders;
}

// Sorted, so that the choice between two copies of a font does not depend on the file system.
std::set<fs::path> fontFiles()
{
    std::set<fs::path> files;
    for (const auto& folder : fontFolders()) {
        std::error_code ignored;
        const auto options = fs::directory_options::skip_permission_denied;
        for (fs::recursive_directory_iterator it(folder, options, ignored), end; it != end;
             it.increment(ignored)) {
            const auto extension = it->path().extension();
            if (extension == ".ttf" || extension == ".otf")
                files.insert(it->path());
        }
    }
    return files;
}

std::string withoutSpaces(std::string_view family)
{
    std::string name(family);
    std::erase(name, ' ');
    return name;
}

const fs::path* findStem(const std::set<fs::path>& files, const std::string& stem)
{
    const auto found
        = std::ranges::find_if(files, [&](const fs::path& file) { return file.stem() == stem; });
    return found == files.end() ? nullptr : &*found;
}

const fs::path* regularFile(const std::set<fs::path>& files, std::string_view family)
{
    const std::string name = withoutSpaces(family);
    const fs::path* file = findStem(files, name + "-Regular");
    return file ? file : findStem(files, name);
}

} // namespace

fs::path programFonts()
{
    return programFolder().parent_path() / "share/fonts";
}

Result<FontMetrics> FontMetrics::load(const std::filesystem::path& path)
{
    FT_Library opened = nullptr;
    if (FT_Init_FreeType(&opened) != 0)
        return fail(Error::Code::Device, "FreeType cannot be initialized");
    const Library library(opened, FT_Done_FreeType);
    FT_Face read = nullptr;
    if (FT_New_Face(library.get(), path.c_str(), 0, &read) != 0)
        return fail(Error::Code::Corrupt, "{} is not a TrueType or OpenType font", path.string());
    const Face face(read, FT_Done_Face);
    const auto* lines = static_cast<TT_HoriHeader*>(FT_Get_Sfnt_Table(read, FT_SFNT_HHEA));
    const auto* os2 = static_cast<TT_OS2*>(FT_Get_Sfnt_Table(read, FT_SFNT_OS2));
    if (lines == nullptr || read->units_per_EM == 0)
        return fail(Error::Code::Corrupt, "{} is not a TrueType or OpenType font", path.string());
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
        return fail(Error::Code::Corrupt, "{} has no characters", path.string());
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

Result<FontFace> loadFont(std::string_view family)
{
    const auto files = fontFiles();
    const fs::path* regular = regularFile(files, family);
    if (!regular)
        return fail(Error::Code::NotFound,
                    "the font '{}' is not installed; install the package "
                    "fonts-roboto-unhinted, or use another font with --font",
                    family);
    const fs::path* bold = findStem(files, withoutSpaces(family) + "-Bold");
    auto regularMetrics = TRY(FontMetrics::load(*regular));
    auto boldMetrics = TRY(FontMetrics::load(bold ? *bold : *regular));
    return FontFace{std::string(family), std::move(regularMetrics), std::move(boldMetrics)};
}

std::vector<std::string> installedFonts()
{
    const auto files = fontFiles();
    std::vector<std::string> families;
    for (const auto family : kFamilies)
        if (regularFile(files, family))
            families.emplace_back(family);
    return families;
}

} // namespace profiler
