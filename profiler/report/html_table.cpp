#include "profiler/report/html_table.h"

#include "profiler/figure/svg.h"

namespace profiler {

HtmlTable::HtmlTable(const std::vector<std::string>& columns)
    : m_text("<div class=\"wide\"><table><thead><tr>")
{
    for (const std::string& column : columns)
        m_text += "<th>" + markupText(column) + "</th>";
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
