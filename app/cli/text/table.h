#pragma once

#include <string>
#include <vector>

namespace cli {

// A text table. Columns are as wide as their widest cell; text is left-aligned, numbers are
// right-aligned.
class Table
{
public:
    enum class Align { Left, Right };
    struct Column
    {
        std::string title;
        Align align = Align::Right;
    };

    explicit Table(std::vector<Column> columns);
    void add(std::vector<std::string> cells); // one cell per column
    std::string text() const; // lines end with a newline and have no trailing blanks

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace cli
