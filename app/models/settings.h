#pragma once

#include "app/models/theme.h"
#include "app/models/thumbnail.h"

#include <QDateTime>
#include <QString>

#include <vector>

class QSettings;

namespace app {

// A run in the list of the start page, as it was when it was last open, so that the page need not
// open the file.
struct RecentRun
{
    QString file, title, subtitle;   // "BitPipe", "tiny, 4 × 8"
    QString iteration, bubble, mode; // "115.3 ms", "13.0 %", "emulated"
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
    ~Settings();

    ThemeController::Choice theme() const;
    void setTheme(ThemeController::Choice choice);
    QByteArray geometry() const;
    void setGeometry(const QByteArray& geometry);

    // Newest first, at most kRecentRuns; omits files that no longer exist.
    static constexpr std::size_t kRecentRuns = 8;
    std::vector<RecentRun> recentRuns() const;
    void addRecent(const RecentRun& run); // replaces the entry of the same file
    void clearRecent();

private:
    void writeRecent(const std::vector<RecentRun>& runs);
    std::unique_ptr<QSettings> m_settings;
};

} // namespace app
