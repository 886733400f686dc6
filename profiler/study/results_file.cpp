#include "profiler/study/results_file.h"

#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/study/study_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {

// The column of an axis. It has the prefix "--" if a result column has the name of the option.
std::string axisColumn(const std::string& key)
{
    return isResultColumn(key) ? "--" + key : key;
}

// A column of numbers: a metric, or an end of the interval of a time.
struct NumberColumn
{
    std::string name;
    StudyMetric metric;
    StudyValues::Numbers StudyValues::*of;
};
std::vector<NumberColumn> numberColumns()
{
    std::vector<NumberColumn> columns;
    for (std::size_t i = 0; i < kStudyMetrics; ++i) {
        const auto metric = static_cast<StudyMetric>(i);
        const std::string name(metricName(metric));
        columns.push_back({name, metric, &StudyValues::of});
        if (metricInfo(metric).unit != Unit::Time)
            continue;
        columns.push_back({name + "_low", metric, &StudyValues::low});
        columns.push_back({name + "_high", metric, &StudyValues::high});
    }
    return columns;
}

std::vector<std::string> columnsOf(const Study& study)
{
    std::vector<std::string> columns;
    for (const StudyAxis& axis : study.grid)
        columns.push_back(axisColumn(axis.key));
    for (const NumberColumn& column : numberColumns())
        columns.push_back(column.name);
    for (const StudyRatio& ratio : study.ratios)
        columns.push_back(ratio.name);
    return columns;
}

// Quotes the name of a column, because the user names the axes.
std::string identifier(std::string_view name)
{
    std::string text = "\"";
    for (const char c : name)
        text += c == '"' ? "\"\"" : std::string(1, c);
    return text + "\"";
}

std::string joinedArguments(const StudyPoint& point)
{
    return fmt::format("{}", fmt::join(point.arguments, " "));
}

std::string selectResults()
{
    std::string columns;
    for (const NumberColumn& column : numberColumns())
        columns += ", results." + identifier(column.name);
    return "SELECT point, unit, error, results.mapping" + columns + " FROM results";
}

} // namespace

Result<void> StudyFile::create()
{
    std::string columns;
    for (const StudyAxis& axis : m_study->grid)
        columns += identifier(axisColumn(axis.key)) + " TEXT, ";
    for (const NumberColumn& column : numberColumns())
        columns += identifier(column.name) + " REAL, ";
    TRY(m_database.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE;"
        "CREATE TABLE IF NOT EXISTS study (key TEXT PRIMARY KEY, value TEXT);"
        "CREATE TABLE IF NOT EXISTS results (point INTEGER PRIMARY KEY, "
        + columns + "unit TEXT, mapping TEXT, error TEXT, arguments TEXT NOT NULL)"));
    auto insert = TRY(m_database.prepare("INSERT OR IGNORE INTO study VALUES ('points', ?1)"));
    if (!insert.run(pointsToml(*m_study)))
        return tl::unexpected(m_database.error());
    return m_database.execute("COMMIT");
}

Result<StudyFile> StudyFile::open(const std::filesystem::path& file, const Study& study)
{
    auto database = TRY(Database::open(file, Database::Access::Create));
    StudyFile opened(std::move(database), study);
    // A file has no tables if it is new or if its creation failed. Another process may be creating
    // the tables at the same time.
    const auto tables = TRY(opened.m_database.integer("SELECT count(*) FROM sqlite_schema"));
    if (tables == 0)
        TRY(opened.create());
    const auto stored = opened.m_database.text("SELECT value FROM study WHERE key = 'points'");
    // Another version of the program may have other metrics.
    if (!stored || *stored != pointsToml(study) || !opened.m_database.prepare(selectResults()))
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} has the results of another study, or of another version of "
                                "this one; choose another folder, or delete the file",
                                file.string()));
    return opened;
}

Result<StudyData> StudyFile::read()
{
    StudyData data(*m_study);
    const auto numbers = numberColumns();
    auto row = TRY(m_database.prepare(selectResults()));
    while (row.next()) {
        const std::int64_t point = row.integer(0);
        if (point < 0 || std::cmp_greater_equal(point, data.points.size()))
            return tl::unexpected(m_database.damaged("a point that the study lacks"));
        StudyResult& result = data.results[static_cast<std::size_t>(point)];
        result.isDone = true;
        result.values.unit = row.text(1);
        result.error = row.text(2);
        result.values.mapping = row.text(3);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            (void)row.get(4 + static_cast<int>(i),
                          (result.values.*numbers[i].of)[numbers[i].metric]);
    }
    if (row.failed())
        return tl::unexpected(m_database.error());
    return data;
}

Result<void> StudyFile::write(const std::vector<StudyPoint>& points,
                              const std::vector<std::pair<std::size_t, StudyResult>>& results)
{
    if (results.empty())
        return {};
    std::string places = "?1";
    const std::size_t axes = m_study->grid.size();
    const auto numbers = numberColumns();
    for (std::size_t i = 1; i < 1 + axes + numbers.size(); ++i)
        places += fmt::format(", ?{}", i + 1);
    const auto next = static_cast<int>(2 + axes + numbers.size());
    places += fmt::format(", ?{}, ?{}, ?{}, ?{}", next, next + 1, next + 2, next + 3);
    TRY(m_database.execute("BEGIN"));
    std::string columns = "point, ";
    for (const StudyAxis& axis : m_study->grid)
        columns += identifier(axisColumn(axis.key)) + ", ";
    for (const NumberColumn& column : numbers)
        columns += identifier(column.name) + ", ";
    auto insert
        = TRY(m_database.prepare(fmt::format("INSERT OR REPLACE INTO results "
                                             "({}unit, mapping, error, arguments) VALUES ({})",
                                             columns, places)));
    for (const auto& [index, result] : results) {
        const StudyPoint& point = points[index];
        insert.set(1, index);
        for (std::size_t i = 0; i < axes; ++i)
            insert.set(static_cast<int>(2 + i), point.values[i]);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            insert.set(static_cast<int>(2 + axes + i),
                       (result.values.*numbers[i].of)[numbers[i].metric]);
        const std::string arguments = joinedArguments(point);
        insert.set(next, result.values.unit);
        insert.set(next + 1, result.values.mapping);
        insert.set(next + 2, result.error);
        insert.set(next + 3, arguments);
        if (!insert.run())
            return tl::unexpected(m_database.error());
    }
    return m_database.execute("COMMIT");
}

// Replaces the columns of ratios, because the ratios of the study may have changed since the file
// was written.
Result<void> StudyFile::replaceRatios()
{
    auto names = TRY(m_database.prepare("SELECT name FROM pragma_table_info('results') "
                                        "WHERE cid > (SELECT cid FROM pragma_table_info('results') "
                                        "WHERE name = 'arguments')"));
    std::string changes;
    while (names.next())
        changes += "ALTER TABLE results DROP COLUMN " + identifier(names.text(0)) + ";";
    for (const StudyRatio& ratio : m_study->ratios)
        changes += "ALTER TABLE results ADD COLUMN " + identifier(ratio.name) + " REAL;";
    names.reset();
    return m_database.execute(changes);
}

Result<void> StudyFile::finish(const std::string& toml, const StudyData& data)
{
    TRY(replaceRatios());
    auto study = TRY(m_database.prepare("INSERT OR REPLACE INTO study VALUES ('toml', ?1)"));
    if (!study.run(toml))
        return tl::unexpected(m_database.error());
    for (const StudyRatio& ratio : m_study->ratios) {
        const auto column = TRY(data.column(ratio.name));
        TRY(m_database.execute("BEGIN"));
        auto update = TRY(m_database.prepare(
            fmt::format("UPDATE results SET {} = ?1 WHERE point = ?2", identifier(ratio.name))));
        for (std::size_t i = 0; i < data.points.size(); ++i)
            if (!update.run(column[i], i))
                return tl::unexpected(m_database.error());
        TRY(m_database.execute("COMMIT"));
    }
    // Fails if another program reads the file; the file then keeps its WAL.
    (void)m_database.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    return {};
}

std::string studyCsv(const StudyData& data)
{
    const auto& [study, points, results] = data;
    const auto numbers = numberColumns();
    std::string text
        = fmt::format("{},unit,mapping,error,arguments\n", fmt::join(columnsOf(study), ","));
    std::vector<std::vector<std::optional<double>>> ratios;
    for (const StudyRatio& ratio : study.ratios)
        ratios.push_back(data.column(ratio.name).value());
    const auto number
        = [&](std::optional<double> value) { text += value ? fmt::format("{},", *value) : ","; };
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (const std::string& value : points[i].values)
            text += csvCell(value) + ",";
        for (const NumberColumn& column : numbers)
            number((results[i].values.*column.of)[column.metric]);
        for (const auto& ratio : ratios)
            number(ratio[i]);
        text += fmt::format("{},{},{},{}\n", results[i].values.unit,
                            csvCell(results[i].values.mapping), csvCell(results[i].error),
                            csvCell(joinedArguments(points[i])));
    }
    return text;
}

} // namespace profiler
