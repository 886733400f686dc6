#pragma once

#include <string>
#include <vector>

namespace cli {

// A table for a terminal: columns as wide as their widest cell, words left, numbers right.
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
    void add(std::vector<std::string> cells); // as many as there are columns
    std::string text() const;                 // every line ends with a newline, none with a space

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace cli
