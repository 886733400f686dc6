#include "profiler/study/run_study.h"

#include "engine/base/bootstrap.h"
#include "engine/base/median.h"
#include "engine/base/new_file.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/loss_goal.h"
#include "profiler/study/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

namespace profiler {

using namespace engine;
namespace fs = std::filesystem;

namespace {

constexpr std::array<std::pair<OpKind, StudyMetric>, 5> kKinds{
    {{OpKind::Forward, StudyMetric::Forward},
     {OpKind::Backward, StudyMetric::Backward},
     {OpKind::BackwardInput, StudyMetric::BackwardInput},
     {OpKind::BackwardWeight, StudyMetric::BackwardWeight},
     {OpKind::OptimizerStep, StudyMetric::Optimizer}}};

// The mean loss over the micro-batches of the last measured iteration; nullopt if it diverged.
std::optional<double> lastLoss(const Run& run)
{
    const auto& all = run.timeline.iterations;
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const Iteration& one) {
        return one.kind == Iteration::Kind::Measured && !one.microBatchLoss.empty();
    });
    if (last == all.rend())
        return std::nullopt;
    const auto& losses = last->microBatchLoss;
    const double mean
        = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
    return std::isfinite(mean) ? std::optional(mean) : std::nullopt;
}

std::int64_t meanTime(const RunMetrics& metrics, OpKind kind)
{
    return std::llround(
        metrics.mean([kind](const DeviceMetrics& device) { return device.byKind[kind]; }));
}

void addInterval(const std::optional<engine::Interval>& interval, StudyMetric metric, double unit,
                 StudyValues& values)
{
    if (!interval)
        return;
    values.low[metric] = static_cast<double>(interval->least) / unit;
    values.high[metric] = static_cast<double>(interval->most) / unit;
}

void addKinds(const Run& run, const RunMetrics& reported, double unit, StudyValues& values)
{
    std::vector<RunMetrics> all;
    const auto& iterations = run.timeline.iterations;
    for (int i = 0; i < std::ssize(iterations) && run.info.mode != Mode::Simulate; ++i)
        if (iterations[i].kind == Iteration::Kind::Measured)
            if (auto one = metrics(run, i))
                all.push_back(*std::move(one));
    if (all.empty())
        all.push_back(reported);
    for (const auto& [kind, metric] : kKinds) {
        std::vector<std::int64_t> times;
        for (const RunMetrics& one : all)
            times.push_back(meanTime(one, kind));
        if (std::ranges::all_of(times, [](std::int64_t time) { return time == 0; }))
            continue;
        addInterval(medianInterval(times), metric, unit, values);
        values.of[metric] = static_cast<double>(medianOf(times)) / unit;
    }
}

// Adds what the training took so far and until the target loss. Every iteration takes the time of
// the reported one.
void addTraining(const Run& run, std::optional<double> targetLoss, StudyValues& values)
{
    const auto trained = std::ranges::count_if(run.timeline.iterations, [](const Iteration& one) {
        return one.kind != Iteration::Kind::Replay && one.loss;
    });
    const double time = values.of[StudyMetric::Iteration].value_or(0);
    if (trained == 0)
        return;
    const double tokens = run.info.tokensPerIteration;
    values.of[StudyMetric::TrainingTime] = time * static_cast<double>(trained);
    if (tokens > 0)
        values.of[StudyMetric::Tokens] = tokens * static_cast<double>(trained);
    if (!targetLoss || tokens <= 0)
        return;
    // Iterations and not micro-batches, so that runs with other micro-batch sizes are compared
    // after the same sequences.
    constexpr std::size_t kWindow = 4;
    const auto until = reached(run, {*targetLoss, kWindow, run.info.tokensPerIteration});
    if (!until)
        return;
    values.of[StudyMetric::TokensToLoss] = static_cast<double>(until->tokens);
    values.of[StudyMetric::TimeToLoss] = time * static_cast<double>(until->tokens) / tokens;
}

} // namespace

StudyValues valuesOf(const Run& run, const RunMetrics& metrics, std::optional<double> targetLoss)
{
    StudyValues values;
    values.unit = run.info.inUnits() ? "units" : "ns";
    const double unit = run.info.ticksPerUnit;
    auto& of = values.of;
    of[StudyMetric::Iteration] = static_cast<double>(metrics.duration) / unit;
    addInterval(iterationInterval(run, metrics.iteration), StudyMetric::Iteration, unit, values);
    of[StudyMetric::Bubble] = metrics.bubbleRatio;
    of[StudyMetric::Messages] = metrics.messages;
    of[StudyMetric::LocalCopies] = metrics.localCopies;
    if (metrics.exposedIsKnown)
        of[StudyMetric::Exposed] = metrics.mean(&DeviceMetrics::exposedCommunication) / unit;
    of[StudyMetric::TokensPerSecond] = metrics.tokensPerSecond;
    of[StudyMetric::Mfu] = metrics.mfu;
    of[StudyMetric::Loss] = lastLoss(run);
    of[StudyMetric::CpuShare] = run.info.cpuShare;
    addKinds(run, metrics, unit, values);
    addTraining(run, targetLoss, values);
    of[StudyMetric::PeakStash] = metrics.peakStash();
    of[StudyMetric::Weights] = metrics.weights();
    of[StudyMetric::PeakBytes] = metrics.peakBytes();
    of[StudyMetric::MemoryBalance] = metrics.memoryBalance();
    if (const MemoryCapacity memory = deviceMemory(run); memory.isKnown()) {
        of[StudyMetric::DeviceMemory] = memory.bytes;
        of[StudyMetric::UsableMemory] = memory.usable();
        if (const auto peak = of[StudyMetric::PeakBytes])
            of[StudyMetric::Fits] = memory.holds(*peak) ? 1 : 0;
    }
    return values;
}

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

// The columns of the table `results` in the order in which write() binds them, with their types.
std::vector<std::pair<std::string, const char*>> storedColumns(const Study& study)
{
    std::vector<std::pair<std::string, const char*>> columns{{"point", "INTEGER PRIMARY KEY"}};
    for (const StudyAxis& axis : study.grid)
        columns.emplace_back(identifier(axisColumn(axis.key)), "TEXT");
    for (const NumberColumn& column : numberColumns())
        columns.emplace_back(identifier(column.name), "REAL");
    for (const char* text : {"unit", "mapping", "error", "arguments"})
        columns.emplace_back(text, "TEXT");
    return columns;
}

std::string namesOf(const std::vector<std::pair<std::string, const char*>>& columns,
                    const std::string& table = {})
{
    std::vector<std::string> names;
    for (const auto& [name, type] : columns)
        names.push_back(table + name);
    return fmt::format("{}", fmt::join(names, ", "));
}
// Without its table, SQLite takes the name of a column that is not there for a text.
std::string selectResults(const Study& study)
{
    return fmt::format("SELECT {} FROM results", namesOf(storedColumns(study), "results."));
}

} // namespace

Result<void> StudyFile::create()
{
    std::vector<std::string> columns;
    for (const auto& [name, type] : storedColumns(*m_study))
        columns.push_back(name + " " + type);
    TRY(m_database.execute(
        fmt::format("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE;"
                    "CREATE TABLE IF NOT EXISTS study (key TEXT PRIMARY KEY, value TEXT);"
                    "CREATE TABLE IF NOT EXISTS results ({})",
                    fmt::join(columns, ", "))));
    TRY(m_database.run("INSERT OR IGNORE INTO study VALUES ('points', ?1)", pointsToml(*m_study)));
    return m_database.execute("COMMIT");
}

Result<StudyFile> StudyFile::open(const std::filesystem::path& file, const Study& study)
{
    auto database = TRY(Database::open(file, Database::Access::Create));
    StudyFile opened(std::move(database), study);
    // A file has no tables if it is new or if its creation failed. Another process may be creating
    // the tables at the same time: the file is then locked and stays as it is.
    const auto tables = TRY(opened.m_database.integer("SELECT count(*) FROM sqlite_schema"));
    if (tables == 0)
        if (auto created = opened.create(); !created) {
            { // closes the file
                const StudyFile closed = std::move(opened);
            }
            if (created.error().code == Error::Code::Io) // a full disk
                engine::removeWithCompanions(file);
            return tl::unexpected(created.error());
        }
    const auto stored = opened.m_database.text("SELECT value FROM study WHERE key = 'points'");
    // Another version of the program may have other metrics.
    if (!stored || *stored != pointsToml(study) || !opened.m_database.prepare(selectResults(study)))
        return invalid("{} has the results of another study, or of another version of "
                       "this one; choose another folder, or delete the file",
                       file.string());
    return opened;
}

Result<StudyData> StudyFile::read()
{
    StudyData data(*m_study);
    const auto numbers = numberColumns();
    const auto take = [&](const Statement& row) -> Result<void> {
        const std::int64_t point = row.integer(0);
        if (point < 0 || std::cmp_greater_equal(point, data.points.size()))
            return tl::unexpected(m_database.damaged("a point that the study lacks"));
        StudyResult& result = data.results[point];
        result.isDone = true;
        int next = static_cast<int>(m_study->grid.size());
        for (const NumberColumn& column : numbers)
            (void)row.get(++next, (result.values.*column.of)[column.metric]);
        result.values.unit = row.text(++next);
        result.values.mapping = row.text(++next);
        result.error = row.text(++next);
        return {};
    };
    TRY(m_database.forEach(selectResults(*m_study), take));
    return data;
}

Result<void> StudyFile::write(const std::vector<StudyPoint>& points,
                              const std::vector<std::pair<std::size_t, StudyResult>>& results)
{
    if (results.empty())
        return {};
    const auto columns = storedColumns(*m_study);
    const std::vector<std::string_view> places(columns.size(), "?");
    TRY(m_database.execute("BEGIN"));
    auto insert
        = TRY(m_database.prepare(fmt::format("INSERT OR REPLACE INTO results ({}) VALUES ({})",
                                             namesOf(columns), fmt::join(places, ", "))));
    const auto numbers = numberColumns();
    for (const auto& [index, result] : results) {
        int next = 0;
        const auto bind = [&](const auto& value) { insert.set(++next, value); };
        bind(index);
        for (const std::string& value : points[index].values)
            bind(value);
        for (const NumberColumn& column : numbers)
            bind((result.values.*column.of)[column.metric]);
        const std::string arguments = joinedArguments(points[index]);
        bind(result.values.unit);
        bind(result.values.mapping);
        bind(result.error);
        bind(arguments);
        TRY(insert.run());
    }
    return m_database.execute("COMMIT");
}

// Replaces the columns of ratios, because the ratios of the study may have changed since the file
// was written.
Result<void> StudyFile::replaceRatios()
{
    std::string changes;
    TRY(m_database.forEach(
        "SELECT name FROM pragma_table_info('results') WHERE cid > (SELECT cid FROM "
        "pragma_table_info('results') WHERE name = 'arguments')",
        [&](const Statement& row) {
            changes += "ALTER TABLE results DROP COLUMN " + identifier(row.text(0)) + ";";
        }));
    for (const StudyRatio& ratio : m_study->ratios)
        changes += "ALTER TABLE results ADD COLUMN " + identifier(ratio.name) + " REAL;";
    return m_database.execute(changes);
}

Result<void> StudyFile::finish(const std::string& toml, const StudyData& data)
{
    TRY(replaceRatios());
    TRY(m_database.run("INSERT OR REPLACE INTO study VALUES ('toml', ?1)", toml));
    for (const StudyRatio& ratio : m_study->ratios) {
        const auto column = TRY(data.column(ratio.name));
        TRY(m_database.execute("BEGIN"));
        auto update = TRY(m_database.prepare(
            fmt::format("UPDATE results SET {} = ?1 WHERE point = ?2", identifier(ratio.name))));
        for (std::size_t i = 0; i < data.points.size(); ++i)
            TRY(update.run(column[i], i));
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
    std::string text;
    for (const StudyAxis& axis : study.grid)
        text += axisColumn(axis.key) + ",";
    for (const NumberColumn& column : numbers)
        text += column.name + ",";
    for (const StudyRatio& ratio : study.ratios)
        text += ratio.name + ",";
    text += "unit,mapping,error,arguments\n";
    const auto number
        = [&](std::optional<double> value) { text += value ? fmt::format("{},", *value) : ","; };
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (const std::string& value : points[i].values)
            text += csvCell(value) + ",";
        for (const NumberColumn& column : numbers)
            number((results[i].values.*column.of)[column.metric]);
        for (const StudyRatio& ratio : study.ratios)
            number(data.value(ratio.name, i));
        text += fmt::format("{},{},{},{}\n", results[i].values.unit,
                            csvCell(results[i].values.mapping), csvCell(results[i].error),
                            csvCell(joinedArguments(points[i])));
    }
    return text;
}

namespace {

using Finished = std::vector<std::pair<std::size_t, StudyResult>>;

// Evaluates points on several threads.
class PointQueue
{
public:
    PointQueue(const std::vector<StudyPoint>& points, std::vector<std::size_t> open,
               const EvaluatePoint& evaluate, int threads)
        : m_points(points)
        , m_open(std::move(open))
        , m_evaluate(evaluate)
    {
        for (int i = 0; i < threads; ++i)
            m_threads.emplace_back([this] { work(); });
    }
    ~PointQueue()
    {
        stop();
        for (std::thread& thread : m_threads)
            thread.join();
    }

    void stop() { m_next = m_open.size(); }
    // Waits half a second, or until all points are finished. Returns the points that were finished
    // since the last call.
    Finished take()
    {
        std::unique_lock lock(m_mutex);
        m_ready.wait_for(lock, std::chrono::milliseconds(500), [this] { return m_left == 0; });
        return std::exchange(m_finished, {});
    }
    std::optional<Error> error()
    {
        const std::scoped_lock lock(m_mutex);
        return m_error;
    }

private:
    void work()
    {
        for (std::size_t next = m_next++; next < m_open.size(); next = m_next++) {
            const std::size_t index = m_open[next];
            auto values = m_evaluate(m_points[index]);
            const std::scoped_lock lock(m_mutex);
            if (!values && values.error().code != Error::Code::InvalidArgument) {
                m_error = values.error();
                stop();
                return;
            }
            m_finished.emplace_back(index,
                                    StudyResult{values ? *values : StudyValues(),
                                                values ? "" : values.error().message, true});
            if (--m_left == 0)
                m_ready.notify_one();
        }
    }

    const std::vector<StudyPoint>& m_points;
    std::vector<std::size_t> m_open; // indices in m_points
    const EvaluatePoint& m_evaluate;
    std::atomic<std::size_t> m_next = 0; // index in m_open
    std::mutex m_mutex;                  // protects the members below
    std::condition_variable m_ready;
    Finished m_finished;
    std::size_t m_left = m_open.size();
    std::optional<Error> m_error;
    std::vector<std::thread> m_threads; // last member, because the threads use the others
};

Result<void> evaluateAll(StudyFile& file, StudyData& data, const EvaluatePoint& evaluate,
                         const RunStudyOptions& options)
{
    auto& [study, points, results] = data;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!results[i].isDone)
            open.push_back(i);
    if (open.empty())
        return {};
    if (const StudyAxis* const repeat = study.axis(study.repeat)) {
        std::ranges::stable_sort(open, {}, [&](std::size_t point) {
            return std::ranges::find(repeat->values, data.valueOf(point, study.repeat));
        });
    }
    const auto begin = std::chrono::steady_clock::now();
    PointQueue queue(points, open, evaluate, options.threads);
    for (std::size_t done = 0; done < open.size();) {
        const Finished finished = queue.take();
        for (const auto& [index, result] : finished)
            results[index] = result;
        done += finished.size();
        TRY(file.write(points, finished));
        if (const auto error = queue.error())
            return tl::unexpected(*error);
        if (options.cancelled != nullptr && *options.cancelled) {
            const Error error{Error::Code::Cancelled,
                              "the study was cancelled; the same command continues it"};
            if (options.onCancelled)
                options.onCancelled(error);
            return tl::unexpected(error);
        }
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        const double perPoint = done == 0 ? 0 : passed.count() / static_cast<double>(done);
        if (options.onProgress)
            options.onProgress({points.size() - open.size() + done, points.size(),
                                std::chrono::duration<double>(
                                    perPoint * static_cast<double>(open.size() - done))});
    }
    return {};
}

} // namespace

Result<StudyData> runStudy(const Study& study, const std::string& toml, const fs::path& folder,
                           const EvaluatePoint& evaluate, const RunStudyOptions& options)
{
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (fs::exists(folder) && !fs::is_directory(folder))
        return fail(Error::Code::Io,
                    folder.string() + " is a file: choose another name for the folder of results");
    if (failed)
        return fail(Error::Code::Io, "{} cannot be created: {}; choose another folder",
                    folder.string(), failed.message());
    auto file = TRY(StudyFile::open(folder / kStudyResults, study));
    auto data = TRY(file.read());
    TRY(evaluateAll(file, data, evaluate, options));
    if (data.refused() == data.points.size())
        return invalid("no point of the study is possible: " + data.results.front().error);
    TRY(file.finish(toml, data));
    const auto report = TRY(studyReport(data));
    TRY(saveFile(folder / "results.csv", studyCsv(data), IfExists::Replace));
    TRY(saveFile(folder / "report.html", report, IfExists::Replace));
    return data;
}

Result<StudyData> openStudy(const fs::path& folder)
{
    const fs::path file = folder / kStudyResults;
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return fail(Error::Code::NotFound, "{} has no {}; write it with bscope study NAME -o {}",
                    folder.string(), kStudyResults, folder.string());
    auto database = TRY(Database::open(file, Database::Access::ReadOnly));
    const auto toml = database.text("SELECT value FROM study WHERE key = 'toml'");
    if (!toml)
        return invalid("{} is not the result of a finished study; the command that "
                       "began it finishes it",
                       file.string());
    const auto study = TRY(readStudy(*toml, file.string()));
    return storedResults(study, folder);
}

Result<StudyData> storedResults(const Study& study, const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::exists(folder / kStudyResults, ignored))
        return StudyData(study);
    return StudyFile::open(folder / kStudyResults, study).and_then([](StudyFile file) {
        return file.read();
    });
}

} // namespace profiler
