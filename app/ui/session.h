#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <vector>

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

QByteArray toJson(const Session& session);
// Ignores unknown keys and keeps at most kMostTabs tabs. Returns an empty session if `json` is
// damaged.
Session sessionFromJson(const QByteArray& json);
constexpr int kMostTabs = 100;

} // namespace app
