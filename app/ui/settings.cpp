#include "app/ui/settings.h"

#include "app/ui/numbers.h"
#include "app/ui/setting_table.h"
#include "app/ui/text.h"
#include "profiler/analysis/metrics.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>
#include <QLockFile>
#include <QSettings>

#include <algorithm>

namespace app {
namespace {

QString text(const char* source)
{
    return QCoreApplication::translate("Settings", source);
}

const QString kGeometry = QStringLiteral("geometry");
const QString kRecent = QStringLiteral("recent");
const QString kSession = QStringLiteral("session/tabs");
const QString kTabs = QStringLiteral("tabs"), kCurrent = QStringLiteral("current"),
              kKind = QStringLiteral("kind"), kFiles = QStringLiteral("files"),
              kState = QStringLiteral("state");
const QString kRestoring = QStringLiteral("session/restoring"),
              kSearches = QStringLiteral("runs/searches");

RecentRun readEntry(const QSettings& settings)
{
    const auto string
        = [&](const char* key) { return settings.value(QString::fromLatin1(key)).toString(); };
    return {string("file"), string("title"), settings.value(QStringLiteral("opened")).toDateTime(),
            thumbnailFromBytes(settings.value(QStringLiteral("thumbnail")).toByteArray())};
}

void writeEntry(QSettings& settings, const RecentRun& run)
{
    const std::pair<const char*, QVariant> fields[] = {{"file", run.file},
                                                       {"title", run.title},
                                                       {"opened", run.opened},
                                                       {"thumbnail", toBytes(run.thumbnail)}};
    for (const auto& [key, value] : fields)
        settings.setValue(QString::fromLatin1(key), value);
}

} // namespace

RecentRun describeRecent(const QString& file, const engine::Run& run, const QDateTime& now)
{
    RecentRun result;
    result.file = QFileInfo(file).absoluteFilePath();
    result.title = fromUtf8(run.info.label.empty() ? run.info.scheme : run.info.label);
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
{
    replaceDamagedFile();
}

Settings::Settings(const QString& iniFile)
    : m_settings(std::make_unique<QSettings>(iniFile, QSettings::IniFormat))
{
    replaceDamagedFile();
}

Settings::~Settings() = default;

void Settings::replaceDamagedFile()
{
    if (m_settings->status() != QSettings::FormatError)
        return;
    const QString file = m_settings->fileName(), kept = file + QStringLiteral(".damaged");
    QFile::remove(kept);
    QFile::rename(file, kept);
    m_settings = std::make_unique<QSettings>(file, QSettings::IniFormat);
    m_problem = text("The settings file was damaged, so the defaults are used. The damaged file "
                     "was kept as %1.")
                    .arg(kept);
}

Session Settings::session() const
{
    const QJsonObject object
        = QJsonDocument::fromJson(m_settings->value(kSession).toString().toUtf8()).object();
    const QJsonArray tabs = object.value(kTabs).toArray();
    Session session;
    for (int i = 0; i < std::min(kMostTabs, tabs.size()); ++i) {
        const QJsonObject tab = tabs.at(i).toObject();
        QStringList files;
        for (const QJsonValue file : tab.value(kFiles).toArray())
            files.append(file.toString());
        session.tabs.push_back({tab.value(kKind).toString(), files, tab.value(kState).toObject()});
    }
    session.current
        = std::clamp(object.value(kCurrent).toInt(), 0, static_cast<int>(session.tabs.size()));
    return session;
}

void Settings::setSession(const Session& session)
{
    QJsonArray tabs;
    for (const SessionTab& tab : session.tabs)
        tabs.append(QJsonObject{{kKind, tab.kind},
                                {kFiles, QJsonArray::fromStringList(tab.files)},
                                {kState, tab.state}});
    const QJsonObject object{{kTabs, tabs}, {kCurrent, session.current}};
    m_settings->setValue(kSession,
                         QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact)));
}

bool Settings::takeSession()
{
    if (m_sessionLock == nullptr) {
        m_sessionLock
            = std::make_unique<QLockFile>(m_settings->fileName() + QLatin1String(".open"));
        m_sessionLock->setStaleLockTime(0); // a lock is stale when its process has ended
    }
    return m_sessionLock->isLocked() || m_sessionLock->tryLock(0)
        || m_sessionLock->error() != QLockFile::LockFailedError;
}

void Settings::leaveSession()
{
    m_sessionLock.reset();
}

bool Settings::isRestoring() const
{
    return m_settings->value(kRestoring, false).toBool();
}

void Settings::setRestoring(bool restoring)
{
    m_settings->setValue(kRestoring, restoring);
    m_settings->sync();
}

QVariant Settings::value(const char* key) const
{
    const Setting& of = setting(key);
    return of.valid(m_settings->value(QString::fromLatin1(key), of.byDefault));
}

void Settings::setValue(const char* key, const QVariant& value)
{
    m_settings->setValue(QString::fromLatin1(key), value);
}

ThemeController::Choice Settings::theme() const
{
    const QStringList& names = setting(key::kTheme).values;
    return static_cast<ThemeController::Choice>(names.indexOf(value(key::kTheme).toString()));
}

void Settings::setTheme(ThemeController::Choice choice)
{
    setValue(key::kTheme, setting(key::kTheme).values.at(static_cast<int>(choice)));
}

Units Settings::units() const
{
    const auto choice = [this](const char* of) {
        return static_cast<int>(setting(of).values.indexOf(value(of).toString()));
    };
    return {static_cast<TimeUnits>(choice(key::kTimes)),
            static_cast<MemoryUnits>(choice(key::kMemory))};
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
    const int count = std::min(m_settings->beginReadArray(kRecent), static_cast<int>(kRecentRuns));
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

QStringList Settings::searches() const
{
    return m_settings->value(kSearches).toStringList();
}

void Settings::setSearches(const QStringList& searches)
{
    m_settings->setValue(kSearches, searches);
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
