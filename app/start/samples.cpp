#include "app/start/samples.h"

#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "profiler/store/trace_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>

namespace app {
namespace {

engine::ScheduleRequest of(const char* scheme, int devices, int microBatches)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return request;
}

// Each build has its own folder, so that runs of another build are not shown.
QString sampleFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation)
        + QStringLiteral("/bubblescope/samples-") + fromUtf8(engine::buildId());
}

QString fileOf(const engine::ScheduleRequest& request)
{
    return sampleFolder()
        + QStringLiteral("/%1-D%2-N%3.sqlite")
              .arg(QString::fromStdString(request.scheme))
              .arg(request.devices)
              .arg(request.microBatches);
}

// The recorded runs of the sample; empty unless all of them exist.
QStringList recordedFiles(const Sample& sample)
{
    const QString folder = recordedSampleFolder(QCoreApplication::applicationDirPath());
    if (folder.isEmpty())
        return {};
    QStringList files;
    for (const engine::ScheduleRequest& request : sample.runs) {
        files.append(QStringLiteral("%1/%2-d%3-n%4.sqlite")
                         .arg(folder, QString::fromStdString(request.scheme))
                         .arg(request.devices)
                         .arg(request.microBatches));
        if (!QFileInfo(files.back()).isReadable())
            return {};
    }
    return files;
}

engine::Result<void> writeSample(const engine::ScheduleRequest& request, const QString& file)
{
    auto prediction = TRY(predict(PredictionRequest{.schedule = request}));
    engine::Run run = *prediction.run;
    run.info.command = "bscope simulate --scheme " + request.scheme + " --devices "
        + std::to_string(request.devices) + " --micro-batches "
        + std::to_string(request.microBatches);
    run.info.program = engine::buildId();
    return profiler::writeRun(file.toStdString(), run, engine::IfExists::Replace);
}

} // namespace

std::vector<Sample> samples()
{
    std::vector<Sample> all = {
        {"BitPipe and 1F1B",
         "Two runs on one time axis.",
         {of("1f1b", 4, 8), of("bitpipe", 4, 8)},
         {}},
        {"BitPipe", "Two directions, two chunks per device.", {of("bitpipe", 4, 8)}, {}},
        {"1F1B", "Alternates forward and backward.", {of("1f1b", 4, 8)}, {}},
        {"GPipe", "All forwards first, so all stashes are kept.", {of("gpipe", 4, 8)}, {}},
        {"GPipe and 1F1B",
         "Equal bubble, different memory.",
         {of("gpipe", 4, 8), of("1f1b", 4, 8)},
         {}},
        {"BitPipe on eight devices",
         "Sixteen stages, eight micro-batches.",
         {of("bitpipe", 8, 8)},
         {}},
    };
    std::erase_if(all, [](const Sample& sample) {
        return std::ranges::any_of(sample.runs, [](const engine::ScheduleRequest& request) {
            return engine::findScheme(request.scheme) == nullptr;
        });
    });
    if (!all.empty())
        all.front().recorded = recordedFiles(all.front());
    return all;
}

QString recordedSampleFolder(const QString& programFolder)
{
    constexpr const char* kPlaces[] = {"../share/bubblescope/sample_runs", "../../../sample_runs"};
    for (const char* place : kPlaces) {
        QString folder
            = QDir::cleanPath(programFolder + QLatin1Char('/') + QString::fromLatin1(place));
        if (QFileInfo(folder).isDir())
            return folder;
    }
    return {};
}

engine::Result<QStringList> sampleFiles(const Sample& sample)
{
    if (!sample.recorded.isEmpty())
        return sample.recorded;
    if (!QDir().mkpath(sampleFolder()))
        return engine::fail(
            engine::Error::Code::Io,
            sampleFolder().toStdString()
                + ": the folder cannot be created; set XDG_CACHE_HOME to a writable folder");
    QStringList files;
    for (const engine::ScheduleRequest& request : sample.runs) {
        const QString file = fileOf(request);
        if (!QFileInfo::exists(file))
            TRY(writeSample(request, file));
        files.append(file);
    }
    return files;
}

} // namespace app
