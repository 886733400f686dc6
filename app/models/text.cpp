#include "app/models/text.h"

#include "app/models/numbers.h"

namespace app {

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

QString toolTipText(const QString& text)
{
    constexpr qsizetype kMost = 4096;
    const QString shown = text.size() <= kMost ? text : text.left(kMost) + QString::fromUtf8("…");
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

QString quotedCell(QString text)
{
    if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')))
        return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\""))
        + QLatin1Char('"');
}

} // namespace app
