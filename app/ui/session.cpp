#include "app/ui/session.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace app {
namespace {

const QString kKind = QStringLiteral("kind"), kFiles = QStringLiteral("files"),
              kState = QStringLiteral("state"), kTabs = QStringLiteral("tabs"),
              kCurrent = QStringLiteral("current");

SessionTab tabFrom(const QJsonObject& object)
{
    SessionTab tab;
    tab.kind = object.value(kKind).toString();
    for (const QJsonValue file : object.value(kFiles).toArray())
        tab.files.append(file.toString());
    tab.state = object.value(kState).toObject();
    return tab;
}

} // namespace

QByteArray toJson(const Session& session)
{
    QJsonArray tabs;
    for (const SessionTab& tab : session.tabs) {
        QJsonObject object{{kKind, tab.kind}, {kState, tab.state}};
        if (!tab.files.isEmpty())
            object.insert(kFiles, QJsonArray::fromStringList(tab.files));
        tabs.append(object);
    }
    return QJsonDocument(QJsonObject{{kTabs, tabs}, {kCurrent, session.current}})
        .toJson(QJsonDocument::Compact);
}

Session sessionFromJson(const QByteArray& json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    const QJsonArray tabs = object.value(kTabs).toArray();
    Session session;
    for (int i = 0; i < std::min<int>(kMostTabs, static_cast<int>(tabs.size())); ++i)
        session.tabs.push_back(tabFrom(tabs.at(i).toObject()));
    session.current
        = std::clamp(object.value(kCurrent).toInt(), 0, static_cast<int>(session.tabs.size()));
    return session;
}

} // namespace app
