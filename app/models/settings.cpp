#include "app/models/settings.h"

#include "app/models/numbers.h"
#include "app/models/text.h"
#include "profiler/analysis/metrics.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
#include <QSettings>

namespace app {
namespace {

QString text(const char* source)
{
    return QCoreApplication::translate("Settings", source);
}

const QString kTheme = QStringLiteral("theme");
const QString kGeometry = QStringLiteral("geometry");
const QString kRecent = QStringLiteral("recent");

RecentRun readEntry(const QSettings& settings)
{
    const auto string
        = [&](const char* key) { return settings.value(QString::fromLatin1(key)).toString(); };
    return {string("file"),
            string("title"),
            string("subtitle"),
            string("iteration"),
            string("bubble"),
            string("mode"),
            settings.value(QStringLiteral("opened")).toDateTime(),
            thumbnailFromBytes(settings.value(QStringLiteral("thumbnail")).toByteArray())};
}

void writeEntry(QSettings& settings, const RecentRun& run)
{
    const std::pair<const char*, QVariant> fields[]
        = {{"file", run.file},         {"title", run.title},
           {"subtitle", run.subtitle}, {"iteration", run.iteration},
           {"bubble", run.bubble},     {"mode", run.mode},
           {"opened", run.opened},     {"thumbnail", toBytes(run.thumbnail)}};
    for (const auto& [key, value] : fields)
        settings.setValue(QString::fromLatin1(key), value);
}

} // namespace

RecentRun describeRecent(const QString& file, const engine::Run& run, const QDateTime& now)
{
    RecentRun result;
    result.file = QFileInfo(file).absoluteFilePath();
    result.title = fromUtf8(run.info.label.empty() ? run.info.scheme : run.info.label);
    const QString model = fromUtf8(run.info.model);
    const engine::Shape& shape = run.schedule.shape;
    const QString size = engine::knowsMicroBatches(run.info)
        ? QStringLiteral("%1 \u00D7 %2").arg(shape.devices).arg(shape.microBatches)
        : shapeText(run);
    result.subtitle = model.isEmpty() ? size : model + QStringLiteral(", ") + size;
    result.mode = fromUtf8(engine::modeDescription(run.info));
    if (const auto metrics = profiler::metrics(run)) {
        result.iteration = timeText(metrics->duration, run.info);
        result.bubble = percent(metrics->bubbleRatio);
    }
    result.opened = now;
    result.thumbnail = makeThumbnail(run);
    return result;
}

QString whenText(const QDateTime& then, const QDateTime& now)
{
    const qint64 days = then.date().daysTo(now.date());
    const QString time = then.toString(QStringLiteral("HH:mm"));
    if (days == 0)
        return text("today, %1").arg(time);
    if (days == 1)
        return text("yesterday, %1").arg(time);
    if (days > 1 && days < 7)
        return QLocale::c().dayName(then.date().dayOfWeek());
    const QString format = then.date().year() == now.date().year() ? QStringLiteral("d MMM")
                                                                   : QStringLiteral("d MMM yyyy");
    return QLocale::c().toString(then.date(), format);
}

Settings::Settings()
    : m_settings(std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                             QStringLiteral("bubblescope"),
                                             QStringLiteral("bubblescope")))
{ }

Settings::Settings(const QString& iniFile)
    : m_settings(std::make_unique<QSettings>(iniFile, QSettings::IniFormat))
{ }

Settings::~Settings() = default;

ThemeController::Choice Settings::theme() const
{
    const QString name = m_settings->value(kTheme).toString();
    if (name == QStringLiteral("light"))
        return ThemeController::Choice::Light;
    return name == QStringLiteral("dark") ? ThemeController::Choice::Dark
                                          : ThemeController::Choice::System;
}

void Settings::setTheme(ThemeController::Choice choice)
{
    constexpr const char* kNames[] = {"system", "light", "dark"};
    m_settings->setValue(kTheme, QString::fromLatin1(kNames[static_cast<int>(choice)]));
}

QByteArray Settings::geometry() const
{
    return m_settings->value(kGeometry).toByteArray();
}

void Settings::setGeometry(const QByteArray& geometry)
{
    m_settings->setValue(kGeometry, geometry);
}

std::vector<RecentRun> Settings::recentRuns() const
{
    std::vector<RecentRun> runs;
    const int count = m_settings->beginReadArray(kRecent);
    for (int i = 0; i < count; ++i) {
        m_settings->setArrayIndex(i);
        RecentRun run = readEntry(*m_settings);
        if (QFileInfo::exists(run.file))
            runs.push_back(std::move(run));
    }
    m_settings->endArray();
    return runs;
}

void Settings::addRecent(const RecentRun& run)
{
    std::vector<RecentRun> runs = recentRuns();
    std::erase_if(runs, [&](const RecentRun& other) { return other.file == run.file; });
    runs.insert(runs.begin(), run);
    runs.resize(std::min(runs.size(), kRecentRuns));
    writeRecent(runs);
}

void Settings::clearRecent()
{
    writeRecent({});
}

void Settings::writeRecent(const std::vector<RecentRun>& runs)
{
    m_settings->remove(kRecent);
    m_settings->beginWriteArray(kRecent, static_cast<int>(runs.size()));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        m_settings->setArrayIndex(static_cast<int>(i));
        writeEntry(*m_settings, runs[i]);
    }
    m_settings->endArray();
    m_settings->sync();
}

} // namespace app
