#include "app/ui/text.h"

#include "app/ui/numbers.h"
#include "engine/base/text.h"
#include "engine/schedule/notation.h"
#include "engine/schedules/scheme.h"

#include <QCoreApplication>
#include <QStringList>

#include <set>

namespace app {
namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("RunTexts", text);
}

} // namespace

QString shortTitle(const QString& title)
{
    return title.section(QStringLiteral(" ("), 0, 0);
}

QString unitsText(double units)
{
    QString text = number(units, 2);
    while (text.endsWith(QLatin1Char('0')) && text.contains(QLatin1Char('.')))
        text.chop(1);
    if (text.endsWith(QLatin1Char('.')))
        text.chop(1);
    return text;
}

QString timeText(std::int64_t ticks, const engine::RunInfo& info)
{
    if (!info.inUnits())
        return timeScale(info, ticks).withUnit(static_cast<double>(ticks));
    const double units = static_cast<double>(ticks) / static_cast<double>(info.ticksPerUnit);
    return unitsText(units) + QStringLiteral(" units");
}

QString schemeTitle(const QString& name)
{
    const engine::Scheme* scheme = engine::findScheme(name.toStdString());
    return scheme == nullptr ? name : shortTitle(fromUtf8(scheme->title));
}

QString toolTipText(const QString& text)
{
    constexpr qsizetype kMost = 4096;
    QString shown = text.size() <= kMost ? text : text.left(kMost) + QString::fromUtf8("…");
    if (!shown.contains(QLatin1Char('<')) && !shown.contains(QLatin1Char('&')))
        return shown;
    return QStringLiteral("<qt>%1</qt>")
        .arg(shown.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")));
}

QString capitalized(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString uncapitalized(QString label)
{
    if (label.size() > 1 && label.at(1).isLower())
        label[0] = label.at(0).toLower();
    return label;
}

QString withoutUnit(const QString& label)
{
    return label.section(QLatin1String(", "), 0, 0);
}

QString quotedCell(const QString& text)
{
    return QString::fromStdString(engine::csvCell(text.toStdString()));
}

QString menuText(QString text)
{
    return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QString withoutMnemonic(QString menuText)
{
    for (qsizetype at = menuText.indexOf(QLatin1Char('&')); at >= 0;
         at = menuText.indexOf(QLatin1Char('&'), at + 1))
        menuText.remove(at, 1); // of "&&" the second one stays
    return menuText;
}

QString shapeText(const engine::Run& run)
{
    const engine::Shape& shape = run.schedule.shape;
    const QString devices = QStringLiteral("D %1").arg(shape.devices);
    return engine::knowsMicroBatches(run.info)
        ? devices + QStringLiteral(", N %1").arg(shape.microBatches)
        : devices;
}

QString opName(const engine::Op& op)
{
    QString name = QString::fromStdString(engine::toString(op));
    if (op.kind == engine::OpKind::Recompute)
        name.replace(fromUtf8(engine::kindName(op.kind)), fromUtf8(engine::kindShortName(op.kind)));
    return name;
}

QString opName(const engine::RunInfo& info, const engine::Op& op)
{
    const bool stages = engine::knowsStages(info), microBatches = engine::knowsMicroBatches(info);
    if (stages && microBatches)
        return opName(op);
    QString name = fromUtf8(engine::kindShortName(op.kind));
    if (stages && op.stage.isValid())
        name.prepend(QString::number(op.stage.value));
    if (microBatches && op.microBatch.isValid())
        name += QString::number(op.microBatch.value);
    return name;
}

QString stagesText(const engine::Run& run, engine::DeviceId device)
{
    if (!engine::knowsStages(run.info))
        return translated("unknown");
    std::set<int> stages;
    for (const auto& placement : run.schedule.deviceOf)
        for (const engine::StageId stage : placement.ids())
            if (placement[stage] == device)
                stages.insert(stage.value);
    QStringList text;
    for (const int stage : stages)
        text.append(QString::number(stage));
    return text.join(QStringLiteral(", "));
}

QString deviceText(const engine::Run& run, engine::DeviceId device)
{
    const QString stages = stagesText(run, device);
    const QString text = stages.contains(QLatin1Char(',')) ? translated("stages %1").arg(stages)
                                                           : translated("stage %1").arg(stages);
    return hasTrace(run, device) ? text : text + translated(", no trace");
}

} // namespace app
