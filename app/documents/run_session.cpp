#include "app/documents/run_session.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/analysis/run_measures.h"

#include <QDir>
#include <QFileInfo>
#include <QSet>

#include <algorithm>
#include <utility>

namespace app {
namespace {

// The time for which a read waits for the lock of another program. If the lock lasts longer, the
// read fails, the lock is reported, and the next read continues.
constexpr std::chrono::milliseconds kLockWait{1000};
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

} // namespace

bool canTakeTurns(const QList<QStringList>& runs)
{
    QSet<QString> schemes;
    QList<QStringList> others = runs;
    for (QStringList& options : others)
        schemes.insert(takeScheme(options));
    return runs.size() > 1 && schemes.size() == runs.size()
        && std::ranges::count(others, others.front()) == others.size();
}

SnapshotPool::SnapshotPool(std::filesystem::path file)
    : m_file(std::move(file))
{ }

engine::Result<std::unique_ptr<SnapshotPool::Buffer>> SnapshotPool::take()
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_free.empty()) {
            std::unique_ptr<Buffer> buffer = std::move(m_free.back());
            m_free.pop_back();
            return buffer;
        }
    }
    if (!m_opened)
        m_opened = TRY(profiler::TraceReader::open(m_file, kLockWait));
    return std::make_unique<Buffer>(Buffer{*m_opened, {}});
}

void SnapshotPool::giveBack(std::unique_ptr<Buffer> buffer)
{
    // One buffer is enough: while the window shows the newest snapshot, the buffer of the previous
    // one is reused.
    constexpr std::size_t kKept = 1;
    const std::lock_guard lock(m_mutex);
    m_free.push_back(std::move(buffer));
    if (m_free.size() > kKept)
        m_free.erase(m_free.begin());
}

engine::Result<SnapshotPool::Snapshot> SnapshotPool::next()
{
    auto buffer = TRY(take());
    const engine::Result<bool> grew = buffer->reader.poll(buffer->run);
    Snapshot snapshot{nullptr, buffer->reader.warning()};
    if (!grew || !*grew) {
        giveBack(std::move(buffer));
        if (!grew)
            return tl::unexpected(grew.error());
        return snapshot;
    }
    // The last owner of a snapshot may release it on any thread, even after the pool was destroyed.
    auto release = [pool = weak_from_this()](Buffer* done) {
        std::unique_ptr<Buffer> owned(done);
        if (const auto alive = pool.lock())
            alive->giveBack(std::move(owned));
    };
    const std::shared_ptr<Buffer> shared(buffer.release(), release);
    snapshot.run = std::shared_ptr<const engine::Run>(shared, &shared->run);
    return snapshot;
}

namespace {

// Time until a read is repeated if the file is locked although its writer has ended.
constexpr int kRetryMilliseconds = 200;

} // namespace

RunFollower::RunFollower(const QString& file, QObject* parent)
    : QObject(parent)
    , m_pool(std::make_shared<SnapshotPool>(std::filesystem::path(file.toStdString())))
    , m_reads(
          this,
          [pool = m_pool](std::monostate, const auto&) {
              auto next = pool->next();
              if (next)
                  return Answer{std::move(next->run), QString::fromStdString(next->warning), {}};
              return Answer{nullptr,
                            {},
                            QString::fromStdString(next.error().message),
                            next.error().code == engine::Error::Code::Locked};
          },
          [this](const Answer& answer) { take(answer); },
          Latest<std::monostate, Answer>::Older::Delivered)
{
    connect(&m_timer, &QTimer::timeout, this, &RunFollower::poke);
}

RunFollower::~RunFollower() = default;

void RunFollower::start(int milliseconds)
{
    m_timer.start(milliseconds);
    poke();
}

void RunFollower::finish()
{
    m_timer.stop();
    m_isLast = true;
    poke();
}

void RunFollower::take(const Answer& answer)
{
    if (m_isLast)
        m_timer.stop();
    if (!answer.warning.isEmpty() && answer.warning != std::exchange(m_lastWarning, answer.warning))
        Q_EMIT warned(answer.warning);
    report(answer);
    if (answer.run)
        Q_EMIT grown(answer.run);
    // If the writer has ended, reads until nothing is added, because one read may not deliver all
    // rows.
    if (!m_isLast || m_reads.isBusy())
        return;
    if (answer.run)
        poke();
    else if (answer.isLocked)
        m_timer.start(kRetryMilliseconds);
    else
        Q_EMIT finished();
}

void RunFollower::report(const Answer& answer)
{
    const QString before = std::exchange(m_failure, answer.failure);
    if (m_failure == before)
        return;
    if (m_failure.isEmpty())
        Q_EMIT recovered();
    else if (answer.isLocked)
        Q_EMIT locked();
    else
        Q_EMIT failed(m_failure);
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

namespace {

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
        warnings = warnings.first(kMost) << RunSession::tr("%1 more").arg(count - kMost);
    return {Level::Warning, RunSession::tr("Imported with %1.").arg(countOf(count, "warning")),
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
        return {Level::Warning, RunSession::tr("Cancelled."), kept, {}, true};
    case engine::Outcome::Failed:
        return {Level::Error,
                RunSession::tr("The run failed."),
                joined(QString::fromStdString(run.info.failure), kept),
                {},
                true};
    case engine::Outcome::Running:
        break;
    }
    return {
        Level::Warning,
        RunSession::tr("Not finished."),
        RunSession::tr("The program that wrote this file was terminated, or is still writing it. ")
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
        return {Level::Warning, RunSession::tr("Stopped."), text, {}, true};
    case WorkerEnd::How::Failed:
        return {Level::Error, RunSession::tr("The run failed."), text, {}, true};
    case WorkerEnd::How::Refused:
        return {Level::Error, RunSession::tr("Not started."), end.text, {}, true};
    case WorkerEnd::How::Killed:
        return {Level::Error, RunSession::tr("The worker ended."), text, {}, true};
    }
    return {};
}

} // namespace

RunSession::RunSession(std::shared_ptr<RunDocument> document, QObject* parent)
    : QObject(parent)
    , m_document(std::move(document))
    , m_follower(m_document->file())
{
    connect(&m_process, &RunProcess::eventReceived, this,
            qOverload<const WorkerEvent&>(&RunSession::handle));
    connect(&m_process, &RunProcess::ended, this, qOverload<const WorkerEnd&>(&RunSession::handle));
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
        interrupt({Level::Warning, tr("Waiting."),
                   tr("%1 is locked by another program; the timeline continues when it is released")
                       .arg(m_document->file())});
    });
    connect(&m_follower, &RunFollower::failed, this, [this](const QString& reason) {
        interrupt({Level::Error, tr("The file cannot be read."), reason});
    });
    connect(&m_follower, &RunFollower::recovered, this, &RunSession::endInterruption);
}

void RunSession::open()
{
    m_document->setNotice({});
    m_document->setState(State::Loading);
    m_loader.load(m_document->file());
}

bool RunSession::isReplaced() const
{
    const profiler::DiskFile now = profiler::onDisk(m_document->file().toStdString());
    return m_read && now != profiler::DiskFile() && now != *m_read;
}

void RunSession::loaded(const RunPointer& run, const QString& warning)
{
    m_read = profiler::onDisk(m_document->file().toStdString());
    m_document->setRun(run);
    m_document->addLogLine(tr("opened %1").arg(m_document->file()));
    if (!run->info.started.empty())
        m_document->addLogLine(tr("recorded %1 by build %2")
                                   .arg(QString::fromStdString(run->info.started),
                                        QString::fromStdString(run->info.program)));
    if (!run->info.command.empty())
        m_document->addLogLine(tr("command: %1").arg(QString::fromStdString(run->info.command)));
    m_document->setNotice(warning.isEmpty()
                              ? noticeOfFile(*run)
                              : Notice{Level::Warning, tr("Updated once a second."), warning});
    m_document->setState(State::Finished);
    if (run->info.outcome == engine::Outcome::Running)
        m_follower.start(kForeignPollMilliseconds);
}

void RunSession::setOptions(const QStringList& options, int group)
{
    m_document->setOptions(options);
    m_work = runWork(options);
    m_group = group;
}

void RunSession::queue()
{
    m_document->addLogLine(tr("queued: starts after the earlier runs"));
    m_document->setState(State::Queued);
}

void RunSession::begin()
{
    m_document->setState(State::Running);
    m_document->addLogLine(tr("bscope run %1").arg(m_document->options().join(QLatin1Char(' '))));
    m_isComplete = false;
    m_failure.clear();
}

void RunSession::start(const QString& program, const std::vector<RunSession*>& runs)
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
        return first.handle({WorkerEnd::How::Refused,
                             tr("The folder %1 for runs cannot be created; rename the file of that "
                                "name, or set XDG_DATA_HOME to a writable folder.")
                                 .arg(folder)});
    first.m_process.start(program,
                          QStringList{QStringLiteral("run")} + options
                              + QStringList{QStringLiteral("--progress"), QStringLiteral("jsonl"),
                                            QStringLiteral("-o"), takeTurns ? folder : file});
}

std::vector<RunSession*> RunSession::together()
{
    return m_first->m_runs.empty() ? std::vector<RunSession*>{this} : m_first->m_runs;
}

void RunSession::setPaused(bool paused)
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

void RunSession::stop()
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

void RunSession::handle(const WorkerEvent& event)
{
    const std::vector<RunSession*> runs = together();
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (event.run < 0 || static_cast<std::size_t>(event.run) == i)
            runs[i]->workerSaid(event);
}

// One run may fail, and the others finish.
void RunSession::handle(const WorkerEnd& end)
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

void RunSession::workerSaid(const WorkerEvent& event)
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

qint64 RunSession::workedMs() const
{
    return m_workedMs + (m_sinceStart.isValid() ? m_sinceStart.elapsed() : 0);
}

// Estimates when the run ends. Assumes that the remaining iterations take as long as those so far.
void RunSession::estimateEnd(RunProgress& progress) const
{
    const double done = progress.iterations();
    progress.secondsSoFar = static_cast<double>(workedMs()) / 1000;
    if (done > 0)
        progress.secondsLeft
            = progress.secondsSoFar / done * std::max(0.0, progress.planned - done);
}

void RunSession::opsDone(const WorkerEvent& event)
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

void RunSession::iterationDone(const WorkerEvent& event)
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

void RunSession::workerEnded(const WorkerEnd& end)
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

void RunSession::grown(const RunPointer& run)
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

// Shows `notice` until the run continues, and remembers the previous notice in m_before. The worker
// and the follower may both report the same lock, so a repeated notice does not replace m_before.
void RunSession::interrupt(const Notice& notice)
{
    m_document->addLogLine(notice.text);
    if (m_document->notice() != m_interruption)
        m_before = m_document->notice();
    m_interruption = notice;
    m_document->setNotice(notice);
}

void RunSession::endInterruption()
{
    if (m_interruption != Notice() && m_document->notice() == m_interruption)
        m_document->setNotice(m_before);
    m_interruption = m_before = {};
}

void RunSession::allRead()
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

} // namespace app
