#include "app/ledger/run_ledger.h"

#include "app/documents/run_library.h"
#include "app/ui/data_table.h"
#include "app/ui/settings.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/analysis/compare.h"
#include "profiler/store/trace_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <future>
#include <set>

namespace app {
namespace {

using Optional = std::optional<double> LedgerRun::*;
constexpr std::pair<const char*, Optional> kNumbers[]{{"iteration", &LedgerRun::iteration},
                                                      {"least", &LedgerRun::least},
                                                      {"most", &LedgerRun::most},
                                                      {"bubble", &LedgerRun::bubble},
                                                      {"peak_bytes", &LedgerRun::peakBytes},
                                                      {"tokens", &LedgerRun::tokensPerSecond},
                                                      {"loss_first", &LedgerRun::lossFirst},
                                                      {"loss_last", &LedgerRun::lossLast}};
constexpr std::pair<const char*, QString LedgerRun::*> kTexts[]{
    {"label", &LedgerRun::label},
    {"scheme", &LedgerRun::scheme},
    {"mode", &LedgerRun::mode},
    {"outcome", &LedgerRun::outcome},
    {"command", &LedgerRun::command},
    {"problem", &LedgerRun::problem},
    {"experiment", &LedgerRun::experiment}};

QString keyOf(const char* name)
{
    return QString::fromLatin1(name);
}

QByteArray factsOf(const LedgerRun& run)
{
    QJsonObject facts;
    for (const auto& [name, number] : kNumbers)
        if (run.*number)
            facts[keyOf(name)] = *(run.*number);
    for (const auto& [name, text] : kTexts)
        facts[keyOf(name)] = run.*text;
    facts[keyOf("started")] = run.started.toString(Qt::ISODateWithMs);
    facts[keyOf("in_units")] = run.isInUnits;
    QJsonArray settings;
    for (const auto& [title, value] : run.settings)
        settings.append(QJsonArray{title, value});
    facts[keyOf("settings")] = settings;
    return QJsonDocument(facts).toJson(QJsonDocument::Compact);
}

void readFacts(const QJsonObject& facts, LedgerRun& run)
{
    for (const auto& [name, number] : kNumbers)
        if (const QJsonValue value = facts[keyOf(name)]; value.isDouble())
            run.*number = value.toDouble();
    for (const auto& [name, text] : kTexts)
        run.*text = facts[keyOf(name)].toString();
    run.started = QDateTime::fromString(facts[keyOf("started")].toString(), Qt::ISODateWithMs);
    run.isInUnits = facts[keyOf("in_units")].toBool();
    for (const QJsonValue setting : facts[keyOf("settings")].toArray())
        run.settings.emplace_back(setting[0].toString(), setting[1].toString());
}

void addResults(const engine::Run& run, LedgerRun& result)
{
    const double perUnit = run.info.inUnits() ? static_cast<double>(run.info.ticksPerUnit) : 1.0;
    const auto compared = profiler::compare({&run});
    if (!compared)
        return;
    const profiler::ComparedRun& of = compared->runs.front();
    const bool isKnown = whyIterationUnknown(run).empty();
    if (isKnown)
        result.iteration = static_cast<double>(of.metrics.duration) / perUnit;
    if (isKnown && of.interval) {
        result.least = static_cast<double>(of.interval->least) / perUnit;
        result.most = static_cast<double>(of.interval->most) / perUnit;
    }
    if (std::isfinite(of.metrics.bubbleRatio))
        result.bubble = of.metrics.bubbleRatio;
    if (of.peakBytes)
        result.peakBytes = static_cast<double>(*of.peakBytes);
    result.tokensPerSecond = of.metrics.tokensPerSecond;
    for (const engine::Iteration& iteration : run.timeline.iterations)
        if (iteration.loss && iteration.kind != engine::Iteration::Kind::Replay) {
            result.lossFirst = result.lossFirst.value_or(*iteration.loss);
            result.lossLast = iteration.loss;
        }
}

} // namespace

LedgerRun describeRun(const QString& file, const engine::Run& run)
{
    LedgerRun result;
    result.file = QFileInfo(file).absoluteFilePath();
    result.label = fromUtf8(run.info.label.empty() ? run.info.scheme : run.info.label);
    result.scheme = fromUtf8(run.info.scheme);
    result.mode = fromUtf8(engine::modeAdjective(run.info.mode));
    result.outcome = fromUtf8(engine::outcomeName(run.info.outcome));
    result.command = fromUtf8(run.info.command);
    result.experiment = fromUtf8(run.info.experiment);
    if (run.info.outcome == engine::Outcome::Failed)
        result.problem = run.info.failure.empty() ? QStringLiteral("the run failed")
                                                  : fromUtf8(run.info.failure);
    if (run.info.outcome == engine::Outcome::Running)
        result.problem = QStringLiteral("Ended by the system, or its window was killed");
    result.started = QDateTime::fromString(fromUtf8(run.info.started), Qt::ISODateWithMs);
    result.isInUnits = run.info.inUnits();
    for (const auto& [title, value] : profiler::settingsOf(run))
        result.settings.emplace_back(fromUtf8(title), fromUtf8(value));
    addResults(run, result);
    return result;
}

profiler::LedgerRow toRow(const LedgerRun& run)
{
    profiler::LedgerRow row;
    row.file = run.file.toStdString();
    row.number = run.number;
    const QFileInfo file(run.file);
    row.size = file.size();
    row.modified = file.lastModified().toMSecsSinceEpoch();
    row.facts = factsOf(run).toStdString();
    row.name = run.name.toStdString();
    row.note = run.note.toStdString();
    row.tags = run.tags.join(QLatin1Char('\n')).toStdString();
    row.origin = run.origin.toStdString();
    return row;
}

LedgerRun fromRow(const profiler::LedgerRow& row)
{
    LedgerRun run;
    run.file = fromUtf8(row.file);
    run.bytes = row.size;
    run.number = static_cast<int>(row.number);
    run.modified = QDateTime::fromMSecsSinceEpoch(row.modified);
    readFacts(QJsonDocument::fromJson(QByteArray::fromStdString(row.facts)).object(), run);
    run.name = fromUtf8(row.name);
    run.note = fromUtf8(row.note);
    run.tags = fromUtf8(row.tags).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    run.origin = fromUtf8(row.origin);
    if (run.isTrashed()) // a move changes the metadata of a file, and nothing else
        run.moved = QFileInfo(run.file).metadataChangeTime();
    return run;
}

LedgerRun::State LedgerRun::kind() const
{
    if (isUnderWay())
        return state == QStringLiteral("queued") ? State::Queued : State::Running;
    const auto how = engine::outcomeNamed(outcome.toStdString());
    return isUnreadable() || how == engine::Outcome::Failed ? State::Failed
        : how == engine::Outcome::Cancelled                 ? State::Stopped
        : how == engine::Outcome::Running ? (isFailed() ? State::Killed : State::Running)
                                          : State::Finished;
}

QString LedgerRun::stateName() const
{
    constexpr const char* kNames[]{"queued", "running", "finished", "stopped", "failed", "killed"};
    return isUnreadable() ? QStringLiteral("unreadable")
                          : QString::fromLatin1(kNames[static_cast<std::size_t>(kind())]);
}

Icon LedgerRun::stateIcon() const
{
    constexpr Icon kIcons[]{Icon::Pause, Icon::Run,   Icon::Check,
                            Icon::Stop,  Icon::Error, Icon::Close};
    return kIcons[static_cast<std::size_t>(kind())];
}

QString LedgerRun::reason() const
{
    return iteration ? QString() : isUnderWay() ? state : problem;
}

QString LedgerRun::size() const
{
    const auto known = [this](const char* key) {
        const QString value = setting(QString::fromLatin1(key));
        return value == QLatin1String("unknown") ? QStringLiteral("–") : value;
    };
    return settings.empty() ? QString() : QStringLiteral("%1 × %2").arg(known("D"), known("N"));
}

std::optional<double> LedgerRun::perToken() const
{
    return tokensPerSecond && *tokensPerSecond > 0 ? std::optional(1e9 / *tokensPerSecond)
                                                   : std::nullopt;
}

QString LedgerRun::setting(const QString& title) const
{
    const auto found = std::ranges::find(settings, title, &std::pair<QString, QString>::first);
    return found == settings.end() ? QString() : found->second;
}

QStringList LedgerRun::values(const QString& key) const
{
    const auto is = [&](const QString& title) {
        return title.compare(key, Qt::CaseInsensitive) == 0
            || title.compare(QStringLiteral("--") + key, Qt::CaseInsensitive) == 0;
    };
    QStringList found;
    if (is(QStringLiteral("tag")))
        found = tags;
    else if (is(QStringLiteral("scheme")))
        found = QStringList(scheme.isEmpty() ? label : scheme);
    else if (is(QStringLiteral("state")))
        found = QStringList(stateName());
    else if (is(QStringLiteral("mode")))
        found = QStringList(mode);
    else
        for (const auto& [title, value] : settings)
            if (is(title))
                found.append(value);
    for (QString& value : found)
        value.replace(QLatin1Char(' '), QLatin1Char('_'));
    return found;
}

Scale LedgerRun::time() const
{
    return isInUnits ? Scale{1, 1, QStringLiteral("units")}
                     : timeScale(static_cast<std::int64_t>(iteration.value_or(0)));
}

bool LedgerRun::matches(const QString& filter) const
{
    const auto contains = [&](const QString& word) {
        const auto has
            = [&](const QString& text) { return text.contains(word, Qt::CaseInsensitive); };
        if (const qsizetype colon = word.indexOf(QLatin1Char(':')); colon > 0)
            return std::ranges::any_of(
                values(word.left(colon)),
                [wanted = word.mid(colon + 1).split(QLatin1Char(','))](const QString& value) {
                    return wanted.contains(value, Qt::CaseInsensitive);
                });
        if (word == QStringLiteral("#%1").arg(number))
            return true;
        return has(name) || has(label) || has(note) || has(mode) || has(QFileInfo(file).fileName())
            || std::ranges::any_of(tags, has)
            || std::ranges::any_of(settings, [&](const auto& one) { return has(one.second); });
    };
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(words, contains);
}

QString settingTitle(const QString& title)
{
    if (!title.startsWith(QLatin1Char('-')))
        return title.size() > 1 ? capitalized(title) : title;
    const auto* field = engine::findField(engine::experimentFields(), title.toStdString());
    if (field != nullptr)
        return fromUtf8(field->label);
    const QString words = title.mid(title.lastIndexOf(QStringLiteral("--")) + 2);
    return capitalized(QString(words).replace(QLatin1Char('-'), QLatin1Char(' ')));
}

QStringList settingTitles(QStringList titles)
{
    std::ranges::transform(titles, titles.begin(), settingTitle);
    return titles;
}

QStringList knownSettings(const std::vector<LedgerRun>& runs)
{
    QStringList titles;
    for (const LedgerRun& run : runs)
        for (const auto& [title, value] : run.settings)
            if (!titles.contains(title))
                titles.append(title);
    return titles;
}

QStringList tagsOf(const std::vector<LedgerRun>& runs)
{
    QStringList tags;
    for (const LedgerRun& run : runs)
        if (!run.isTrashed())
            tags += run.tags;
    tags.removeDuplicates();
    tags.sort(Qt::CaseInsensitive);
    return tags;
}

QString ledgerCsv(const std::vector<LedgerRun>& runs)
{
    const QStringList settings = knownSettings(runs);
    QStringList titles{fromUtf8("No."), fromUtf8("Name"), fromUtf8("State")};
    for (const QString& setting : settings)
        titles.append(settingTitle(setting));
    titles += {fromUtf8("Unit of time"), fromUtf8("Iteration"),  fromUtf8("From"),
               fromUtf8("To"),           fromUtf8("Tokens/s"),   fromUtf8("Bubble"),
               fromUtf8("Peak, bytes"),  fromUtf8("First loss"), fromUtf8("Last loss"),
               fromUtf8("Tags"),         fromUtf8("Started")};
    QString all;
    const auto add = [&all](QStringList cells) {
        std::ranges::transform(cells, cells.begin(), quotedCell);
        all += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    };
    add(titles);
    for (const LedgerRun& run : runs) {
        QStringList cells{QString::number(run.number), run.title(), run.stateName()};
        for (const QString& setting : settings)
            cells.append(run.setting(setting));
        cells.append(run.isInUnits ? fromUtf8("units") : fromUtf8("ns"));
        for (const auto& value : {run.iteration, run.least, run.most, run.tokensPerSecond,
                                  run.bubble, run.peakBytes, run.lossFirst, run.lossLast})
            cells.append(value ? QString::number(*value, 'g', 10) : QString());
        add(cells << run.tags.join(QLatin1Char(' ')) << run.when().toString(Qt::ISODate));
    }
    return all;
}

QStringList varyingSettings(const std::vector<LedgerRun>& runs)
{
    QStringList varying;
    for (const QString& title : knownSettings(runs)) {
        std::optional<QString> first;
        if (std::ranges::any_of(runs, [&](const LedgerRun& run) {
                if (!first && !run.settings.empty())
                    first = run.setting(title);
                return !run.settings.empty() && run.setting(title) != *first;
            }))
            varying.append(title);
    }
    return varying;
}

QString differenceText(const QStringList& settings)
{
    constexpr qsizetype kMost = 4;
    const auto text
        = [](const char* source) { return QCoreApplication::translate("Ledger", source); };
    if (settings.isEmpty())
        return {};
    QStringList first;
    for (const QString& title : settings.first(std::min(settings.size(), kMost)))
        first.append(title.startsWith(QLatin1Char('-'))
                         ? withoutUnit(uncapitalized(settingTitle(title)))
                         : title);
    const QString named = text("differ in %1").arg(first.join(text(", ")));
    return settings.size() <= kMost
        ? named
        : text("%1 and %2 more").arg(named).arg(settings.size() - kMost);
}

using engine::Error;
using engine::Result;

namespace {

constexpr std::chrono::milliseconds kStartWait{500};

bool exists(std::int64_t process)
{
    return process == QCoreApplication::applicationPid()
        || kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
}

// Describes the run in a file for the ledger, the list of all runs of this machine. Reads the file
// again if `known`, what was read from it, has no outcome, because its writer may have ended since.
// A run that cannot be read stays in the list with the reason as its problem.
LedgerRun describeFile(const QString& file, const engine::Run* known = nullptr)
{
    if (known != nullptr && known->info.outcome != engine::Outcome::Running)
        return describeRun(file, *known);
    const bool isGrowing = engine::isBeingWritten(file.toStdString()); // perhaps by another window
    const auto run = profiler::readRun(file.toStdString());
    if (run) {
        LedgerRun described = describeRun(file, *run);
        if (isGrowing && described.kind() == LedgerRun::State::Killed)
            described.problem.clear();
        return described;
    }
    LedgerRun unread;
    unread.file = file;
    unread.label = QFileInfo(file).completeBaseName();
    unread.problem = QString::fromStdString(run.error().message);
    return unread;
}

// Treats a file that could not be read as changed, because it may be readable now, and one that was
// still written, because its writer may have been killed. A run that is listed as killed may be
// written all the same: its new rows are in "-wal".
bool isUnchanged(const profiler::LedgerRow& row, const QFileInfo& file)
{
    const LedgerRun run = fromRow(row);
    return row.size == file.size() && row.modified == file.lastModified().toMSecsSinceEpoch()
        && !run.isUnreadable() && run.kind() != LedgerRun::State::Running
        && !(run.kind() == LedgerRun::State::Killed && engine::isBeingWritten(row.file));
}

// Returns the suffixes of the files that SQLite has left beside a run, and "" for the run itself.
QStringList partsOf(const QString& file)
{
    QStringList suffixes;
    for (const std::string_view companion : engine::kSqliteCompanions)
        if (const QString suffix = QString::fromLatin1(companion); QFileInfo::exists(file + suffix))
            suffixes.append(suffix);
    return suffixes << QString();
}

Result<void> checkEnded(const QString& file)
{
    if (engine::isBeingWritten(file.toStdString()))
        return engine::fail(Error::Code::Io,
                            QStringLiteral("%1 is still being written: stop the run first")
                                .arg(file)
                                .toStdString());
    return {};
}

// Moves a run into a folder under a free name. Returns its new path. Also moves SQLite's files
// beside the run, because "-wal" has the recorded iterations of a killed run.
Result<QString> moveRun(const QString& file, const QString& folder)
{
    TRY(checkEnded(file));
    const QFileInfo from(file);
    QString to = QDir(folder).filePath(from.fileName());
    for (int i = 2; QFileInfo::exists(to) || partsOf(to).size() > 1; ++i)
        to = QDir(folder).filePath(
            QStringLiteral("%1-%2.%3")
                .arg(from.completeBaseName(), QString::number(i), from.suffix()));
    QDir().mkpath(folder);
    QStringList moved;
    for (const QString& suffix : partsOf(file)) {
        QFile part(file + suffix);
        if (!part.rename(to + suffix)) {
            for (const QString& done : moved)
                QFile::rename(to + done, file + done);
            return engine::fail(Error::Code::Io,
                                QStringLiteral("%1 was not moved to %2: %3")
                                    .arg(file, folder, part.errorString())
                                    .toStdString());
        }
        moved.append(suffix);
    }
    return to;
}

Result<void> deleteRun(const QString& name)
{
    TRY(checkEnded(name));
    QFile file(name);
    if (file.exists() && !file.remove())
        return engine::fail(
            Error::Code::Io,
            QStringLiteral("%1 was not deleted: %2").arg(name, file.errorString()).toStdString());
    for (const QString& suffix : partsOf(name))
        QFile::remove(name + suffix);
    return {};
}

} // namespace

QString trashFolder()
{
    return runsFolder() + QStringLiteral("/trash");
}

QString ledgerFile()
{
    return QString::fromStdString((engine::dataFolder() / "ledger.sqlite").string());
}

// Opens the ledger file when it is first used, on the thread of the pool, because that may wait for
// another process or a slow disk.
class RunLedger::Store
{
public:
    Result<profiler::Ledger*> ledger()
    {
        if (!m_ledger)
            m_ledger.emplace(TRY(profiler::Ledger::open(ledgerFile().toStdString())));
        return &*m_ledger;
    }

    // Returns the rows of files that exist. If a file was deleted, its row is removed from the
    // ledger. If its folder is missing as well, the disk may not be mounted, so the row stays.
    Result<std::vector<profiler::LedgerRow>> rows()
    {
        profiler::Ledger& ledger = *TRY(this->ledger());
        std::vector<profiler::LedgerRow> existing;
        const std::vector<profiler::LedgerRow> all = TRY(ledger.rows());
        for (const profiler::LedgerRow& row : all) {
            const QFileInfo file(QString::fromStdString(row.file));
            if (file.exists())
                existing.push_back(row);
            else if (file.dir().exists())
                TRY(ledger.remove(row.file));
        }
        return existing;
    }

    struct Listed
    {
        std::vector<LedgerRun> runs; // newest first
        int lastNumber = 0;
    };
    Result<Listed> list()
    {
        Listed listed;
        const std::vector<profiler::LedgerRow> all = TRY(rows());
        for (const profiler::LedgerRow& row : all)
            listed.runs.push_back(fromRow(row));
        std::ranges::stable_sort(listed.runs, std::greater(), &LedgerRun::when);
        listed.lastNumber = static_cast<int>(TRY(m_ledger->lastNumber()));
        return listed;
    }

private:
    std::optional<profiler::Ledger> m_ledger;
};

RunLedger::RunLedger(QObject* parent)
    : QObject(parent)
    , m_store(std::make_shared<Store>())
    , m_isEnding(std::make_shared<std::atomic<bool>>(false))
    , m_background(this, m_pool)
{
    m_pool.setMaxThreadCount(1);
    waitForNumbers();
    QTimer::singleShot(0, this, &RunLedger::list);
}

// The first runs are opened before list() answers, and need their numbers.
void RunLedger::waitForNumbers()
{
    const auto promise = std::make_shared<std::promise<Result<profiler::Ledger::Numbers>>>();
    auto known = promise->get_future();
    m_pool.start([store = m_store, promise] {
        promise->set_value(
            store->ledger().and_then([](profiler::Ledger* ledger) { return ledger->numbers(); }));
    });
    if (known.wait_for(kStartWait) != std::future_status::ready)
        return; // list() delivers them
    const auto numbers = known.get();
    if (!numbers)
        return; // list() reports the error
    m_lastNumber = static_cast<int>(numbers->last);
    for (const auto& [file, number] : numbers->byFile)
        m_stored[QString::fromStdString(file)] = static_cast<int>(number);
}

RunLedger::~RunLedger()
{
    *m_isEnding = true;
}

int RunLedger::number(const QString& file)
{
    const QString path = QFileInfo(file).absoluteFilePath();
    const auto known = std::ranges::find(m_runs, path, &LedgerRun::file);
    if (!file.isEmpty() && known != m_runs.end())
        return known->number;
    if (const auto stored = m_stored.find(path); !file.isEmpty() && stored != m_stored.end())
        return stored->second;
    int& expected = m_expected[path];
    if (expected == 0 || file.isEmpty())
        expected = ++m_lastNumber;
    return expected;
}

void RunLedger::refresh()
{
    m_hasFailed = false; // list() reports an error again
    m_background.run(
        [store = m_store]() -> Result<QStringList> {
            return store->rows().map([](const std::vector<profiler::LedgerRow>& rows) {
                QStringList changed;
                std::set<QString> unchanged;
                for (const profiler::LedgerRow& row : rows) {
                    const QFileInfo file(QString::fromStdString(row.file));
                    if (isUnchanged(row, file))
                        unchanged.insert(file.absoluteFilePath());
                    else
                        changed.append(file.absoluteFilePath());
                }
                for (const QFileInfo& file :
                     QDir(runsFolder()).entryInfoList({QStringLiteral("*.sqlite")}, QDir::Files))
                    if (!unchanged.contains(file.absoluteFilePath())
                        && !changed.contains(file.absoluteFilePath()))
                        changed.append(file.absoluteFilePath());
                return changed;
            });
        },
        [this](const Result<QStringList>& found) {
            if (found)
                for (const QString& file : *found)
                    read(file);
            list();
        });
}

void RunLedger::read(const QString& file)
{
    ++m_unread;
    m_background.run(
        [store = m_store, file, isEnding = m_isEnding]() -> Result<void> {
            if (*isEnding)
                return {};
            const LedgerRun run = describeFile(file);
            return TRY(store->ledger())->putContents(toRow(run));
        },
        [this](const Result<void>&) {
            --m_unread;
            if (m_unread == 0)
                list();
            else if (!m_relist.isActive())
                m_relist.start();
        },
        -1); // lower priority than changes by the user
}

void RunLedger::list()
{
    m_background.run([store = m_store] { return store->list(); },
                     [this](Result<Store::Listed> listed) {
                         if (m_changes > 0)
                             return; // older than the change, which lists the runs again
                         if (listed) {
                             m_runs = std::move(listed->runs);
                             m_stored.clear();
                             m_lastNumber = std::max(m_lastNumber, listed->lastNumber);
                             Q_EMIT changed();
                         } else if (!std::exchange(m_hasFailed, true)) {
                             Q_EMIT unreadable(QString::fromStdString(listed.error().message));
                         }
                     });
}

void RunLedger::change(const Change& work)
{
    ++m_changes;
    m_background.run([store = m_store, work] { return store->ledger().and_then(work); },
                     [this](const Result<void>& done) {
                         if (!done)
                             Q_EMIT failed(QString::fromStdString(done.error().message));
                         if (--m_changes == 0)
                             list();
                     });
}

void RunLedger::add(const QString& file, const std::shared_ptr<const engine::Run>& run)
{
    change([file, run,
            expected = m_expected[QFileInfo(file).absoluteFilePath()]](profiler::Ledger* ledger) {
        LedgerRun described = describeFile(file, run.get());
        described.number = expected;
        return ledger->putContents(toRow(described));
    });
}

void RunLedger::setUserData(const LedgerRun& before, const LedgerRun& run)
{
    change([old = toRow(before), row = toRow(run)](profiler::Ledger* ledger) {
        return ledger->putUserData(old, row);
    });
    const auto known = std::ranges::find(m_runs, run.file, &LedgerRun::file);
    if (known == m_runs.end())
        return;
    const auto set = [&](auto member) {
        if (run.*member != before.*member)
            (*known).*member = run.*member;
    };
    set(&LedgerRun::name);
    set(&LedgerRun::note);
    set(&LedgerRun::tags);
    m_edited.start();
}

void RunLedger::moveToTrash(const LedgerRun& run)
{
    change([file = run.file](profiler::Ledger* ledger) -> Result<void> {
        const QString to = TRY(moveRun(file, trashFolder()));
        return ledger->move(file.toStdString(), to.toStdString(),
                            QFileInfo(file).absolutePath().toStdString());
    });
}

void RunLedger::restore(const LedgerRun& run)
{
    change([file = run.file, origin = run.origin](profiler::Ledger* ledger) -> Result<void> {
        const QString to = TRY(moveRun(file, origin));
        return ledger->move(file.toStdString(), to.toStdString(), {});
    });
}

void RunLedger::deleteForever(const LedgerRun& run)
{
    change([file = run.file](profiler::Ledger* ledger) -> Result<void> {
        TRY(deleteRun(file));
        return ledger->remove(file.toStdString());
    });
}

void RunLedger::keepQueue(const QList<QStringList>& options)
{
    std::vector<std::string> texts;
    for (const QStringList& one : options)
        texts.push_back(one.join(QLatin1Char('\n')).toStdString());
    m_background.run(
        [store = m_store, texts]() -> Result<void> {
            return TRY(store->ledger())->setQueue(QCoreApplication::applicationPid(), texts);
        },
        [this](const Result<void>& kept) {
            if (!kept && !std::exchange(m_hasFailed, true))
                Q_EMIT failed(QString::fromStdString(kept.error().message));
        });
}

void RunLedger::takeQueues(const std::function<void(const QList<QStringList>&)>& take)
{
    m_background.run(
        [store = m_store] {
            QList<QStringList> all;
            const auto texts = store->ledger().and_then(
                [](profiler::Ledger* ledger) { return ledger->takeQueues(exists); });
            for (const std::string& text : texts.value_or(std::vector<std::string>()))
                all.append(QString::fromStdString(text).split(QLatin1Char('\n')));
            return all;
        },
        [take](const QList<QStringList>& all) {
            if (!all.isEmpty())
                take(all);
        });
}

} // namespace app
