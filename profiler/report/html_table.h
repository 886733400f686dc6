#pragma once

#include <string>
#include <vector>

namespace profiler {

// Builds an HTML table. The first cell of a row is its heading.
class HtmlTable
{
public:
    explicit HtmlTable(const std::vector<std::string>& columns);

    enum class Cell : bool { Number, Text }; // Number: aligned right; Text: aligned left
    void add(const std::vector<std::string>& cells, Cell last = Cell::Number);
    std::string text() const { return m_text + "</tbody></table></div>\n"; }

private:
    std::string m_text;
};

} // namespace profiler
