#include "profiler/report/sheet.h"

#include "engine/base/check.h"
#include "profiler/figure/scene.h"
#include "resources/resources.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace profiler {
namespace {

struct DrawnColumn
{
    std::string title, unit, tip;
    std::vector<std::string> cells;
    bool isText = false;
};

bool isZero(const Reading& reading)
{
    return reading.number().value_or(0) == 0 && !reading.isText();
}

// The unit of a column of times; 0 if its rows have different units.
std::int64_t commonTicks(const Table& table, std::size_t c)
{
    std::int64_t ticks = -1;
    for (const auto& row : table.rows)
        if (row[c].isKnown()) {
            if (ticks >= 0 && ticks != row[c].ticksPerUnit
                && (ticks == 1) != (row[c].ticksPerUnit == 1))
                return 0;
            ticks = row[c].ticksPerUnit;
        }
    return ticks < 0 ? 1 : ticks;
}

// Whether all times of the table are shorter than a millisecond.
bool hasOnlyShortTimes(const Table& table)
{
    double longest = 0;
    for (const auto& row : table.rows)
        for (std::size_t c = 0; c < row.size(); ++c)
            if (table.columns[c].of.unit == Unit::Time && row[c].ticksPerUnit != 1)
                return false;
            else if (table.columns[c].of.unit == Unit::Time
                     && (table.columns[c].of.shown & table.shown) != 0)
                longest = std::max(longest, std::abs(row[c].number().value_or(0)));
    constexpr double kMillisecond = 1e6;
    return 0 < longest && longest < kMillisecond;
}

std::string withNote(const std::string& cell, const Reading& reading)
{
    return reading.note.empty() || !reading.isKnown() ? cell : cell + ", " + reading.note;
}

void draw(const Table& table, std::size_t c, bool isShort, std::vector<DrawnColumn>& drawn)
{
    auto [of, title] = table.columns[c];
    if (isShort && of.unit == Unit::Time)
        of.unit = Unit::Microseconds;
    const auto cell = [&](const auto& row) -> const Reading& { return row[c]; };
    if ((of.title.empty() && title.empty()) || (of.shown & table.shown) == 0
        || ((of.shown & kIfAny) != 0 && std::ranges::all_of(table.rows, isZero, cell)))
        return;
    const std::int64_t ticks = commonTicks(table, c);
    DrawnColumn column{title.empty() ? lowered(of.title) : title,
                       ticks > 0 ? unitText(of.unit, ticks) : "",
                       definition(of),
                       {},
                       false};
    const bool isName = drawn.empty();
    for (const auto& row : table.rows) {
        const std::string text = ticks > 0 ? cellText(row[c], of) : readingText(row[c], of);
        column.cells.push_back(isName ? withNote(text, row[c]) : text);
        column.isText = column.isText || (row[c].isText() && of.decimals < 0);
    }
    drawn.push_back(column);
    if (!std::ranges::any_of(table.rows,
                             [&](const auto& row) { return row[c].interval.has_value(); }))
        return;
    column.title = "95 % interval";
    for (std::size_t r = 0; r < table.rows.size(); ++r)
        column.cells[r] = intervalText(table.rows[r][c], of);
    drawn.push_back(std::move(column));
}

std::vector<DrawnColumn> drawn(const Table& table)
{
    std::vector<DrawnColumn> columns;
    const bool isShort = hasOnlyShortTimes(table);
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        draw(table, c, isShort, columns);
    return columns;
}

// The number of characters in UTF-8 text.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& cell, std::size_t columnWidth, bool isText)
{
    const std::string padding(columnWidth - std::min(columnWidth, width(cell)), ' ');
    return isText ? cell + padding : padding + cell;
}

std::string capitalized(std::string title)
{
    // Symbols such as v and b keep their case.
    if (title.size() > 1)
        title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return title;
}

std::string tip(const std::string& text)
{
    return text.empty() ? "" : fmt::format(" title=\"{}\"", markupText(text));
}

std::string interval(const Fact& fact)
{
    if (!fact.value.interval)
        return {};
    const auto end = [&fact](std::int64_t at) {
        Reading time(at);
        time.ticksPerUnit = fact.value.ticksPerUnit;
        return readingText(time, fact.of);
    };
    return fmt::format(", 95 % interval {} to {}", end(fact.value.interval->least),
                       end(fact.value.interval->most));
}

std::string summaryText(const std::vector<Fact>& facts)
{
    std::size_t widest = 0;
    for (const Fact& fact : facts)
        widest = std::max(widest, width(lowered(fact.of.title)));
    std::string text;
    for (const Fact& fact : facts)
        text += fmt::format("{}  {}{}{}\n", padded(lowered(fact.of.title), widest, true),
                            readingText(fact.value, fact.of), interval(fact),
                            fact.value.note.empty() ? "" : " (" + fact.value.note + ")");
    return text;
}

// The large numbers of a page: value, title and the definition as their tooltip.
std::string numberCards(const std::vector<Fact>& facts)
{
    std::string text = "<div class=\"numbers\">\n";
    for (const Fact& fact : facts) {
        const std::string about = definition(fact.of);
        text += fmt::format("<div{}><b>{}</b><span>{}</span></div>\n",
                            tip(fact.value.note + (fact.value.note.empty() ? "" : "\n") + about),
                            markupText(readingText(fact.value, fact.of)),
                            markupText(lowered(fact.of.title)));
    }
    return text + "</div>\n";
}

// Writes readings as they come, in the layout of nlohmann's dump(), because a tree of JSON values
// would need ten times the memory of its text.
class JsonWriter
{
public:
    JsonWriter(std::string& text, JsonLines lines)
        : m_text(text)
        , m_hasLines(lines == JsonLines::ForEachValue)
    { }

    void value(const Reading& reading)
    {
        std::visit(
            [&](const auto& data) {
                using Data = std::remove_cvref_t<decltype(data)>;
                if constexpr (std::is_same_v<Data, Reading::List>)
                    block("[]", data.size(), [&](std::size_t i) { value(data[i]); });
                else if constexpr (std::is_same_v<Data, Reading::Fields>)
                    block("{}", data.size(), [&](std::size_t i) {
                        key(data[i].first);
                        value(data[i].second);
                    });
                else if constexpr (std::is_same_v<Data, bool>)
                    m_text += data ? "true" : "false";
                else if constexpr (std::is_arithmetic_v<Data>)
                    reading.ticksPerUnit == 1
                        ? scalar(data)
                        : scalar(static_cast<double>(data) / reading.ticksPerUnit);
                else if constexpr (std::is_same_v<Data, std::string>)
                    scalar(data);
                else
                    m_text += "null"; // unknown
            },
            reading.data);
    }

    void key(const std::string& name)
    {
        scalar(name);
        m_text += m_hasLines ? ": " : ":";
    }

    void block(const char* brackets, std::size_t count, const auto& item)
    {
        m_text += brackets[0];
        m_indent += 2;
        for (std::size_t i = 0; i < count; ++i) {
            m_text += i == 0 ? "" : ",";
            endLine();
            item(i);
        }
        m_indent -= 2;
        if (count > 0)
            endLine();
        m_text += brackets[1];
    }

private:
    void scalar(const nlohmann::json& value)
    {
        m_text += value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }

    void endLine()
    {
        if (m_hasLines)
            m_text.append("\n").append(m_indent, ' ');
    }

    std::string& m_text;
    bool m_hasLines;
    std::size_t m_indent = 0;
};

} // namespace

Table::Table(const std::vector<std::string>& titles, std::vector<std::vector<Reading>> cells)
    : rows(std::move(cells))
{
    for (const std::string& title : titles)
        columns.push_back({{"", "", Unit::None, kColumn}, title});
}

void Table::insert(std::size_t at, const std::string& title, const std::vector<std::string>& cells)
{
    CHECK(cells.size() == rows.size());
    columns.insert(columns.begin() + at, {{"", "", Unit::None, shown}, title});
    for (std::size_t r = 0; r < rows.size(); ++r)
        rows[r].insert(rows[r].begin() + at, textOrUnknown(cells[r]));
}

std::string Table::text(std::size_t mostColumns) const
{
    std::vector<std::string> lines(rows.size() + 1);
    std::string hidden;
    std::size_t used = 0;
    for (DrawnColumn& column : drawn(*this)) {
        const std::string title = column.title + (column.unit.empty() ? "" : " " + column.unit);
        column.cells.insert(column.cells.begin(), title);
        std::size_t widest = 0;
        for (const std::string& cell : column.cells)
            widest = std::max(widest, width(cell));
        const bool isFirst = used == 0;
        used += widest + (isFirst ? 0 : 2);
        if (!isFirst && (used > mostColumns || !hidden.empty())) {
            hidden += (hidden.empty() ? "" : ", ") + title;
            continue;
        }
        for (std::size_t r = 0; r < lines.size(); ++r)
            lines[r] += (isFirst ? "" : "  ") + padded(column.cells[r], widest, column.isText);
    }
    std::string text;
    for (std::string& line : lines)
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    return hidden.empty() ? text
                          : text + "Columns not shown: " + hidden
            + " (the terminal is too narrow; --json prints all)\n";
}

std::string Table::html() const
{
    const std::vector<DrawnColumn> all = drawn(*this);
    std::string text = "<div class=\"wide\"><table><thead><tr>";
    for (const DrawnColumn& column : all)
        text += fmt::format("<th{}>{}{}</th>", tip(column.tip),
                            markupText(capitalized(column.title)),
                            column.unit.empty() ? "" : ", " + column.unit);
    text += "</tr></thead><tbody>\n";
    for (std::size_t r = 0; r < rows.size(); ++r) {
        text += "<tr>";
        for (const DrawnColumn& column : all) {
            const bool isName = &column == all.data();
            text += (isName              ? "<th>"
                         : column.isText ? "<td class=\"text\">"
                                         : "<td>")
                + markupText(column.cells[r]) + (isName ? "</th>" : "</td>");
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

Reading Table::json() const
{
    Reading::List all;
    for (const auto& row : rows) {
        Reading::Fields one;
        for (std::size_t c = 0; c < columns.size(); ++c)
            if (!columns[c].of.key.empty())
                addField(columns[c].of, row[c], one);
        all.push_back(withNulls(std::move(one)));
    }
    return all;
}

void Sheet::heading(std::string text, For where)
{
    m_parts.push_back({Part::Kind::Heading, where, std::move(text)});
}

void Sheet::sentence(std::string text, For where)
{
    if (!text.empty())
        m_parts.push_back({Part::Kind::Sentence, where, std::move(text)});
}

void Sheet::note(std::string text)
{
    if (!text.empty())
        m_parts.push_back({Part::Kind::Note, For::All, std::move(text)});
}

void Sheet::lines(std::string text)
{
    if (!text.empty())
        m_parts.push_back({Part::Kind::Lines, For::Text, std::move(text)});
}

void Sheet::markup(std::string html)
{
    m_parts.push_back({Part::Kind::Markup, For::Html, std::move(html)});
}

void Sheet::summary(std::vector<Fact> facts, For where)
{
    m_parts.push_back({Part::Kind::Summary, where, {}, std::move(facts)});
}

void Sheet::table(Table table, std::string key, For where)
{
    if (!key.empty())
        data(std::move(key), table.json());
    m_parts.push_back({Part::Kind::Table, where, {}, {}, std::move(table)});
}

void Sheet::data(std::string key, Reading value)
{
    m_data.push_back({std::move(key), std::move(value)});
}

void Sheet::data(std::string key, std::size_t rows, std::function<Reading(std::size_t)> row)
{
    m_data.push_back({std::move(key), {}, rows, std::move(row)});
}

void Sheet::data(const Reading& fields)
{
    for (const auto& [key, value] : std::get<Reading::Fields>(fields.data))
        data(key, value);
}

// A blank line separates tables and paragraphs from what precedes them.
std::string Sheet::text(std::size_t mostColumns) const
{
    using enum Part::Kind;
    std::string text;
    Part::Kind last = Heading;
    for (const Part& part : m_parts) {
        if (part.where == For::Html)
            continue;
        const bool isFirst = text.empty();
        const auto isParagraph
            = [](Part::Kind kind) { return kind == Sentence || kind == Summary; };
        const bool continues = isParagraph(part.kind) && isParagraph(last);
        if (!isFirst && !continues && part.kind != Note
            && (last != Heading || part.kind == Heading))
            text += "\n";
        if (part.kind == Heading)
            text += lowered(part.text) + ":\n";
        else if (part.kind == Sentence || part.kind == Note)
            text += part.text + "\n";
        else
            text += part.kind == Lines ? part.text
                : part.kind == Summary ? summaryText(part.facts)
                                       : part.table.text(mostColumns);
        last = part.kind;
    }
    return text;
}

std::string Sheet::html() const
{
    using enum Part::Kind;
    std::string html;
    for (const Part& part : m_parts) {
        if (part.where == For::Text)
            continue;
        html += part.kind == Heading ? fmt::format("<h2>{}</h2>\n", markupText(part.text))
            : part.kind == Sentence || part.kind == Note
            ? fmt::format("<p>{}</p>\n", markupText(part.text))
            : part.kind == Markup  ? part.text
            : part.kind == Summary ? numberCards(part.facts)
                                   : part.table.html();
    }
    return html;
}

std::string Sheet::json() const
{
    std::string text;
    JsonWriter json(text, JsonLines::ForEachValue);
    json.block("{}", m_data.size(), [&](std::size_t d) {
        const Data& data = m_data[d];
        json.key(data.key);
        if (data.row)
            json.block("[]", data.rows, [&](std::size_t r) { json.value(data.row(r)); });
        else
            json.value(data.value);
    });
    return text + "\n";
}

std::string jsonText(const Reading& reading, JsonLines lines)
{
    std::string text;
    JsonWriter(text, lines).value(reading);
    return text + "\n";
}

std::string htmlPage(const std::string& title, const std::string& body)
{
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        markupText(title), resources::find("style/report.css"), body);
}

} // namespace profiler
