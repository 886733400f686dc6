#include "app/documents/run_library.h"

#include "app/documents/run_ledger.h"
#include "app/ui/text.h"
#include "engine/base/new_file.h"
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

std::function<std::filesystem::path(int)> newRunNames(const QStringList& options)
{
    const bool isFromFile = options.contains(QStringLiteral("--schedule"));
    return runFileNames(nameOf(
        isFromFile ? QStringLiteral("file") : optionValue(options, "--scheme", "bitpipe"),
        optionValue(options, "--devices", "4"), optionValue(options, "--micro-batches", "8")));
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

RunLibrary::RunLibrary(QObject* parent)
    : QObject(parent)
    , m_runs(new RunsModel(this))
{ }

RunLibrary::~RunLibrary() = default;

std::shared_ptr<RunDocument> RunLibrary::newDocument(const QString& file)
{
    auto document = std::make_shared<RunDocument>(file, ++m_lastNumber);
    m_sessions.push_back(std::make_unique<RunSession>(document));
    if (m_patience)
        m_sessions.back()->process().setPatience(*m_patience);
    connect(document.get(), &RunDocument::stateChanged, this, [this, read = document.get()] {
        if (read->state() == RunDocument::State::Finished && read->run())
            Q_EMIT runRead(read->file(), read->run());
    });
    m_runs->add(document);
    return document;
}

std::shared_ptr<RunDocument> RunLibrary::open(const QString& file)
{
    if (auto known = m_runs->find(file)) {
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
    auto document = newDocument(QFileInfo(file).absoluteFilePath());
    m_sessions.back()->open();
    return document;
}

std::shared_ptr<RunDocument> RunLibrary::openAgain(const std::shared_ptr<RunDocument>& document)
{
    const bool isShown = document->run() && m_runs->rowOf(document.get()) >= 0;
    return isShown || document->file().isEmpty() ? document : open(document->file());
}

std::shared_ptr<RunDocument> RunLibrary::start(const QStringList& options)
{
    const auto names = newRunNames(options);
    auto reserved = engine::ReservedName::firstFree(names);
    const bool mustWait = isAnyRunning() || queued() > 0;
    // If no name can be reserved, the folder for runs cannot be created. The session then reports
    // it.
    auto document
        = newDocument(QString::fromStdString((reserved ? reserved->path() : names(1)).string()));
    if (reserved)
        m_sessions.back()->keepName(std::move(*reserved));
    document->expectLabel(schemeTitle(optionValue(options, "--scheme", "bitpipe")));
    connect(document.get(), &RunDocument::stateChanged, this, &RunLibrary::startNext,
            Qt::QueuedConnection);
    connect(document.get(), &RunDocument::progressChanged, this, [this, one = document.get()] {
        if (!one->isQueued()) // estimate() changes the progress of queued runs
            estimate();
    });
    connect(document.get(), &RunDocument::stateChanged, this, &RunLibrary::queueChanged);
    if (mustWait)
        m_sessions.back()->queue(options);
    else
        m_sessions.back()->start(m_program, options);
    return document;
}

int RunLibrary::queued() const
{
    return static_cast<int>(std::ranges::count_if(
        m_sessions, [](const auto& one) { return one->document()->isQueued(); }));
}

QList<QStringList> RunLibrary::queuedOptions() const
{
    QList<QStringList> options;
    for (const auto& one : m_sessions)
        if (one->document()->isQueued())
            options.append(one->document()->options());
    return options;
}

void RunLibrary::startNext()
{
    if (m_isQueueHeld || isAnyRunning())
        return;
    const auto next = std::ranges::find_if(
        m_sessions, [](const auto& one) { return one->document()->isQueued(); });
    if (next != m_sessions.end())
        (*next)->startQueued(m_program);
}

void RunLibrary::holdQueue(bool held)
{
    m_isQueueHeld = held;
    startNext();
}

void RunLibrary::moveInQueue(const RunDocument& document, int by)
{
    const auto isQueued = [](const auto& one) { return one->document()->isQueued(); };
    auto at = std::ranges::find_if(
        m_sessions, [&](const auto& one) { return one->document().get() == &document; });
    if (at == m_sessions.end() || !isQueued(*at))
        return;
    for (; by != 0; by += by < 0 ? 1 : -1) {
        auto other = at;
        if (by > 0) {
            other = std::find_if(std::next(at), m_sessions.end(), isQueued);
        } else {
            const auto before
                = std::find_if(std::make_reverse_iterator(at), m_sessions.rend(), isQueued);
            other = before == m_sessions.rend() ? m_sessions.end() : std::prev(before.base());
        }
        if (other == m_sessions.end())
            return;
        m_runs->swap((*at)->document().get(), (*other)->document().get());
        std::iter_swap(at, other);
        at = other;
    }
    Q_EMIT queueChanged();
}

void RunLibrary::estimate()
{
    // Rate by kind of run. A newer run replaces older ones, because its rate is the most accurate.
    std::map<QString, double> secondsPerFlop;
    for (const auto& one : m_sessions) {
        const RunProgress& progress = one->document()->progress();
        if (progress.done > 0 && progress.planned > 0 && one->work().flops > 0)
            secondsPerFlop[one->work().kind]
                = progress.secondsSoFar * progress.planned / (one->work().flops * progress.done);
    }
    for (const auto& one : m_sessions) {
        if (!one->document()->isQueued())
            continue;
        const auto rate = secondsPerFlop.find(one->work().kind);
        RunProgress progress = one->document()->progress();
        progress.secondsLeft = rate == secondsPerFlop.end() ? -1 : rate->second * one->work().flops;
        one->document()->setProgress(progress);
    }
}

std::shared_ptr<RunDocument> RunLibrary::add(engine::Run run)
{
    auto document = std::make_shared<RunDocument>(QString(), ++m_lastNumber);
    document->setRun(std::make_shared<const engine::Run>(std::move(run)));
    document->setState(RunDocument::State::Finished);
    m_runs->add(document);
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
    if (RunSession* closed = session(document))
        closed->stop();
    m_runs->remove(&document);
    std::erase_if(m_sessions,
                  [&](const auto& session) { return session->document().get() == &document; });
    Q_EMIT queueChanged();
}

bool RunLibrary::isAnyRunning() const
{
    return std::ranges::any_of(m_sessions,
                               [](const auto& one) { return one->document()->isRunning(); });
}

RunSession* RunLibrary::session(const RunDocument& document) const
{
    const auto found = std::ranges::find_if(
        m_sessions, [&](const auto& one) { return one->document().get() == &document; });
    return found == m_sessions.end() ? nullptr : found->get();
}

} // namespace app
