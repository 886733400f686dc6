#include "app/documents/run_library.h"

#include "app/documents/run_document.h"
#include "app/ui/settings.h"
#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/store/trace_store.h"

#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QSet>
#include <QTimer>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace app {

// How much a run computes. On one machine, runs of the same `kind` take a time proportional to
// their FLOPs.
struct RunWork
{
    double flops = 0; // total of all iterations; 0 if the model cannot be read
    QString kind;     // mode, backend and precision
};

namespace {

const QString kSchemeOption = QStringLiteral("--scheme");

// Takes the scheme out of options of `bscope run`.
QString takeScheme(QStringList& options)
{
    const qsizetype at = options.indexOf(kSchemeOption);
    if (at < 0 || at + 1 == options.size())
        return fromUtf8(engine::ScheduleRequest().scheme);
    const QString scheme = options[at + 1];
    options.remove(at, 2);
    return scheme;
}

// Whether runs with these options differ only in the scheme, so that one worker can run them.
bool canTakeTurns(const QList<QStringList>& runs)
{
    QSet<QString> schemes;
    QList<QStringList> others = runs;
    for (QStringList& options : others)
        schemes.insert(takeScheme(options));
    return runs.size() > 1 && schemes.size() == runs.size()
        && std::ranges::count(others, others.front()) == others.size();
}

RunWork runWork(const QStringList& options)
{
    std::vector<std::string> arguments;
    for (const QString& option : options)
        arguments.push_back(option.toStdString());
    const auto experiment = engine::experimentFromArguments(arguments);
    if (!experiment)
        return {};
    QStringList kind;
    for (const char* flag : {"--mode", "--backend", "--precision"})
        kind << QString::fromStdString(engine::experimentField(flag).get(*experiment));
    return {(experiment->iterations + experiment->warmup)
                * engine::flopsPerIteration(experiment->model, experiment->schedule.microBatches),
            kind.join(QLatin1Char(' '))};
}

using State = RunDocument::State;
using Level = Notice::Level;

// Interval for reading a file that another program writes, which sends no progress reports. The
// interval is long, because that program has probably ended.
constexpr int kForeignPollMilliseconds = 1000;

// Appends the consequence to an error: "device 0 is full; free some. Nothing was recorded."
QString joined(QString reason, const QString& kept)
{
    if (reason.isEmpty())
        return kept;
    if (reason.startsWith(QLatin1String("bscope: ")))
        reason.remove(0, 8);
    reason = capitalized(reason);
    if (!reason.endsWith(QLatin1Char('.')))
        reason += QLatin1Char('.');
    return reason + QLatin1Char(' ') + kept;
}

// Returns the notice of the warnings of an import; none if there are none.
Notice noticeOfImport(const engine::Run& run)
{
    constexpr qsizetype kMost = 3;
    QStringList warnings;
    for (const std::string& warning : profiler::importWarnings(run))
        warnings.append(fromUtf8(warning));
    const qsizetype count = warnings.size();
    if (count == 0)
        return {};
    if (count > kMost)
        warnings = warnings.first(kMost) << QObject::tr("%1 more").arg(count - kMost);
    return {Level::Warning, QObject::tr("Imported with %1.").arg(countOf(count, "warning")),
            warnings.join(QLatin1Char('\n'))};
}

// Returns the notice for a file whose run was not started in this window.
Notice noticeOfFile(const engine::Run& run)
{
    const QString kept = keptSentence(&run);
    switch (run.info.outcome) {
    case engine::Outcome::Finished:
        return noticeOfImport(run);
    case engine::Outcome::Cancelled:
        return {Level::Warning, QObject::tr("Cancelled."), kept, {}, true};
    case engine::Outcome::Failed:
        return {Level::Error,
                QObject::tr("The run failed."),
                joined(QString::fromStdString(run.info.failure), kept),
                {},
                true};
    case engine::Outcome::Running:
        break;
    }
    return {Level::Warning,
            QObject::tr("Not finished."),
            QObject::tr("The program that wrote this file was terminated, or is still writing it. ")
                + kept,
            {},
            true};
}

Notice noticeOfEnd(const WorkerEnd& end, const engine::Run* run)
{
    const QString text = joined(end.text, keptSentence(run));
    switch (end.how) {
    case WorkerEnd::How::Finished:
        return {};
    case WorkerEnd::How::Cancelled:
        return {Level::Warning, QObject::tr("Stopped."), text, {}, true};
    case WorkerEnd::How::Failed:
        return {Level::Error, QObject::tr("The run failed."), text, {}, true};
    case WorkerEnd::How::Refused:
        return {Level::Error, QObject::tr("Not started."), end.text, {}, true};
    case WorkerEnd::How::Killed:
        return {Level::Error, QObject::tr("The worker ended."), text, {}, true};
    }
    return {};
}

QString optionValue(const QStringList& options, const char* name, const char* fallback)
{
    const qsizetype at = options.indexOf(QString::fromLatin1(name));
    return at >= 0 && at + 1 < options.size() ? options[at + 1] : QString::fromLatin1(fallback);
}

QString nameOf(const QString& scheme, const QString& devices, const QString& microBatches)
{
    return QStringLiteral("%1-D%2-N%3").arg(scheme, devices, microBatches);
}

} // namespace

// Fills a RunDocument, either from an existing file, or from the file of a worker that the session
// starts. GUI thread only; never blocks.
class RunSession : public QObject
{
public:
    explicit RunSession(std::shared_ptr<RunDocument> document, QObject* parent = nullptr)
        : QObject(parent)
        , m_document(std::move(document))
    {
        connect(&m_process, &RunProcess::eventReceived, this,
                qOverload<const WorkerEvent&>(&RunSession::handle));
        connect(&m_process, &RunProcess::ended, this,
                qOverload<const WorkerEnd&>(&RunSession::handle));
        connect(&m_process, &RunProcess::lineReceived, m_document.get(),
                [document = m_document.get()](const QString& line) { document->addLogLine(line); });
        connect(&m_loader, &RunLoader::loaded, this, &RunSession::loaded);
        connect(&m_loader, &RunLoader::begun, m_document.get(), &RunDocument::setRun);
        connect(&m_loader, &RunLoader::progressed, m_document.get(), [this](double share) {
            RunProgress progress = m_document->progress();
            progress.read = share;
            m_document->setProgress(progress);
        });
        connect(&m_loader, &RunLoader::failed, this, [this](const QString& reason) {
            m_document->setNotice({Level::Error, tr("Not opened."), reason});
            m_document->setState(State::Failed);
        });
        connect(&m_follower, &RunFollower::grown, this, &RunSession::grown);
        connect(&m_follower, &RunFollower::finished, this, &RunSession::allRead);
        connect(&m_follower, &RunFollower::locked, this, [this] {
            interrupt(
                {Level::Warning, tr("Waiting."),
                 tr("%1 is locked by another program; the timeline continues when it is released")
                     .arg(m_document->file())});
        });
        connect(&m_follower, &RunFollower::failed, this, [this](const QString& reason) {
            interrupt({Level::Error, tr("The file cannot be read."), reason});
        });
        connect(&m_follower, &RunFollower::recovered, this, &RunSession::endInterruption);
    }

    // Keeps the name of the file reserved until the worker has created the file.
    void keepName(engine::ReservedName name) { m_name = std::move(name); }

    // Also follows the file while another program is still writing it.
    void open()
    {
        m_document->setNotice({});
        m_document->setState(State::Loading);
        m_loader.load(m_document->file());
    }

    // Starts one worker for runs that have their options, which take turns in it. Their options
    // differ only in the scheme. The first session has the worker; stop() and setPaused() of each
    // are for all.
    static void start(const QString& program, const std::vector<RunSession*>& runs)
    {
        RunSession& first = *runs.front();
        const bool takeTurns = runs.size() > 1;
        const QString file = first.m_document->file(), folder = QFileInfo(file).path();
        first.m_runs = runs;
        QStringList options = first.m_document->options();
        if (takeTurns)
            takeScheme(options);
        for (RunSession* run : runs) {
            run->m_first = &first;
            run->begin();
            QStringList own = run->m_document->options();
            if (takeTurns)
                options << kSchemeOption << takeScheme(own);
        }
        if (!QDir().mkpath(folder)) // RunLibrary could not create the folder
            return first.handle(
                {WorkerEnd::How::Refused,
                 tr("The folder %1 for runs cannot be created; rename the file of that "
                    "name, or set XDG_DATA_HOME to a writable folder.")
                     .arg(folder)});
        first.m_process.start(program,
                              QStringList{QStringLiteral("run")} + options
                                  + QStringList{QStringLiteral("--progress"),
                                                QStringLiteral("jsonl"), QStringLiteral("-o"),
                                                takeTurns ? folder : file});
    }

    // The options of a new run, and the group of runs with which it takes turns (-1: alone).
    void setOptions(const QStringList& options, int group)
    {
        m_document->setOptions(options);
        m_work = runWork(options);
        m_group = group;
    }

    int group() const { return m_group; }

    void queue()
    {
        m_document->addLogLine(tr("queued: starts after the earlier runs"));
        m_document->setState(State::Queued);
    }

    // Also removes a queued run from the queue, or stops reading a file.
    void stop()
    {
        if (m_document->isQueued()) {
            m_name.reset();
            m_document->setNotice({Level::Warning,
                                   tr("Not started."),
                                   tr("The run was removed from the queue."),
                                   {},
                                   true});
            m_document->setState(State::Failed);
        }
        if (m_document->state() == State::Loading) {
            m_loader.cancel();
            m_document->setNotice(
                {Level::Warning, tr("Not opened."),
                 tr("The run was removed from the list before it was read; close this "
                    "tab and open the file again.")});
            m_document->setState(State::Failed);
        }
        if (!m_document->isRunning() || m_document->state() == State::Stopping)
            return;
        setPaused(false);
        for (RunSession* run : together()) {
            run->m_document->setState(State::Stopping);
            run->m_document->addLogLine(tr("stop requested"));
        }
        m_first->m_process.stop();
    }

    // Suspends or resumes the worker. Works only for emulated runs, because a live run measures the
    // wall clock.
    void setPaused(bool paused)
    {
        if (m_document->state() != State::Running || paused == m_document->isPaused())
            return;
        m_first->m_process.setPaused(paused);
        for (RunSession* run : together()) {
            run->m_workedMs = run->workedMs();
            if (paused)
                run->m_sinceStart.invalidate();
            else
                run->m_sinceStart.start();
            run->m_document->addLogLine(paused ? tr("paused") : tr("resumed"));
            run->m_document->setPaused(paused);
        }
    }

    const std::shared_ptr<RunDocument>& document() const { return m_document; }
    const RunWork& work() const { return m_work; } // work of a run with the document's options

    // Whether the file that was read has been replaced by another file of the same name.
    bool isReplaced() const
    {
        const profiler::DiskFile now = profiler::onDisk(m_document->file().toStdString());
        return m_read && now != profiler::DiskFile() && now != *m_read;
    }

    RunProcess& process() { return m_process; }

private:
    void begin()
    {
        m_document->setState(State::Running);
        m_document->addLogLine(
            tr("bscope run %1").arg(m_document->options().join(QLatin1Char(' '))));
        m_isComplete = false;
        m_failure.clear();
    }

    // All runs of the worker.
    std::vector<RunSession*> together()
    {
        return m_first->m_runs.empty() ? std::vector<RunSession*>{this} : m_first->m_runs;
    }

    void handle(const WorkerEvent& event)
    {
        const std::vector<RunSession*> runs = together();
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (event.run < 0 || static_cast<std::size_t>(event.run) == i)
                runs[i]->workerSaid(event);
    }

    // One run may fail, and the others finish.
    void handle(const WorkerEnd& end)
    {
        const std::vector<RunSession*> runs = std::exchange(m_runs, {});
        for (RunSession* run : runs) {
            run->m_first = run;
            const bool isOwn = end.how != WorkerEnd::How::Failed || run->m_failure.isEmpty();
            run->workerEnded(run->m_isComplete ? WorkerEnd()
                                 : isOwn       ? end
                                               : WorkerEnd{end.how, run->m_failure});
        }
    }

    void workerSaid(const WorkerEvent& event)
    {
        RunProgress progress = m_document->progress();
        switch (event.kind) {
        case WorkerEvent::Kind::Started:
            m_name.reset(); // the file exists now, so its name need not be reserved
            m_workedMs = 0;
            if (!m_document->isPaused())
                m_sinceStart.start();
            progress.planned = event.iterations;
            progress.warmup = event.warmup;
            m_document->setProgress(progress);
            m_follower.start();
            break;
        case WorkerEvent::Kind::Rows:
            endInterruption();
            progress.rows = event.rows;
            m_document->setProgress(progress);
            m_follower.poke();
            break;
        case WorkerEvent::Kind::Ops:
            opsDone(event);
            break;
        case WorkerEvent::Kind::Iteration:
            iterationDone(event);
            break;
        case WorkerEvent::Kind::Warning:
            m_document->addLogLine(tr("warning: %1").arg(event.message));
            m_document->setNotice(
                {Level::Warning, tr("The run continues with limitations."), event.message});
            break;
        case WorkerEvent::Kind::Locked:
            interrupt({Level::Warning, tr("Waiting."), event.message});
            break;
        case WorkerEvent::Kind::Finishing:
            m_document->addLogLine(tr("writing the file"));
            break;
        case WorkerEvent::Kind::Finished:
            m_isComplete = event.outcome == QLatin1String("finished");
            m_document->addLogLine(event.outcome);
            break;
        case WorkerEvent::Kind::Failed:
            m_failure = event.message;
            m_document->addLogLine(event.message);
            break;
        case WorkerEvent::Kind::Points:
        case WorkerEvent::Kind::Other:
            break;
        }
    }

    void opsDone(const WorkerEvent& event)
    {
        RunProgress progress = m_document->progress();
        if (event.index != progress.done || event.all <= 0)
            return;
        progress.opsDone = std::clamp<std::int64_t>(event.done, 0, event.all);
        progress.ops = event.all;
        progress.devices = event.devices;
        estimateEnd(progress);
        m_document->setProgress(progress);
    }

    void iterationDone(const WorkerEvent& event)
    {
        RunProgress progress = m_document->progress();
        ++progress.done;
        progress.opsDone = progress.ops = 0;
        progress.devices.clear();
        estimateEnd(progress);
        m_document->setProgress(progress);
        const QString time
            = timeScale(static_cast<std::int64_t>(event.duration)).withUnit(event.duration);
        QString line = progress.done <= progress.warmup
            ? tr("warm-up iteration finished: %1").arg(time)
            : tr("iteration %1 finished: %2").arg(progress.done - progress.warmup - 1).arg(time);
        if (event.loss)
            line += tr(", loss %1").arg(number(*event.loss, 2));
        m_document->addLogLine(line);
    }

    // Since the start, without pauses.
    qint64 workedMs() const
    {
        return m_workedMs + (m_sinceStart.isValid() ? m_sinceStart.elapsed() : 0);
    }

    // Estimates when the run ends. Assumes that the remaining iterations take as long as those so
    // far.
    void estimateEnd(RunProgress& progress) const
    {
        const double done = progress.iterations();
        progress.secondsSoFar = static_cast<double>(workedMs()) / 1000;
        if (done > 0)
            progress.secondsLeft
                = progress.secondsSoFar / done * std::max(0.0, progress.planned - done);
    }

    void workerEnded(const WorkerEnd& end)
    {
        m_end = end;
        m_name.reset();
        if (end.how == WorkerEnd::How::Refused) {
            m_document->setNotice(noticeOfEnd(end, nullptr));
            m_document->setState(State::Failed);
            return;
        }
        m_follower.finish();
    }

    void loaded(const RunPointer& run, const QString& warning)
    {
        m_read = profiler::onDisk(m_document->file().toStdString());
        m_document->setRun(run);
        m_document->addLogLine(tr("opened %1").arg(m_document->file()));
        if (!run->info.started.empty())
            m_document->addLogLine(tr("recorded %1 by build %2")
                                       .arg(QString::fromStdString(run->info.started),
                                            QString::fromStdString(run->info.program)));
        if (!run->info.command.empty())
            m_document->addLogLine(
                tr("command: %1").arg(QString::fromStdString(run->info.command)));
        m_document->setNotice(warning.isEmpty()
                                  ? noticeOfFile(*run)
                                  : Notice{Level::Warning, tr("Updated once a second."), warning});
        m_document->setState(State::Finished);
        if (run->info.outcome == engine::Outcome::Running)
            m_follower.start(kForeignPollMilliseconds);
    }

    void grown(const RunPointer& run)
    {
        RunProgress progress = m_document->progress();
        progress.warmup = run->info.plannedWarmup;
        progress.planned = allIterations(run->info);
        m_document->setRun(run);
        if (m_document->isRunning())
            m_document->setProgress(progress);
        else if (run->info.outcome != engine::Outcome::Running)
            m_follower.finish(); // another program wrote the file and has finished
    }

    void allRead()
    {
        const engine::Run* run = m_document->run().get();
        if (m_document->isRunning()) {
            m_read = profiler::onDisk(m_document->file().toStdString());
            const Notice notice = noticeOfEnd(m_end, run);
            if (notice.level != Level::None)
                m_document->setNotice(notice);
            m_document->addLogLine(notice.title.isEmpty()
                                       ? tr("the run is complete")
                                       : notice.title + QLatin1Char(' ') + notice.text);
        } else if (run != nullptr) {
            m_document->setNotice(noticeOfFile(*run));
        }
        m_document->setState(run != nullptr ? State::Finished : State::Failed);
    }

    // Shows `notice` until the run continues, and remembers the previous notice in m_before. The
    // worker and the follower may both report the same lock, so a repeated notice does not replace
    // m_before.
    void interrupt(const Notice& notice)
    {
        m_document->addLogLine(notice.text);
        if (m_document->notice() != m_interruption)
            m_before = m_document->notice();
        m_interruption = notice;
        m_document->setNotice(notice);
    }

    void endInterruption()
    {
        if (m_interruption != Notice() && m_document->notice() == m_interruption)
            m_document->setNotice(m_before);
        m_interruption = m_before = {};
    }

    std::shared_ptr<RunDocument> m_document;
    int m_group = -1;
    // Of the first session of a worker: all of its sessions, while it runs. Of the others: the
    // first one.
    std::vector<RunSession*> m_runs;
    RunSession* m_first = this;
    bool m_isComplete = false; // whether the worker has reported the end of this run
    QString m_failure;         // what it reported as the failure of this run
    RunProcess m_process;
    RunLoader m_loader;
    RunFollower m_follower{m_document->file()};
    std::optional<engine::ReservedName> m_name;
    RunWork m_work;
    std::optional<profiler::DiskFile> m_read; // the file that was read to its end
    // Time since the start or the last resumption; invalid before the start and during a pause. The
    // time before the last pause is in m_workedMs.
    QElapsedTimer m_sinceStart;
    qint64 m_workedMs = 0;
    WorkerEnd m_end;
    // The notice that is shown while the file cannot be read or written, and the notice to show
    // again afterwards.
    Notice m_interruption, m_before;
};

QString runsFolder()
{
    const QString chosen = chosenFolder(key::kRuns);
    return chosen.isEmpty() ? QString::fromStdString((engine::dataFolder() / "runs").string())
                            : chosen;
}

std::function<std::filesystem::path(int)> runFileNames(const QString& what)
{
    const QDir folder(runsFolder());
    folder.mkpath(QStringLiteral("."));
    const QString time = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const std::string stem = folder.filePath(time + QLatin1Char('-') + what).toStdString();
    return [stem](int i) {
        return i == 1 ? stem + ".sqlite" : stem + "-" + std::to_string(i) + ".sqlite";
    };
}

namespace {

QString runName(const QStringList& options)
{
    const bool isFromFile = options.contains(QStringLiteral("--schedule"));
    return nameOf(isFromFile ? QStringLiteral("file") : optionValue(options, "--scheme", "bitpipe"),
                  optionValue(options, "--devices", "4"),
                  optionValue(options, "--micro-batches", "8"));
}

} // namespace

std::function<std::filesystem::path(int)> newRunNames(const QStringList& options)
{
    return runFileNames(runName(options));
}

engine::Result<QString> writeNewRun(engine::Run run)
{
    // An unknown scheme has a name that comes from a file, so the name must not become part of a
    // path.
    const bool isKnown = engine::findScheme(run.info.scheme) != nullptr;
    const engine::Shape& shape = run.schedule.shape;
    auto file = TRY(engine::NewFile::firstFree(
        runFileNames(nameOf(isKnown ? fromUtf8(run.info.scheme) : QStringLiteral("file"),
                            QString::number(shape.devices), QString::number(shape.microBatches)))));
    const QString name = QString::fromStdString(file.target().string());
    run.info.program = engine::buildId();
    TRY(profiler::writeRun(std::move(file), run));
    return name;
}

// Keeps the path once the file exists, because resolving links takes a system call per folder.
const QString& RunLibrary::OpenRun::canonicalPath() const
{
    if (m_canonical.isEmpty())
        m_canonical = QFileInfo(path).canonicalFilePath();
    return m_canonical;
}

RunLibrary::RunLibrary(QObject* parent)
    : QObject(parent)
{ }

RunLibrary::~RunLibrary() = default;

RunLibrary::Runs RunLibrary::runs() const
{
    Runs runs;
    std::ranges::transform(m_runs, std::back_inserter(runs), &OpenRun::document);
    return runs;
}

RunLibrary::Runs RunLibrary::ticked() const
{
    Runs runs;
    for (const OpenRun& one : m_runs)
        if (one.isTicked)
            runs.push_back(one.document);
    return runs;
}

RunLibrary::OpenRuns::const_iterator RunLibrary::find(const RunDocument& document) const
{
    return std::ranges::find_if(
        m_runs, [&](const OpenRun& one) { return one.document.get() == &document; });
}

std::shared_ptr<RunDocument> RunLibrary::find(const QString& file) const
{
    // Also compares the absolute paths, because a missing file has no canonical path.
    const QFileInfo wanted(file);
    const QString path = wanted.absoluteFilePath(), canonical = wanted.canonicalFilePath();
    const auto found = std::ranges::find_if(m_runs, [&](const OpenRun& one) {
        return one.path == path || (!canonical.isEmpty() && one.canonicalPath() == canonical);
    });
    return found == m_runs.end() ? nullptr : found->document;
}

bool RunLibrary::isTicked(const RunDocument& document) const
{
    const auto found = find(document);
    return found != m_runs.end() && found->isTicked;
}

void RunLibrary::tick(const RunDocument& document, bool ticked)
{
    if (!contains(document))
        return;
    m_runs[static_cast<std::size_t>(find(document) - m_runs.begin())].isTicked = ticked;
    m_hasChoice = true;
    Q_EMIT runChanged(document);
}

RunLibrary::OpenRun& RunLibrary::append(const std::shared_ptr<RunDocument>& document)
{
    OpenRun& added = m_runs.emplace_back();
    added.document = document;
    added.isTicked = !m_hasChoice;
    added.path = QFileInfo(document->file()).absoluteFilePath();
    for (const auto signal : {&RunDocument::runChanged, &RunDocument::stateChanged,
                              &RunDocument::progressChanged, &RunDocument::noticeChanged})
        connect(document.get(), signal, this,
                [this, changed = document.get()] { Q_EMIT runChanged(*changed); });
    return added;
}

RunSession& RunLibrary::newSession(const QString& file)
{
    const auto document
        = std::make_shared<RunDocument>(file, m_number ? m_number(file) : ++m_lastNumber);
    RunSession& session = *(append(document).session = std::make_unique<RunSession>(document));
    if (m_patience)
        session.process().setPatience(*m_patience);
    connect(document.get(), &RunDocument::stateChanged, this, [this, read = document.get()] {
        if (read->state() == RunDocument::State::Finished && read->run())
            Q_EMIT runRead(read->file(), read->run());
    });
    Q_EMIT listChanged();
    return session;
}

std::shared_ptr<RunDocument> RunLibrary::open(const QString& file)
{
    if (auto known = find(file)) {
        // The file may be readable by now. A run that this window started has no file if it failed.
        RunSession* opened = session(*known);
        const bool isReplaced = opened != nullptr && opened->isReplaced();
        if (opened != nullptr && known->options().isEmpty()
            && known->state() == RunDocument::State::Failed && !known->run())
            opened->open();
        if (!isReplaced)
            return known;
        close(*known); // its page still shows what was read
    }
    RunSession& session = newSession(QFileInfo(file).absoluteFilePath());
    session.open();
    return session.document();
}

std::shared_ptr<RunDocument> RunLibrary::openAgain(const std::shared_ptr<RunDocument>& document)
{
    const bool isShown = document->run() && contains(*document);
    return isShown || document->file().isEmpty() ? document : open(document->file());
}

RunSession& RunLibrary::prepare(const QStringList& options, const QString& file, int group)
{
    RunSession& session = newSession(file);
    session.setOptions(options, group);
    const std::shared_ptr<RunDocument>& document = session.document();
    document->expectLabel(schemeTitle(optionValue(options, "--scheme", "bitpipe")));
    connect(document.get(), &RunDocument::stateChanged, this, &RunLibrary::startNext,
            Qt::QueuedConnection);
    connect(document.get(), &RunDocument::progressChanged, this, [this, one = document.get()] {
        if (!one->isQueued()) // estimate() changes the progress of queued runs
            estimate();
    });
    connect(document.get(), &RunDocument::stateChanged, this, &RunLibrary::queueChanged);
    return session;
}

void RunLibrary::launch(const std::vector<RunSession*>& sessions)
{
    if (isAnyRunning() || !queuedOptions().isEmpty())
        std::ranges::for_each(sessions, &RunSession::queue);
    else
        RunSession::start(m_program, sessions);
}

std::shared_ptr<RunDocument> RunLibrary::start(const QStringList& options)
{
    const auto names = newRunNames(options);
    auto reserved = engine::ReservedName::firstFree(names);
    // If no name can be reserved, the folder for runs cannot be created. The session then reports
    // it.
    RunSession& session = prepare(
        options, QString::fromStdString((reserved ? reserved->path() : names(1)).string()), -1);
    if (reserved)
        session.keepName(std::move(*reserved));
    const std::shared_ptr<RunDocument> document = session.document();
    launch({&session});
    return document;
}

RunLibrary::Runs RunLibrary::startAll(const QList<QStringList>& options)
{
    Runs started;
    if (!canTakeTurns(options)) {
        for (const QStringList& one : options)
            started.push_back(start(one));
        return started;
    }
    const auto names = runFileNames(QStringLiteral("%1-schemes").arg(options.size()));
    std::filesystem::path folder;
    std::error_code error; // if the folder cannot be created, the session reports it
    int i = 1;
    do
        folder = names(i++).replace_extension();
    while (!std::filesystem::create_directory(folder, error) && !error);
    std::vector<RunSession*> sessions;
    ++m_lastGroup;
    for (const QStringList& one : options)
        sessions.push_back(&prepare(
            one, QDir(fromUtf8(folder.string())).filePath(runName(one) + QStringLiteral(".sqlite")),
            m_lastGroup));
    std::ranges::transform(sessions, std::back_inserter(started), &RunSession::document);
    launch(sessions);
    return started;
}

QList<QStringList> RunLibrary::queuedOptions() const
{
    QList<QStringList> options;
    for (const OpenRun& one : m_runs)
        if (one.isQueued())
            options.append(one.document->options());
    return options;
}

void RunLibrary::startNext()
{
    if (m_isQueueHeld || isAnyRunning())
        return;
    std::vector<RunSession*> next;
    for (const OpenRun& one : m_runs)
        if (one.isQueued()
            && (next.empty()
                || (next.front()->group() >= 0 && next.front()->group() == one.session->group())))
            next.push_back(one.session.get());
    if (!next.empty())
        RunSession::start(m_program, next);
}

void RunLibrary::holdQueue(bool held)
{
    m_isQueueHeld = held;
    startNext();
}

void RunLibrary::moveInQueue(const RunDocument& document, int by)
{
    const auto step = by < 0 ? -1 : 1;
    auto at = find(document) - m_runs.begin();
    const auto run
        = [this](std::ptrdiff_t i) -> OpenRun& { return m_runs[static_cast<std::size_t>(i)]; };
    const auto end = std::ssize(m_runs);
    if (at == end || !run(at).isQueued())
        return;
    for (auto to = at + step; by != 0 && to >= 0 && to < end; to += step)
        if (run(to).isQueued()) {
            std::swap(run(at), run(to));
            at = to;
            by -= step;
        }
    Q_EMIT listChanged();
    Q_EMIT queueChanged();
}

void RunLibrary::estimate()
{
    // Rate by kind of run. A newer run replaces older ones, because its rate is the most accurate.
    std::map<QString, double> secondsPerFlop;
    for (const OpenRun& one : m_runs) {
        const RunProgress& progress = one.document->progress();
        const RunWork work = one.session ? one.session->work() : RunWork();
        if (progress.done > 0 && progress.planned > 0 && work.flops > 0)
            secondsPerFlop[work.kind]
                = progress.secondsSoFar * progress.planned / (work.flops * progress.done);
    }
    for (const OpenRun& one : m_runs) {
        if (!one.isQueued())
            continue;
        const RunWork& work = one.session->work();
        const auto rate = secondsPerFlop.find(work.kind);
        RunProgress progress = one.document->progress();
        progress.secondsLeft = rate == secondsPerFlop.end() ? -1 : rate->second * work.flops;
        one.document->setProgress(progress);
    }
}

std::shared_ptr<RunDocument> RunLibrary::add(engine::Run run)
{
    auto document = std::make_shared<RunDocument>(QString(), m_number ? 0 : ++m_lastNumber);
    document->setRun(std::make_shared<const engine::Run>(std::move(run)));
    document->setState(RunDocument::State::Finished);
    append(document);
    Q_EMIT listChanged();
    return document;
}

void RunLibrary::stop(const RunDocument& document)
{
    if (RunSession* running = session(document))
        running->stop();
}

void RunLibrary::setPaused(const RunDocument& document, bool paused)
{
    if (RunSession* running = session(document))
        running->setPaused(paused);
}

void RunLibrary::close(const RunDocument& document)
{
    if (document.isRunning())
        return; // the end of the session would kill the worker
    // A page may still show the document after the session has ended.
    stop(document);
    document.disconnect(this);
    if (const auto closed = find(document); closed != m_runs.end())
        m_runs.erase(closed);
    m_hasChoice = m_hasChoice && !m_runs.empty();
    Q_EMIT listChanged();
    Q_EMIT queueChanged();
}

bool RunLibrary::isAnyRunning() const
{
    return std::ranges::any_of(m_runs,
                               [](const OpenRun& one) { return one.document->isRunning(); });
}

bool RunLibrary::isAnyLoading() const
{
    return std::ranges::any_of(m_runs, [](const OpenRun& one) {
        return one.document->state() == RunDocument::State::Loading;
    });
}

RunSession* RunLibrary::session(const RunDocument& document) const
{
    const auto found = find(document);
    return found == m_runs.end() ? nullptr : found->session.get();
}

} // namespace app
