#include "app/documents/worker_event.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace app {
namespace {

WorkerEvent::Kind kindOf(const QString& name)
{
    using Kind = WorkerEvent::Kind;
    static constexpr struct
    {
        const char* name;
        Kind kind;
    } kKinds[] = {{"started", Kind::Started},     {"rows", Kind::Rows},
                  {"iteration", Kind::Iteration}, {"points", Kind::Points},
                  {"warning", Kind::Warning},     {"locked", Kind::Locked},
                  {"finishing", Kind::Finishing}, {"finished", Kind::Finished},
                  {"failed", Kind::Failed},       {"ops", Kind::Ops}};
    for (const auto& known : kKinds)
        if (name == QLatin1String(known.name))
            return known.kind;
    return Kind::Other;
}

} // namespace

std::optional<WorkerEvent> parseWorkerEvent(const QByteArray& line)
{
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    const QJsonValue name = object.value(QStringLiteral("event"));
    if (!name.isString())
        return {};
    WorkerEvent event;
    event.kind = kindOf(name.toString());
    event.time = object.value(QStringLiteral("t")).toDouble();
    event.file = object.value(QStringLiteral("file")).toString();
    event.build = object.value(QStringLiteral("build")).toString();
    event.outcome = object.value(QStringLiteral("outcome")).toString();
    event.message = object.value(QStringLiteral("message")).toString();
    event.iterations = object.value(QStringLiteral("iterations")).toInt();
    event.warmup = object.value(QStringLiteral("warmup")).toInt();
    event.index = object.value(QStringLiteral("index")).toInt(-1);
    if (const QJsonValue loss = object.value(QStringLiteral("loss")); loss.isDouble())
        event.loss = loss.toDouble();
    event.duration = object.value(QStringLiteral("duration")).toDouble();
    event.rows = object.value(QStringLiteral("last")).toInteger();
    event.done = object.value(QStringLiteral("done")).toInteger();
    event.all = object.value(QStringLiteral("all")).toInteger();
    for (const QJsonValue one : object.value(QStringLiteral("devices")).toArray())
        event.devices.push_back(one.toInt());
    event.left = object.value(QStringLiteral("left")).toDouble();
    return event;
}

} // namespace app
