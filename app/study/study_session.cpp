#include "app/study/study_session.h"

#include "app/documents/run_library.h"
#include "engine/base/new_file.h"
#include "engine/base/version.h"
#include "profiler/study/run_study.h"
#include "profiler/study/study_file.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QStandardPaths>

#include <algorithm>
#include <utility>

namespace app {
namespace {

using profiler::Study;

// The largest size of the cache of simulated studies in bytes. Before a study starts, the folders
// that were computed least recently are removed until the cache has at most this size. The results
// of runs are user data and are not removed.
constexpr qint64 kMostCachedStudies = qint64{500} << 20;

QString tomlFile(const QString& folder)
{
    return QDir(folder).filePath(QStringLiteral("study.toml"));
}

// Writes the TOML of a study. Returns why the file cannot be written; "" if it was written.
QString writeToml(const QString& folder, const std::string& toml)
{
    if (!QDir().mkpath(folder))
        return StudySession::tr("The folder %1 cannot be created; rename the file of that name.")
            .arg(folder);
    const auto saved
        = engine::saveFile(tomlFile(folder).toStdString(), toml, engine::IfExists::Replace);
    return saved ? QString() : QString::fromStdString(saved.error().message);
}

QString rootIn(QStandardPaths::StandardLocation location)
{
    return QStandardPaths::writableLocation(location) + QStringLiteral("/bubblescope/studies");
}

} // namespace

QString studyFolder(const Study& study)
{
    const bool isSimulated = !study.isMeasured();
    QCryptographicHash hash(QCryptographicHash::Sha1);
    hash.addData(QByteArray::fromStdString(profiler::pointsToml(study)));
    if (isSimulated) // another build may compute other times
        hash.addData(QByteArray::fromStdString(std::string(engine::buildId())));
    const auto location
        = isSimulated ? QStandardPaths::GenericCacheLocation : QStandardPaths::GenericDataLocation;
    return rootIn(location) + QLatin1Char('/')
        + QString::fromLatin1(hash.result().toHex().left(16));
}

void cleanStudyCache(const QString& root, qint64 most, const QString& kept)
{
    struct Folder
    {
        QString path;
        QDateTime used;
        qint64 bytes = 0;
    };
    std::vector<Folder> folders;
    qint64 all = 0;
    for (const QFileInfo& entry : QDir(root).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        Folder folder{entry.absoluteFilePath(), {}, 0};
        for (const QFileInfo& file : QDir(folder.path).entryInfoList(QDir::Files)) {
            folder.bytes += file.size();
            folder.used = std::max(folder.used, file.lastModified());
        }
        all += folder.bytes;
        if (folder.path != QFileInfo(kept).absoluteFilePath())
            folders.push_back(std::move(folder));
    }
    std::ranges::sort(folders, {}, &Folder::used);
    for (const Folder& folder : folders) {
        if (all <= most)
            return;
        QDir(folder.path).removeRecursively();
        all -= folder.bytes;
    }
}

StudySession::StudySession(QObject* parent)
    : QObject(parent)
{
    connect(&m_process, &RunProcess::eventReceived, this, [this](const WorkerEvent& event) {
        if (event.kind != WorkerEvent::Kind::Points)
            return;
        Q_EMIT progressed(event.done, event.all, event.left);
        if (event.done < event.all) // after the last point, workerEnded() reads
            m_reads.ask(m_source);
    });
    connect(&m_process, &RunProcess::ended, this, &StudySession::workerEnded);
}

void StudySession::prepare(const Study& study)
{
    m_reads.drop();
    m_source = {studyFolder(study), study};
    m_end.reset();
    m_seconds = 0;
}

void StudySession::open(const Study& study)
{
    prepare(study);
    m_reads.ask(m_source);
}

void StudySession::start(const Study& study)
{
    if (m_isRunning)
        return;
    prepare(study);
    m_isRunning = true;
    m_isCancelled = false;
    m_clock.start();
    m_preparing.run(
        [folder = m_source.folder, toml = profiler::studyToml(study)] {
            cleanStudyCache(rootIn(QStandardPaths::GenericCacheLocation), kMostCachedStudies,
                            folder);
            return writeToml(folder, toml);
        },
        [this](const QString& problem) { launch(problem); });
}

void StudySession::launch(const QString& problem)
{
    if (m_isCancelled)
        return workerEnded({WorkerEnd::How::Cancelled, {}});
    if (!problem.isEmpty())
        return workerEnded({WorkerEnd::How::Refused, problem});
    m_process.start(m_program,
                    {QStringLiteral("study"), tomlFile(m_source.folder),
                     QStringLiteral("--progress"), QStringLiteral("jsonl"), QStringLiteral("-o"),
                     m_source.folder});
}

void StudySession::cancel()
{
    m_isCancelled = m_isRunning;
    m_process.stop();
}

// Returns nullptr while the worker is still creating the file.
StudyPointer StudySession::read(const Source& source)
{
    auto stored = profiler::storedResults(source.study, source.folder.toStdString());
    return stored ? std::make_shared<const StudyData>(*std::move(stored)) : nullptr;
}

void StudySession::take(const StudyPointer& data)
{
    if (data != nullptr)
        Q_EMIT dataRead(data);
    if (!m_end || m_reads.isBusy())
        return;
    m_isRunning = false;
    Q_EMIT ended(*std::exchange(m_end, std::nullopt));
}

void StudySession::workerEnded(const WorkerEnd& end)
{
    m_seconds = static_cast<double>(m_clock.elapsed()) / 1e3;
    m_end = end;
    m_reads.ask(m_source);
}

PointRuns::PointRuns(QObject* parent)
    : QObject(parent)
{
    // The connection is queued, because m_process cannot start the next worker until its signal
    // ended() has returned.
    connect(&m_process, &RunProcess::ended, this, &PointRuns::ended, Qt::QueuedConnection);
}

void PointRuns::simulate(const std::vector<QStringList>& points)
{
    if (isRunning() || points.empty())
        return;
    m_points = points;
    m_files.clear();
    next();
}

void PointRuns::next()
{
    const auto names = newRunNames(m_points.front());
    int number = 1;
    QString file = QString::fromStdString(names(number).string());
    while (QFileInfo::exists(file))
        file = QString::fromStdString(names(++number).string());
    m_files.append(file);
    m_process.start({},
                    QStringList{QStringLiteral("simulate")} + m_points.front()
                        + QStringList{QStringLiteral("-o"), file});
}

void PointRuns::ended(const WorkerEnd& end)
{
    if (end.how != WorkerEnd::How::Finished) {
        m_points.clear();
        Q_EMIT failed(end.text);
        return;
    }
    m_points.erase(m_points.begin());
    m_points.empty() ? Q_EMIT simulated(m_files) : next();
}

} // namespace app
