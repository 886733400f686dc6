#include "app/ui/message_log.h"

#include <QMutex>
#include <QTime>

namespace app {
namespace {

constexpr int kMostMessages = 200;

// The kept messages. There is one object per process, because Qt's message handler is global.
struct KeptMessages
{
    QMutex mutex;
    QStringList lines;
    QtMessageHandler next = nullptr;
};

KeptMessages& kept()
{
    static KeptMessages messages;
    return messages;
}

QString levelName(QtMsgType type)
{
    switch (type) {
    case QtDebugMsg:
        return QStringLiteral("debug");
    case QtInfoMsg:
        return QStringLiteral("info");
    case QtWarningMsg:
        return QStringLiteral("warning");
    case QtCriticalMsg:
    case QtFatalMsg:
        break;
    }
    return QStringLiteral("error");
}

void keepLine(const QString& line)
{
    const QMutexLocker lock(&kept().mutex);
    QStringList& lines = kept().lines;
    lines.append(QTime::currentTime().toString(QStringLiteral("HH:mm:ss ")) + line);
    if (lines.size() > kMostMessages)
        lines.removeFirst();
}

void keepMessage(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    keepLine(levelName(type) + QLatin1Char(' ') + QString::fromUtf8(context.category)
             + QStringLiteral(": ") + text);
    if (kept().next != nullptr)
        kept().next(type, context, text);
}

} // namespace

void keepMessages()
{
    kept().next = qInstallMessageHandler(keepMessage);
}

void keepError(const QString& text)
{
    keepLine(QStringLiteral("error: ") + text);
}

QStringList keptMessages()
{
    const QMutexLocker lock(&kept().mutex);
    return kept().lines;
}

} // namespace app
