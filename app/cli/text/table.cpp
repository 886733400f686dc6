#include "app/cli/text/table.h"

#include "engine/base/check.h"

#include <algorithm>

namespace cli {

namespace {
// Returns the number of characters in UTF-8 text.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

void addCell(std::string& line, const std::string& cell, std::size_t columnWidth,
             Table::Align align)
{
    const std::string padding(columnWidth - width(cell), ' ');
    line += align == Table::Align::Right ? padding + cell : cell + padding;
}
} // namespace

Table::Table(std::vector<Column> columns)
    : m_columns(std::move(columns))
{ }

void Table::add(std::vector<std::string> cells)
{
    CHECK(cells.size() == m_columns.size());
    m_rows.push_back(std::move(cells));
}

std::string Table::text() const
{
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < m_columns.size(); ++c) {
        titles.push_back(m_columns[c].title);
        widths.push_back(width(titles.back()));
        for (const auto& row : m_rows)
            widths[c] = std::max(widths[c], width(row[c]));
    }
    std::string text;
    const auto addLine = [&](const std::vector<std::string>& cells) {
        std::string line;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            line += c == 0 ? "" : "  ";
            addCell(line, cells[c], widths[c], m_columns[c].align);
        }
        line.resize(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    addLine(titles);
    for (const auto& row : m_rows)
        addLine(row);
    return text;
}

} // namespace cli
