#include "app/documents/run_document.h"

#include "app/ui/settings.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "profiler/analysis/run_measures.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <limits>

namespace app {

RunDocument::RunDocument(QString file, int number, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
    , m_number(number)
{ }

QString RunDocument::title() const
{
    if (label().isEmpty())
        return QFileInfo(m_file).fileName();
    return m_number > 0 ? tr("%1 #%2").arg(label(), QString::number(m_number)) : label();
}

QString RunDocument::subtitle() const
{
    if (m_state == State::Failed && !hasIterations(m_run.get()))
        return tr("not opened");
    if (isQueued())
        return tr("#%1, in the queue").arg(m_number);
    return m_file.isEmpty() ? tr("not saved") : QFileInfo(m_file).fileName();
}

QString RunDocument::value() const
{
    if (isQueued())
        return m_progress.secondsLeft >= 0 ? takesText(m_progress.secondsLeft) : tr("queued");
    if (!isRunning())
        return iterationText(m_run.get());
    return m_progress.planned == 0 ? tr("starting")
                                   : tr("%1 of %2").arg(m_progress.done).arg(m_progress.planned);
}

QString RunDocument::mode() const
{
    if (isPaused())
        return tr("paused");
    return m_run ? modeText(m_run->info) : QString();
}

void RunDocument::setRun(RunPointer run)
{
    m_run = std::move(run);
    Q_EMIT runChanged();
}

void RunDocument::addLogLine(const QString& text, const QDateTime& time)
{
    m_log.append(time.toString(QStringLiteral("HH:mm:ss.zzz")) + QStringLiteral("  ") + text);
    Q_EMIT logged(m_log.back());
}

QString iterationText(const engine::Run* run)
{
    const int reported = run == nullptr ? -1 : engine::reportedIteration(run->timeline);
    if (reported < 0)
        return {};
    if (!whyIterationUnknown(*run).empty())
        return RunDocument::tr("unknown");
    const std::int64_t duration
        = run->timeline.iterations[static_cast<std::size_t>(reported)].window.duration();
    return timeScale(run->info, duration).withUnit(static_cast<double>(duration));
}

QString modeText(const engine::RunInfo& info)
{
    const QString text = fromUtf8(engine::modeAdjective(info.mode));
    return info.isOversubscribed() ? RunDocument::tr("%1, oversubscribed").arg(text) : text;
}

bool hasIterations(const engine::Run* run)
{
    return run != nullptr && !run->timeline.iterations.empty();
}

std::optional<std::pair<int, int>> measuredNumbers(const engine::Timeline& timeline)
{
    std::optional<std::pair<int, int>> numbers;
    for (const engine::Iteration& one : timeline.iterations)
        if (one.kind == engine::Iteration::Kind::Measured)
            numbers = {numbers ? numbers->first : one.number, one.number};
    return numbers;
}

QString iterationName(engine::Iteration::Kind kind, int number)
{
    using Kind = engine::Iteration::Kind;
    if (kind == Kind::Replay)
        return RunDocument::tr("typical ops");
    return kind == Kind::Warmup ? RunDocument::tr("warm-up %1").arg(number)
                                : QString::number(number);
}

QString iterationName(const engine::Timeline& timeline, int iteration)
{
    if (iteration < 0 || iteration >= static_cast<int>(timeline.iterations.size()))
        return {};
    const engine::Iteration& chosen = timeline.iterations[static_cast<std::size_t>(iteration)];
    return iterationName(chosen.kind, chosen.number);
}

int allIterations(const engine::RunInfo& info)
{
    return static_cast<int>(
        std::min<std::int64_t>(std::int64_t{info.plannedWarmup} + info.plannedIterations,
                               std::numeric_limits<int>::max()));
}

QString keptSentence(const engine::Run* run)
{
    if (!hasIterations(run))
        return RunDocument::tr("Nothing was recorded.");
    const auto measured = measuredNumbers(run->timeline);
    if (!measured)
        return RunDocument::tr("Only warm-up iterations were recorded, so there are no results. "
                               "The recording was kept.");
    const auto [first, last] = *measured;
    if (first == last)
        return RunDocument::tr("Iteration %1 is complete and was kept.").arg(first);
    return RunDocument::tr("Iterations %1–%2 are complete and were kept.").arg(first).arg(last);
}

namespace {

WorkerEvent::Kind kindOf(const QString& name)
{
    using Kind = WorkerEvent::Kind;
    static constexpr struct
    {
        const char* name;
        Kind kind;
    } kKinds[] = {{"started", Kind::Started},     {"rows", Kind::Rows},
                  {"iteration", Kind::Iteration}, {"points", Kind::Points},
                  {"warning", Kind::Warning},     {"locked", Kind::Locked},
                  {"finishing", Kind::Finishing}, {"finished", Kind::Finished},
                  {"failed", Kind::Failed},       {"ops", Kind::Ops}};
    for (const auto& known : kKinds)
        if (name == QLatin1String(known.name))
            return known.kind;
    return Kind::Other;
}

} // namespace

std::optional<WorkerEvent> parseWorkerEvent(const QByteArray& line)
{
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    const QJsonValue name = object.value(QStringLiteral("event"));
    if (!name.isString())
        return {};
    WorkerEvent event;
    event.kind = kindOf(name.toString());
    event.run = object.value(QStringLiteral("run")).toInt(-1);
    event.time = object.value(QStringLiteral("t")).toDouble();
    event.file = object.value(QStringLiteral("file")).toString();
    event.build = object.value(QStringLiteral("build")).toString();
    event.outcome = object.value(QStringLiteral("outcome")).toString();
    event.message = object.value(QStringLiteral("message")).toString();
    event.iterations = object.value(QStringLiteral("iterations")).toInt();
    event.warmup = object.value(QStringLiteral("warmup")).toInt();
    event.index = object.value(QStringLiteral("index")).toInt(-1);
    if (const QJsonValue loss = object.value(QStringLiteral("loss")); loss.isDouble())
        event.loss = loss.toDouble();
    event.duration = object.value(QStringLiteral("duration")).toDouble();
    event.rows = object.value(QStringLiteral("last")).toInteger();
    event.done = object.value(QStringLiteral("done")).toInteger();
    event.all = object.value(QStringLiteral("all")).toInteger();
    for (const QJsonValue one : object.value(QStringLiteral("devices")).toArray())
        event.devices.push_back(one.toInt());
    event.left = object.value(QStringLiteral("left")).toDouble();
    return event;
}

namespace {

QString ownBuild()
{
    const std::string_view build = engine::buildId();
    return QString::fromUtf8(build.data(), static_cast<qsizetype>(build.size()));
}

} // namespace

QString workerProgram()
{
    QString chosen = Settings().value(key::kWorker).toString();
    if (!chosen.isEmpty())
        return chosen;
    const QString beside
        = QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("bscope"));
    return QFileInfo(beside).isExecutable() ? beside : QString();
}

RunProcess::RunProcess(QObject* parent)
    : QObject(parent)
{
    for (QProcess* process : {&m_version, &m_worker}) {
        process->setProcessChannelMode(QProcess::MergedChannels);
        process->setStandardInputFile(QProcess::nullDevice());
        // The worker must not outlive its window, so it gets SIGTERM when the window exits. It then
        // keeps the complete iterations. SIGINT would not work, because a shell script starts
        // background programs with SIGINT ignored.
        process->setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
        connect(&m_killTimer, &QTimer::timeout, process, &QProcess::kill);
        connect(process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                end(WorkerEnd::How::Refused,
                    tr("%1 cannot be started; reinstall Bubblescope.").arg(m_program));
        });
    }
    connect(&m_version, &QProcess::finished, this, &RunProcess::versionAnswered);
    connect(&m_worker, &QProcess::readyRead, this, &RunProcess::readLines);
    connect(&m_worker, &QProcess::finished, this, &RunProcess::workerFinished);
    m_killTimer.setSingleShot(true);
    setPatience(std::chrono::seconds(Settings().value(key::kPatience).toInt()));
}

RunProcess::~RunProcess()
{
    for (QProcess* process : {&m_version, &m_worker}) {
        process->disconnect(this);
        process->kill();
    }
}

void RunProcess::start(const QString& program, const QStringList& arguments)
{
    m_program = program.isEmpty() ? workerProgram() : program;
    m_arguments = arguments;
    m_isStopping = false;
    for (QString* text : {&m_outcome, &m_failure, &m_lastLine})
        text->clear();
    m_isRunning = true;
    if (m_program.isEmpty())
        end(WorkerEnd::How::Refused,
            tr("bscope is not in the folder of this program; reinstall Bubblescope."));
    else
        launch(m_version, {QStringLiteral("--version"), QStringLiteral("--json")});
}

void RunProcess::versionAnswered()
{
    if (!m_isRunning)
        return;
    const QByteArray answer = m_version.readAll();
    const QString build
        = QJsonDocument::fromJson(answer).object().value(QStringLiteral("build")).toString();
    if (m_isStopping)
        end(WorkerEnd::How::Cancelled, tr("Stopped before the run began."));
    else if (build == ownBuild())
        launch(m_worker, m_arguments);
    else
        end(WorkerEnd::How::Refused,
            tr("%1 is build %2, but this window is build %3; install both together.")
                .arg(m_program, build.isEmpty() ? tr("unknown") : build, ownBuild()));
}

void RunProcess::stop()
{
    if (!m_isRunning || m_isStopping)
        return;
    // Resumes the worker, which would not react to the signal while it is suspended.
    setPaused(false);
    m_isStopping = true;
    if (m_worker.processId() > 0)
        ::kill(static_cast<pid_t>(m_worker.processId()), SIGTERM);
    m_killTimer.start();
}

void RunProcess::setPaused(bool paused)
{
    if (!m_isRunning || paused == m_isPaused || m_worker.processId() <= 0)
        return;
    m_isPaused = paused;
    ::kill(static_cast<pid_t>(m_worker.processId()), paused ? SIGSTOP : SIGCONT);
}

void RunProcess::readLines()
{
    while (m_worker.canReadLine())
        handleLine(m_worker.readLine().trimmed());
}

void RunProcess::handleLine(const QByteArray& line)
{
    if (line.isEmpty())
        return;
    const std::optional<WorkerEvent> parsed = parseWorkerEvent(line);
    if (!parsed) {
        m_lastLine = QString::fromUtf8(line);
        Q_EMIT lineReceived(m_lastLine);
        return;
    }
    if (parsed->kind == WorkerEvent::Kind::Finished)
        m_outcome = parsed->outcome;
    if (parsed->kind == WorkerEvent::Kind::Failed)
        m_failure = parsed->message;
    Q_EMIT eventReceived(*parsed);
}

void RunProcess::workerFinished(int code, QProcess::ExitStatus status)
{
    readLines();
    handleLine(m_worker.readAll().trimmed()); // the last line may lack a newline
    if (m_isStopping)
        end(WorkerEnd::How::Cancelled,
            status == QProcess::CrashExit ? tr("The worker stopped responding and was terminated.")
                                          : QString());
    else if (status == QProcess::CrashExit)
        end(WorkerEnd::How::Killed, tr("Killed by signal %1.").arg(code));
    else if (!m_failure.isEmpty())
        end(WorkerEnd::How::Failed, m_failure);
    else if (code != 0)
        end(WorkerEnd::How::Failed,
            m_lastLine.isEmpty() ? tr("The worker ended with status %1.").arg(code) : m_lastLine);
    else
        end(m_outcome == QLatin1String("cancelled") ? WorkerEnd::How::Cancelled
                                                    : WorkerEnd::How::Finished,
            {});
}

void RunProcess::end(WorkerEnd::How how, const QString& text)
{
    if (!m_isRunning)
        return;
    m_isRunning = false;
    m_killTimer.stop();
    Q_EMIT ended({how, text});
}

namespace {

// Returns the number of leading iterations in which every op has a span. It is 0 for an imported
// run with gaps and for a file that stores its spans device by device.
std::size_t completeIterations(const engine::Run& run)
{
    std::vector<std::size_t> spans(run.timeline.iterations.size(), 0);
    for (const engine::Track& track : run.timeline.tracks) {
        for (const engine::Span& span : track.spans)
            ++spans[span.iteration];
    }
    const std::size_t ops = engine::opCount(run.schedule);
    return static_cast<std::size_t>(
        std::ranges::find_if_not(spans, [&](std::size_t count) { return count == ops; })
        - spans.begin());
}

// Returns the leading, complete iterations of a run that is being read; nullptr if there are none.
RunPointer beginningOf(const engine::Run& run)
{
    const std::size_t count = completeIterations(run);
    if (count == 0)
        return nullptr;
    auto beginning = std::make_shared<engine::Run>(run);
    engine::Timeline& timeline = beginning->timeline;
    timeline.iterations.resize(count);
    for (engine::Track& track : timeline.tracks)
        std::erase_if(track.spans, [&](const engine::Span& s) { return s.iteration >= count; });
    const std::int64_t end = timeline.iterations.back().window.end;
    std::erase_if(timeline.memory, [&](const engine::MemoryEvent& m) { return m.time > end; });
    return beginning;
}

} // namespace

struct RunLoader::Step
{
    RunPointer begun; // the first iterations; nullptr except after the first of several steps
    bool more = false;
    double share = 1;
    QString failure;
};

// The state of a load. Only one step at a time uses it.
struct RunLoader::Reading
{
    std::string file;
    std::optional<profiler::TraceReader> reader;
    std::shared_ptr<engine::Run> run = std::make_shared<engine::Run>();

    Step step();
    engine::Result<profiler::TraceReader::Chunk> next();
};

engine::Result<profiler::TraceReader::Chunk> RunLoader::Reading::next()
{
    if (!reader)
        reader = TRY(profiler::TraceReader::open(file));
    auto chunk = reader->pollChunk(*run);
    if (chunk && !chunk->more)
        TRY(profiler::checkHasOps(*run, file));
    return chunk;
}

RunLoader::Step RunLoader::Reading::step()
{
    const bool isFirst = !reader;
    const auto chunk = next();
    if (!chunk)
        return {nullptr, false, 0, QString::fromStdString(chunk.error().message)};
    Step step{nullptr, chunk->more, chunk->share, {}};
    if (isFirst && step.more)
        step.begun = beginningOf(*run);
    return step;
}

RunLoader::RunLoader(QObject* parent)
    : QObject(parent)
    , m_background(this)
{ }

void RunLoader::load(const QString& file)
{
    m_reading = std::make_shared<Reading>();
    m_reading->file = file.toStdString();
    readOn();
}

void RunLoader::readOn()
{
    m_background.run([reading = m_reading] { return reading->step(); },
                     [this, reading = m_reading](const Step& step) {
                         if (reading == m_reading)
                             take(step);
                     });
}

void RunLoader::take(const Step& step)
{
    if (step.more) {
        readOn();
        Q_EMIT progressed(step.share);
        if (step.begun)
            Q_EMIT begun(step.begun);
        return;
    }
    const auto done = std::exchange(m_reading, nullptr);
    if (step.failure.isEmpty())
        Q_EMIT loaded(done->run, QString::fromStdString(done->reader->warning()));
    else
        Q_EMIT failed(step.failure);
}

namespace {

// The time for which a read waits for the lock of another program. If the lock lasts longer, the
// read fails, the lock is reported, and the next read continues.
constexpr std::chrono::milliseconds kLockWait{1000};

} // namespace

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
          [pool = m_pool](std::monostate) {
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

} // namespace app
