#include "profiler/report/html_table.h"

#include "profiler/figure/scene.h"
#include "profiler/report/definitions.h"

#include <fmt/format.h>

namespace profiler {
namespace {

// The title of a column, with the definition of its numbers as its tooltip.
std::string headOf(const std::string& column)
{
    const Definition* of = findDefinition(column);
    const std::string title = of == nullptr
        ? ""
        : fmt::format(" title=\"{} = {}. {} Source: {}\"", markupText(of->term),
                      markupText(of->formula), markupText(of->meaning), markupText(of->source));
    return "<th" + title + ">" + markupText(column) + "</th>";
}

} // namespace

HtmlTable::HtmlTable(const std::vector<std::string>& columns)
    : m_text("<div class=\"wide\"><table><thead><tr>")
{
    for (const std::string& column : columns)
        m_text += headOf(column);
    m_text += "</tr></thead><tbody>\n";
}

void HtmlTable::add(const std::vector<std::string>& cells, Cell last)
{
    m_text += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool isText = last == Cell::Text && i + 1 == cells.size();
        const char* const open = i == 0 ? "<th>" : isText ? "<td class=\"text\">" : "<td>";
        m_text += open + markupText(cells[i]) + (i == 0 ? "</th>" : "</td>");
    }
    m_text += "</tr>\n";
}

} // namespace profiler
