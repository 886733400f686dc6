#include "app/ui/settings.h"

#include "app/ui/text.h"
#include "engine/base/check.h"
#include "profiler/analysis/metrics.h"
#include "profiler/figure/palette.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>
#include <QLockFile>
#include <QSettings>

#include <algorithm>
#include <cstring>

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

namespace {

QString settingText(const char* source)
{
    return QCoreApplication::translate("SettingTable", source);
}

std::vector<Setting> lookSettings()
{
    const QString group = settingText("Appearance");
    QStringList palettes, titles;
    for (const std::string& name : profiler::paletteNames()) {
        const auto palette = profiler::loadPalette(name, profiler::ThemeMode::Light);
        if (!palette || palette->backwardHatch.lines != profiler::HatchLines::None)
            continue; // the timeline draws no backward hatch, so ops would look alike
        palettes.append(QString::fromStdString(name));
        titles.append(QString::fromStdString(palette->title));
    }
    const auto name = [](const char* value) { return QString::fromLatin1(value); };
    return {
        {.key = key::kTheme,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Theme"),
         .explanation = settingText("The system's choice is read when the program starts."),
         .byDefault = name("system"),
         .values = {name("system"), name("light"), name("dark")},
         .names = {settingText("Same as the system"), settingText("Light"), settingText("Dark")}},
        {.key = key::kPalette,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Colours of operations"),
         .explanation
         = settingText("Default suits colour-blind readers. Figures have a separate setting."),
         .byDefault = palettes.front(),
         .values = palettes,
         .names = titles},
        {.key = key::kTextSize,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Text size"),
         .explanation = settingText("Scales the whole window when it is started the next time."),
         .byDefault = name("100"),
         .values = {name("90"), name("100"), name("110"), name("120"), name("140"), name("160")},
         .names = {name("90 %"), name("100 %"), name("110 %"), name("120 %"), name("140 %"),
                   name("160 %")}}};
}

// The values are in the order of TimeUnits and MemoryUnits.
std::vector<Setting> unitSettings()
{
    const QString group = settingText("Units"), bySize = settingText("By size");
    const auto name = [](Unit unit) { return scaleIn(unit).unit(); };
    const auto always = [&](Unit unit) { return settingText("Always %1").arg(name(unit)); };
    const auto values = [](const char* fixed) {
        return QStringList{QStringLiteral("size"), QString::fromLatin1(fixed)};
    };
    return {
        {.key = key::kTimes,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Times"),
         .explanation
         = settingText("By size: %1, %2 or %3. Kernels stay in %1, abstract costs in units.")
               .arg(name(Unit::Microsecond), name(Unit::Millisecond), name(Unit::Second)),
         .byDefault = QStringLiteral("size"),
         .values = values("ms"),
         .names = {bySize, always(Unit::Millisecond)}},
        {.key = key::kMemory,
         .kind = Setting::Kind::Choice,
         .group = group,
         .title = settingText("Memory"),
         .explanation
         = settingText(
               "By size: %1, %2 or %3. Exports, copied tables and loads of links keep their units.")
               .arg(name(Unit::KiB), name(Unit::MiB), name(Unit::GiB)),
         .byDefault = QStringLiteral("size"),
         .values = values("GiB"),
         .names = {bySize, always(Unit::GiB)}}};
}

std::vector<Setting> startSettings()
{
    const QString group = settingText("Start");
    return {{.key = key::kRestore,
             .group = group,
             .title = settingText("Open the tabs of the last session"),
             .explanation = settingText("Start with --no-restore to skip it once."),
             .byDefault = true}};
}

std::vector<Setting> runSettings()
{
    const QString folders = settingText("Folders"), worker = settingText("Worker");
    return {
        {.key = key::kRuns,
         .kind = Setting::Kind::Folder,
         .group = folders,
         .title = settingText("Recorded runs"),
         .explanation = settingText("New runs are saved here. Existing runs stay where they are."),
         .byDefault = QString(),
         .emptyText = settingText("the data folder of the user")},
        {.key = key::kExports,
         .kind = Setting::Kind::Folder,
         .group = folders,
         .title = settingText("Exports"),
         .explanation
         = settingText("Initial folder of the dialogs for figures, reports and traces."),
         .byDefault = QString(),
         .emptyText = settingText("the folder used last")},
        {.key = key::kWorker,
         .kind = Setting::Kind::Program,
         .group = worker,
         .title = settingText("Program"),
         .explanation = settingText("The bscope program that executes new runs."),
         .byDefault = QString(),
         .emptyText = settingText("bscope in the folder of this program")},
        {.key = key::kPatience,
         .kind = Setting::Kind::Number,
         .group = worker,
         .title = settingText("Stop timeout"),
         .explanation = settingText("Kills a worker that is still running this long after Stop."),
         .byDefault = 5,
         .least = 1,
         .most = 600,
         .unit = settingText("s")}};
}

std::vector<Setting> makeSettingTable()
{
    std::vector<Setting> table = lookSettings();
    for (std::vector<Setting> part : {unitSettings(), startSettings(), runSettings()})
        std::ranges::move(part, std::back_inserter(table));
    return table;
}

} // namespace

const std::vector<Setting>& settingTable()
{
    static const std::vector<Setting> kTable = makeSettingTable();
    return kTable;
}

const Setting& setting(const char* key)
{
    const auto& table = settingTable();
    const auto found = std::ranges::find_if(
        table, [key](const Setting& one) { return std::strcmp(one.key, key) == 0; });
    CHECK(found != table.end());
    return *found;
}

QVariant Setting::valid(const QVariant& stored) const
{
    switch (kind) {
    case Kind::Choice:
        return values.contains(stored.toString()) ? QVariant(stored.toString()) : byDefault;
    case Kind::Switch:
        return stored.canConvert<bool>() ? QVariant(stored.toBool()) : byDefault;
    case Kind::Number: {
        bool isNumber = false;
        const int number = stored.toInt(&isNumber);
        return isNumber && number >= least && number <= most ? QVariant(number) : byDefault;
    }
    case Kind::Folder:
    case Kind::Program:
        break;
    }
    return stored.toString();
}

QString chosenFolder(const char* key)
{
    const QString folder = Settings().value(key).toString();
    return QFileInfo(folder).isDir() ? folder : QString();
}

} // namespace app
