#include "engine/cost/spec_file.h"

#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "resources/resources.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

constexpr std::string_view kEnding = ".toml";

// `at` is the begin of a TOML string of any of the four kinds. A line break ends a single-line
// string, because toml++ stops there.
std::size_t endOfString(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    const auto quotesAt = [&](std::size_t i) { // at most 5: two of the content, three that end it
        const std::string_view next = text.substr(i, 5);
        return std::min(next.find_first_not_of(quote), next.size());
    };
    const bool isLong = quotesAt(at) >= 3;
    for (std::size_t i = at + (isLong ? 3 : 1); i < text.size(); ++i)
        if (text[i] == '\\' && quote == '"')
            ++i;
        else if (isLong && text[i] == quote && quotesAt(i) >= 3)
            return i + quotesAt(i);
        else if (!isLong && (text[i] == quote || text[i] == '\n'))
            return i + 1;
    return text.size();
}

// toml++ limits the depth of arrays and inline tables, but not the depth of dotted keys.
bool hasLongKey(std::string_view text)
{
    constexpr int kMostDots = 64;
    int dots = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '#')
            i = std::min(text.find('\n', i), text.size()) - 1;
        else if (c == '"' || c == '\'')
            i = endOfString(text, i) - 1;
        else if (std::string_view("\n,={[").find(c) != std::string_view::npos)
            dots = 0;
        else if (c == '.' && ++dots > kMostDots)
            return true;
    }
    return false;
}

// Replaces line breaks, because the messages of toml++ quote the file.
std::string inOneLine(std::string_view text)
{
    std::string line(text);
    std::ranges::replace_if(
        line, [](unsigned char c) { return c < ' '; }, '?');
    return line;
}

} // namespace

Result<toml::table> parseToml(std::string_view text, std::string_view source)
{
    constexpr std::size_t kMostBytes = 1 << 20;
    if (text.size() > kMostBytes || hasLongKey(text))
        return fail(Error::Code::Corrupt,
                    "{}: too large to be read: the limits are 1 MiB and 64 parts per "
                    "key; use a smaller file",
                    source);
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        return fail(Error::Code::Corrupt, "{}: line {}: {}", source, error.source().begin.line,
                    inOneLine(error.description()));
    }
}

Result<std::string> SpecFile::textOf(Folders folders, std::string_view nameOrFile,
                                     std::string_view what)
{
    for (const std::string_view folder : folders)
        if (const auto preset = resources::find(fmt::format("{}{}{}", folder, nameOrFile, kEnding));
            !preset.empty())
            return std::string(preset);
    if (!nameOrFile.ends_with(kEnding)) {
        const std::vector<std::string> names = SpecFile::names(folders);
        const std::string advice
            = didYouMean(nameOrFile, std::vector<std::string_view>(names.begin(), names.end()));
        return invalid("unknown {} '{}'; {}{}", what, nameOrFile, advice,
                       advice.ends_with('?') ? "" : ", or give a .toml file");
    }
    return readFile(std::string(nameOrFile));
}

Result<toml::table> SpecFile::open(Folders folders, std::string_view nameOrFile,
                                   std::string_view what)
{
    const auto text = TRY(textOf(folders, nameOrFile, what));
    return parseToml(text, nameOrFile);
}

std::vector<std::string> SpecFile::names(Folders folders)
{
    std::vector<std::string> names;
    for (const std::string_view folder : folders)
        for (const auto& resource : resources::all())
            if (resource.path.starts_with(folder) && resource.path.ends_with(kEnding))
                names.emplace_back(resource.path.substr(
                    folder.size(), resource.path.size() - folder.size() - kEnding.size()));
    std::ranges::sort(names);
    return names;
}

Result<void> SpecFile::need(const toml::table& table, std::initializer_list<const char*> keys,
                            std::string_view source)
{
    std::vector<std::string_view> missing;
    for (const char* key : keys)
        if (!table.contains(key))
            missing.emplace_back(key);
    if (missing.empty())
        return {};
    return invalid("{} lacks {}", source, joined(missing));
}

} // namespace engine
