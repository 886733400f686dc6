#include "engine/base/try.h"
#include "profiler/figure/font_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

namespace profiler {
namespace {

namespace fs = std::filesystem;
using engine::Error;
using engine::fail;
using engine::Result;

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
    folders.emplace_back("/usr/local/share/fonts");
    folders.emplace_back("/usr/share/fonts");
    return folders;
}

// Returns all font files of this machine. They are sorted, so that the choice between two copies of
// a font does not depend on the file system.
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

Result<FontFace> loadFont(std::string_view family)
{
    const auto files = fontFiles();
    const fs::path* regular = regularFile(files, family);
    if (!regular)
        return fail(Error::Code::NotFound,
                    fmt::format("the font '{}' is not installed; install the package "
                                "fonts-roboto-unhinted, or use another font with --font",
                                family));
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
