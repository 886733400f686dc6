#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <vector>

namespace app {

// A tab that the next start reopens.
struct SessionTab
{
    QString kind;       // "run", "compare", "study" (full list: pages/session/session_tabs.cpp)
    QStringList files;  // absolute paths; empty for pages that are not about a file
    QString experiment; // TOML of a set-up page or an editor; otherwise ""
    QJsonObject costs;  // costs of these pages, or the estimator's inputs (see cost_state.cpp)
    QJsonObject view;   // sizes of the docks, visible time (keys: pages/session/view_state.cpp)

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
