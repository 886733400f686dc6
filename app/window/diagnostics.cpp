#include "app/window/diagnostics.h"

#include "app/ui/device_facts.h"
#include "app/ui/message_log.h"
#include "app/ui/setting_table.h"
#include "app/ui/settings.h"
#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/version.h"

#include <QCoreApplication>
#include <QDir>
#include <QGuiApplication>
#include <QRegularExpression>
#include <QScreen>
#include <QSysInfo>

namespace app {
namespace {

QString diagnosticsLabel(const char* source)
{
    return QCoreApplication::translate("Diagnostics", source);
}

QString factLine(const char* name, const QString& value)
{
    return QStringLiteral("%1: %2\n").arg(QString::fromLatin1(name), value);
}

QString screenSizes()
{
    QStringList all;
    for (const QScreen* screen : QGuiApplication::screens())
        all.append(QStringLiteral("%1 x %2, scale %3")
                       .arg(screen->size().width())
                       .arg(screen->size().height())
                       .arg(screen->devicePixelRatio()));
    return all.join(QStringLiteral("; "));
}

QString aboutText()
{
    const DeviceFacts facts = deviceFacts();
    return factLine("bubblescope", fromUtf8(engine::version()))
        + factLine("build", fromUtf8(engine::buildId()))
        + factLine("Qt",
                   QStringLiteral("%1, compiled with %2")
                       .arg(QString::fromLatin1(qVersion()), QString::fromLatin1(QT_VERSION_STR)))
        + factLine("platform", QGuiApplication::platformName())
        + factLine("system", QSysInfo::prettyProductName())
        + factLine("kernel", QSysInfo::kernelType() + QLatin1Char(' ') + QSysInfo::kernelVersion())
        + factLine("architecture", QSysInfo::currentCpuArchitecture())
        + factLine("processor", QStringLiteral("%1, %2 cores").arg(facts.cpu).arg(facts.cores))
        + factLine("NVIDIA driver",
                   facts.hasNvidiaDriver ? QStringLiteral("found") : QStringLiteral("not found"))
        + factLine("screens", screenSizes());
}

QString settingsText(const Settings& settings)
{
    QString text;
    for (const Setting& one : settingTable())
        text += factLine(one.key, settings.value(one.key).toString());
    return text;
}

QString messagesText(const QStringList& errors)
{
    const QStringList messages = keptMessages();
    return QStringLiteral("Errors of runs\n%1\n\nMessages\n%2\n")
        .arg(errors.isEmpty() ? QStringLiteral("none") : errors.join(QLatin1Char('\n')),
             messages.isEmpty() ? QStringLiteral("none") : messages.join(QLatin1Char('\n')));
}

} // namespace

std::vector<DiagnosticsFile> diagnostics(const Settings& settings, const DiagnosticsFacts& facts)
{
    return {{QStringLiteral("about.txt"),
             diagnosticsLabel("Versions, system, processor and screens"), aboutText()},
            {QStringLiteral("devices.json"),
             diagnosticsLabel("Devices and CUDA libraries, from bscope devices"), facts.devices},
            {QStringLiteral("settings.txt"),
             diagnosticsLabel("The settings, without recent runs and tabs"),
             settingsText(settings)},
            {QStringLiteral("messages.txt"),
             diagnosticsLabel("Last errors of runs and messages of the program"),
             messagesText(facts.errors)}};
}

QString withoutNames(QString text)
{
    const auto hide = [&text](const QString& name, const QString& by) {
        if (name.size() > 1)
            text.replace(QRegularExpression(QStringLiteral("(?<![\\w.-])%1(?![\\w-])")
                                                .arg(QRegularExpression::escape(name))),
                         by);
    };
    const QString home = QDir::homePath();
    if (home.size() > 1)
        text.replace(home, QStringLiteral("~"));
    hide(QDir(home).dirName(), QStringLiteral("USER"));
    hide(qEnvironmentVariable("USER"), QStringLiteral("USER"));
    hide(QSysInfo::machineHostName(), QStringLiteral("HOST"));
    return text;
}

engine::Result<void> saveDiagnostics(const std::vector<DiagnosticsFile>& files,
                                     const QString& folder)
{
    if (!QDir().mkdir(folder))
        return engine::fail(engine::Error::Code::Io,
                            diagnosticsLabel("%1 was not created: choose a writable folder")
                                .arg(folder)
                                .toStdString());
    for (const DiagnosticsFile& file : files) {
        auto saved = engine::saveFile(QDir(folder).filePath(file.name).toStdString(),
                                      file.text.toStdString(), engine::IfExists::Refuse);
        if (!saved)
            return saved;
    }
    return {};
}

} // namespace app
