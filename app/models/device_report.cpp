#include "app/models/device_report.h"

#include "app/models/numbers.h"
#include "app/models/text.h"
#include "profiler/analysis/measure.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace app {
namespace {

QString deviceLabel(const char* source)
{
    return QCoreApplication::translate("DeviceReport", source);
}

QString jsonText(const QJsonObject& object, const char* key)
{
    return object.value(QLatin1String(key)).toString();
}

QString memoryFact(const QJsonObject& object, const char* source)
{
    const auto bytes = object.value(QLatin1String("memory_bytes")).toInteger();
    return deviceLabel(source).arg(fromUtf8(profiler::bytesText(bytes)));
}

DeviceEntry cpuEntry(const QJsonObject& cpu)
{
    DeviceEntry entry{true, jsonText(cpu, "name"), {}};
    entry.facts.append(countOf(cpu.value(QLatin1String("cores")).toInt(), "core")
                       + QStringLiteral(", ") + memoryFact(cpu, "%1 of memory free"));
    if (const QString blas = jsonText(cpu, "blas"); !blas.isEmpty())
        entry.facts.append(blas);
    QStringList modes;
    for (const QJsonValue mode : cpu.value(QLatin1String("modes")).toArray())
        modes.append(mode.toString());
    entry.facts.append(deviceLabel("Modes: %1").arg(modes.join(QStringLiteral(", "))));
    return entry;
}

DeviceEntry gpuEntry(const QJsonObject& gpu)
{
    DeviceEntry entry{true, jsonText(gpu, "name"), {}};
    entry.facts.append(memoryFact(gpu, "%1 of memory")
                       + deviceLabel(", compute capability %1, %2 SMs")
                             .arg(jsonText(gpu, "compute_capability"))
                             .arg(gpu.value(QLatin1String("multiprocessors")).toInt()));
    const int partition = gpu.value(QLatin1String("smallest_partition")).toInt();
    entry.facts.append(partition > 0
                           ? deviceLabel("Partitions of %1 SMs or more").arg(partition)
                           : deviceLabel("No partitions: several devices need several GPUs"));
    if (const QString fallback = jsonText(gpu, "fallback"); !fallback.isEmpty())
        entry.facts.append(fallback);
    return entry;
}

DeviceEntry libraryEntry(const QJsonObject& library)
{
    const QString reason = jsonText(library, "reason");
    return {reason.isEmpty(),
            (jsonText(library, "name") + QLatin1Char(' ') + jsonText(library, "version")).trimmed(),
            {reason.isEmpty() ? jsonText(library, "file") : reason}};
}

} // namespace

DeviceReport deviceReport(const QByteArray& json)
{
    const QJsonObject all = QJsonDocument::fromJson(json).object();
    DeviceReport report;
    for (const QJsonValue device : all.value(QLatin1String("devices")).toArray())
        if (jsonText(device.toObject(), "kind") == QStringLiteral("cpu"))
            report.devices.push_back(cpuEntry(device.toObject()));
    const QJsonObject cuda = all.value(QLatin1String("cuda")).toObject();
    for (const QJsonValue gpu : cuda.value(QLatin1String("devices")).toArray())
        report.devices.push_back(gpuEntry(gpu.toObject()));
    for (const QJsonValue missing : all.value(QLatin1String("unavailable")).toArray()) {
        const bool isGpu = jsonText(missing.toObject(), "kind") == QStringLiteral("cuda");
        report.devices.push_back(
            {false,
             isGpu ? deviceLabel("No NVIDIA GPU") : deviceLabel("The CPU cannot train"),
             {capitalized(jsonText(missing.toObject(), "reason"))}});
    }
    for (const QJsonValue library : cuda.value(QLatin1String("libraries")).toArray())
        report.libraries.push_back(libraryEntry(library.toObject()));
    if (report.devices.empty())
        report.problem = deviceLabel("The output of bscope devices names no device. Run bscope "
                                     "devices in a terminal to see it.");
    return report;
}

QString DeviceReport::text() const
{
    QStringList lines;
    for (const auto* part : {&devices, &libraries})
        for (const DeviceEntry& entry : *part) {
            lines.append(entry.title);
            for (const QString& fact : entry.facts)
                lines.append(QStringLiteral("    ") + fact);
        }
    return problem.isEmpty() ? lines.join(QLatin1Char('\n')) : problem;
}

} // namespace app
