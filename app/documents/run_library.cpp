#include "app/documents/run_library.h"

#include "app/ui/setting_table.h"
#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/schedules/scheme.h"
#include "profiler/store/trace_store.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace app {
namespace {

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
