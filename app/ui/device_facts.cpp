#include "app/ui/device_facts.h"

#include <QFile>
#include <QFileInfo>
#include <QThread>

namespace app {

QString cpuName(const QString& cpuinfo)
{
    const qsizetype at = cpuinfo.indexOf(QStringLiteral("model name"));
    if (at < 0)
        return QStringLiteral("CPU");
    QString name = cpuinfo.mid(at).section(QLatin1Char('\n'), 0, 0).section(QLatin1Char(':'), 1);
    for (const char* noise : {"(R)", "(TM)", "(r)", "(tm)", " CPU", " Processor"})
        name.remove(QString::fromLatin1(noise));
    name = name.section(QLatin1Char('@'), 0, 0).simplified();
    return name.isEmpty() ? QStringLiteral("CPU") : name;
}

DeviceFacts deviceFacts()
{
    QFile cpuinfo(QStringLiteral("/proc/cpuinfo"));
    const bool isOpen = cpuinfo.open(QIODevice::ReadOnly | QIODevice::Text);
    return {cpuName(isOpen ? QString::fromUtf8(cpuinfo.readAll()) : QString()),
            QThread::idealThreadCount(),
            QFileInfo::exists(QStringLiteral("/proc/driver/nvidia/version"))};
}

} // namespace app
