#include "app/study/study_session.h"

#include "engine/base/new_file.h"
#include "engine/base/version.h"
#include "profiler/study/edit_study.h"
#include "profiler/study/run_study.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QStandardPaths>

#include <algorithm>
#include <utility>

namespace app {
namespace {

using profiler::Study;

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

StudyPointer withResults(const StudyData& empty, const QString& folder)
{
    auto stored = profiler::storedResults(empty.study, folder.toStdString());
    if (!stored)
        return nullptr;
    auto data = std::make_shared<StudyData>(empty);
    data->results = *std::move(stored);
    for (const profiler::StudyResult& result : data->results) {
        data->done += result.isDone ? 1 : 0;
        data->refused += result.error.empty() ? 0 : 1;
    }
    return data;
}

QString rootIn(QStandardPaths::StandardLocation location)
{
    return QStandardPaths::writableLocation(location) + QStringLiteral("/bubblescope/studies");
}

} // namespace

QString studyCache()
{
    return rootIn(QStandardPaths::GenericCacheLocation);
}

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
    connect(&m_process, &RunProcess::eventReceived, this, &StudySession::workerSaid);
    connect(&m_process, &RunProcess::ended, this, &StudySession::workerEnded);
}

void StudySession::prepare(const Study& study)
{
    ++m_number;
    m_study = std::make_shared<const StudyData>(study);
    m_toml = profiler::studyToml(study);
    m_folder = studyFolder(study);
    m_end.reset();
    m_seconds = 0;
    m_isReading = m_readsAgain = false; // the result of a read that has not ended will be dropped
}

void StudySession::open(const Study& study)
{
    prepare(study);
    read();
}

void StudySession::start(const Study& study)
{
    if (m_isRunning)
        return;
    prepare(study);
    m_isRunning = true;
    m_isCancelled = false;
    m_clock.start();
    m_background.run(
        [folder = m_folder, toml = m_toml] {
            cleanStudyCache(studyCache(), kMostCachedStudies, folder);
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
                    {QStringLiteral("study"), tomlFile(m_folder), QStringLiteral("--progress"),
                     QStringLiteral("jsonl"), QStringLiteral("-o"), m_folder});
}

void StudySession::cancel()
{
    m_isCancelled = m_isRunning;
    m_process.stop();
}

// Only one read runs at a time. If read() is called during a read, one more read follows.
void StudySession::read()
{
    if (m_isReading) {
        m_readsAgain = true;
        return;
    }
    m_isReading = true;
    m_background.run([study = m_study, folder = m_folder] { return withResults(*study, folder); },
                     [this, number = m_number](const StudyPointer& data) {
                         if (number != m_number)
                             return;
                         m_isReading = false;
                         if (data != nullptr) // nullptr: the worker is still creating the file
                             Q_EMIT dataRead(data);
                         if (std::exchange(m_readsAgain, false))
                             read();
                         else if (m_end)
                             finish();
                     });
}

void StudySession::workerSaid(const WorkerEvent& event)
{
    if (event.kind != WorkerEvent::Kind::Points)
        return;
    Q_EMIT progressed(event.done, event.all, event.left);
    if (event.done < event.all) // after the last point, workerEnded() reads
        read();
}

void StudySession::workerEnded(const WorkerEnd& end)
{
    m_seconds = static_cast<double>(m_clock.elapsed()) / 1e3;
    m_end = end;
    read();
}

void StudySession::finish()
{
    const WorkerEnd end = *std::exchange(m_end, std::nullopt);
    m_isRunning = false;
    Q_EMIT ended(end);
}

} // namespace app
