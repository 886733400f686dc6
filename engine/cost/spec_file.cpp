#include "engine/cost/spec_file.h"

#include "resources/resources.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace engine {
namespace {

constexpr std::string_view kEnding = ".toml";

Result<std::string> textOf(SpecFile::Folders folders, std::string_view nameOrFile,
                           std::string_view what)
{
    for (const std::string_view folder : folders)
        if (const auto preset = resources::find(fmt::format("{}{}{}", folder, nameOrFile, kEnding));
            !preset.empty())
            return std::string(preset);
    if (!nameOrFile.ends_with(kEnding))
        return fail(Error::Code::NotFound,
                    fmt::format("unknown {} '{}'; use one of {}, or a .toml file", what, nameOrFile,
                                fmt::join(SpecFile::names(folders), ", ")));
    std::ifstream file{std::string(nameOrFile)};
    std::ostringstream text;
    if (!(file && text << file.rdbuf()))
        return fail(Error::Code::Io, fmt::format("cannot read the {} file '{}'", what, nameOrFile));
    return text.str();
}

} // namespace

Result<SpecFile> SpecFile::open(Folders folders, std::string_view nameOrFile, std::string_view what)
{
    const auto text = textOf(folders, nameOrFile, what);
    if (!text)
        return tl::unexpected(text.error());
    try {
        return SpecFile(nameOrFile, toml::parse(*text));
    } catch (const toml::parse_error& error) {
        return fail(Error::Code::Corrupt,
                    fmt::format("{}: line {}: {}", nameOrFile, error.source().begin.line,
                                error.description()));
    }
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

void SpecFile::passOver(std::initializer_list<const char*> keys)
{
    m_passedOver.insert(keys.begin(), keys.end());
}

toml::node_view<const toml::node> SpecFile::at(const std::string& key)
{
    m_asked.insert(key);
    return std::as_const(m_table).at_path(key);
}

void SpecFile::note(std::string message)
{
    if (m_error.empty())
        m_error = std::move(message);
}

std::string SpecFile::text(const std::string& key, const std::string& byDefault)
{
    const auto node = at(key);
    if (node && !node.is_string())
        note(fmt::format("{}: {} must be a string in quotes", m_source, key));
    return node.value_or(byDefault);
}

void SpecFile::integer(const std::string& key, int& value, Range range)
{
    const auto node = at(key);
    if (!node)
        return;
    const auto number = node.value_exact<std::int64_t>();
    if (number && *number >= range.least && *number <= range.most)
        value = *number;
    else
        note(fmt::format("{}: {} must be a whole number from {:.0f} to {:.0f}", m_source, key,
                         range.least, range.most));
}

void SpecFile::number(const std::string& key, double& value, Range range)
{
    const auto node = at(key);
    if (!node)
        return;
    const auto number = node.value<double>();
    if (number && *number >= range.least && *number <= range.most)
        value = *number;
    else
        note(fmt::format("{}: {} must be a number from {:g} to {:g}", m_source, key, range.least,
                         range.most));
}

void SpecFile::require(bool condition, std::string_view key, std::string_view message)
{
    if (!condition)
        note(fmt::format("{}: {} {}", m_source, key, message));
}

void SpecFile::checkKnown(const toml::table& table, const std::string& prefix,
                          std::string& unknown) const
{
    for (const auto& [name, node] : table) {
        const std::string key = prefix + std::string(name.str());
        const auto* inner = node.as_table();
        if (m_passedOver.contains(inner != nullptr ? key + "." : key))
            continue;
        if (inner != nullptr)
            checkKnown(*inner, key + ".", unknown);
        else if (!m_asked.contains(key) && unknown.empty())
            unknown = key;
    }
}

Result<void> SpecFile::done() const
{
    std::string unknown;
    checkKnown(m_table, "", unknown);
    if (!m_error.empty())
        return fail(Error::Code::InvalidArgument, m_error);
    if (!unknown.empty())
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{}: unknown key '{}'; the keys are {}", m_source, unknown,
                                fmt::join(m_asked, ", ")));
    return {};
}

} // namespace engine
