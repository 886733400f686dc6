#include "app/ledger/run_ledger.h"

#include "app/documents/run_library.h"
#include "app/ui/setting_table.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "profiler/store/trace_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <optional>
#include <set>
#include <utility>

namespace app {

using engine::Error;
using engine::Result;

namespace {

constexpr int kRelistDelay = 150; // ms
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
    m_relist.setSingleShot(true);
    m_relist.setInterval(kRelistDelay);
    connect(&m_relist, &QTimer::timeout, this, &RunLedger::list);
    m_edited.setSingleShot(true);
    m_edited.setInterval(0);
    connect(&m_edited, &QTimer::timeout, this, &RunLedger::changed);
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
