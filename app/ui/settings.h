#pragma once

#include "app/ui/theme.h"
#include "app/ui/thumbnail.h"

#include <QDateTime>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <QVariant>

#include <vector>

class QLockFile;
class QSettings;

namespace app {

// A tab that the next start reopens.
struct SessionTab
{
    QString kind;      // PageKind::name: "run"
    QStringList files; // absolute paths; empty for pages that are not about a file
    QJsonObject state; // Page::state()

    friend bool operator==(const SessionTab&, const SessionTab&) = default;
};

// The tabs of a window, from left to right, without the start page.
struct Session
{
    std::vector<SessionTab> tabs;
    int current = 0; // index of the current tab, 0: the start page

    friend bool operator==(const Session&, const Session&) = default;
};

// A run in the list of the start page, as it was when it was last open. Its numbers are in the
// ledger, so the page need not open the file.
struct RecentRun
{
    QString file, title; // "BitPipe"
    QDateTime opened;
    Thumbnail thumbnail;

    friend bool operator==(const RecentRun&, const RecentRun&) = default;
};

RecentRun describeRecent(const QString& file, const engine::Run& run, const QDateTime& now);
QString whenText(const QDateTime& then, const QDateTime& now); // "today, 14:31", "Monday", "3 May"

// Settings that persist between sessions, in the user's settings file. GUI thread only.
class Settings
{
public:
    Settings();
    explicit Settings(const QString& iniFile); // for tests
    // Returns a sentence if the settings file was damaged when it was opened, "" otherwise. A
    // damaged file is kept under another name, and the defaults are used.
    QString problem() const { return m_problem; }
    ~Settings();

    // Returns a setting of settingTable(); the default if the stored value is not a possible one.
    QVariant value(const char* key) const;
    void setValue(const char* key, const QVariant& value);
    ThemeController::Choice theme() const;
    void setTheme(ThemeController::Choice choice);
    Units units() const;
    QByteArray geometry() const;
    void setGeometry(const QByteArray& geometry);

    // The tabs of the last session, at most kMostTabs. The next start reopens them unless the user
    // turned that off. Empty if the stored list is damaged.
    static constexpr qsizetype kMostTabs = 100;
    Session session() const;
    void setSession(const Session& session);
    // Whether this program saves the session: the first one that runs with these settings.
    bool takeSession();
    void leaveSession();
    // Whether reopening the last session was started and did not finish. setRestoring() writes the
    // settings file at once, so that the value survives a crash while the session is reopened.
    bool isRestoring() const;
    void setRestoring(bool restoring);

    // Newest first, at most kRecentRuns; omits files that no longer exist.
    static constexpr std::size_t kRecentRuns = 8;
    std::vector<RecentRun> recentRuns() const;
    void addRecent(const RecentRun& run); // replaces the entry of the same file
    void clearRecent();

    QStringList searches() const; // saved searches of runs
    void setSearches(const QStringList& searches);

private:
    void replaceDamagedFile();
    void writeRecent(const std::vector<RecentRun>& runs);

    QString m_problem;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<QLockFile> m_sessionLock;
};

// A setting that the user can change: its key in the settings file, its texts and its values.
struct Setting
{
    enum class Kind { Choice, Switch, Number, Folder, Program };

    const char* key = nullptr; // in the settings file: "folders/runs"
    Kind kind = Kind::Switch;
    QString group = {}, title = {}, explanation = {}; // the explanation is one line
    QVariant byDefault = {};                          // always "" for Folder and Program
    // Only for Kind::Choice: the values in the settings file, and their names on the screen.
    QStringList values = {}, names = {};
    int least = 0, most = 0; // limits of a Kind::Number
    QString unit = {};       // unit of a Kind::Number: "s"
    QString emptyText = {};  // shown while the value of a Kind::Folder or Kind::Program is ""

    // Returns `stored`, or the default if `stored` is not a possible value of the setting.
    QVariant valid(const QVariant& stored) const;
};

const std::vector<Setting>& settingTable();
const Setting& setting(const char* key); // `key` must be in the table

// Keys that the program uses by name.
namespace key {
constexpr const char *kTheme = "theme", *kPalette = "palette", *kTextSize = "textSize",
                     *kTimes = "units/times", *kMemory = "units/memory",
                     *kRestore = "session/restore", *kWorker = "worker/program",
                     *kPatience = "worker/patience", *kRuns = "folders/runs",
                     *kExports = "folders/exports";
} // namespace key

// Returns the folder that the user chose for the setting `key`; "" if none is set or it does not
// exist.
QString chosenFolder(const char* key);

} // namespace app
