#pragma once

#include "profiler/analysis/measure.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

// A table whose columns are measures and whose cells are readings. A column with texts is aligned
// to the left, unless its measure has decimals.
struct Table
{
    struct Column
    {
        MeasureInfo of;
        std::string title; // of a column that no measure describes; "": see `of`
    };
    std::vector<Column> columns;
    std::vector<std::vector<Reading>> rows;
    int shown = kColumn; // columns with one of these flags are visible; JSON has all

    Table() = default;
    // `measures` is an array or a span of Measure, and `subjects` a range of their subjects.
    template<class Measures>
    requires std::is_base_of_v<MeasureInfo, typename Measures::value_type>
    Table(const Measures& measures, const auto& subjects, int flags = kColumn)
        : shown(flags)
    {
        for (const auto& measure : measures)
            columns.push_back({measure, {}});
        for (const auto& subject : subjects) {
            std::vector<Reading>& row = rows.emplace_back();
            for (const auto& measure : measures)
                row.push_back(measure(subject));
        }
    }
    // A table of texts.
    Table(const std::vector<std::string>& titles, std::vector<std::vector<Reading>> cells);

    // Inserts a column of texts before the column with this index.
    void insert(std::size_t at, const std::string& title, const std::vector<std::string>& cells);
    // For a terminal. Lines have no trailing blanks. The last columns that do not fit into
    // `mostColumns` characters are left out and named.
    std::string text(std::size_t mostColumns = std::string::npos) const;
    std::string html() const;
    Reading json() const; // a list of objects
};

// A named reading of a summary: "iteration 74.4 ms (median of 5)".
struct Fact
{
    MeasureInfo of;
    Reading value;
};

// The measures of a subject that are flagged with `shown` and known, or unknown for a reason.
template<class Subject>
std::vector<Fact> facts(std::span<const Measure<Subject>> measures, const Subject& subject,
                        int shown = kSummary)
{
    std::vector<Fact> all;
    for (const Measure<Subject>& measure : measures)
        if (Reading value = measure(subject); (measure.shown & shown) != 0
            && (value.isKnown() || (!value.note.empty() && (measure.shown & kIfAny) == 0)))
            all.push_back({measure, std::move(value)});
    return all;
}

// What a command prints or a page shows, in its order. We describe it once, and text(), html() and
// json() draw it, so that the three agree.
class Sheet
{
public:
    enum class For { All, Text, Html }; // where a part appears; JSON has only what has a key

    void heading(std::string text, For where = For::All);
    void sentence(std::string text, For where = For::All);
    void note(std::string text);   // a sentence about the table above
    void lines(std::string text);  // for the terminal, as it is
    void markup(std::string html); // for the page, as it is
    void summary(std::vector<Fact> facts, For where = For::All);
    void table(Table table, std::string key = {}, For where = For::All);
    void data(std::string key, Reading value);
    void data(const Reading& fields); // all of them
    // A list that is long: `row` is called only for JSON, and each row is written before the next
    // is made. What `row` refers to must outlive the sheet.
    void data(std::string key, std::size_t rows, std::function<Reading(std::size_t)> row);

    std::string text(std::size_t mostColumns = std::string::npos) const; // see Table::text()
    std::string html() const;                                            // the body of a page
    std::string json() const;                                            // see jsonText()

private:
    struct Part
    {
        enum class Kind { Heading, Sentence, Note, Lines, Markup, Summary, Table } kind;
        For where = For::All;
        std::string text = {};
        std::vector<Fact> facts = {};
        Table table = {};
    };
    struct Data
    {
        std::string key;
        Reading value;
        std::size_t rows = 0;
        std::function<Reading(std::size_t)> row = {}; // empty: see `value`
    };

    std::vector<Part> m_parts;
    std::vector<Data> m_data;
};

enum class JsonLines { One, ForEachValue };
// The text of --json. Bytes that are not UTF-8, for example of a file name, are replaced.
std::string jsonText(const Reading& reading, JsonLines lines = JsonLines::ForEachValue);
// A page in a single file, in the common style of reports. Its content security policy stops the
// browser from loading anything, even if a text in the body was not escaped.
std::string htmlPage(const std::string& title, const std::string& body);

} // namespace profiler
