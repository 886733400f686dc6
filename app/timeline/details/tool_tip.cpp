#include "app/timeline/details/tool_tip.h"

#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <QStringList>

namespace app {
QString toolTipPage(const QString& title, const QString& length, const QStringList& lines)
{
    return QStringLiteral("<table width='240'><tr><td><code>%1</code></td><td align='right'>%2</td>"
                          "</tr></table><div>%3</div>")
        .arg(title, length, lines.join(QStringLiteral("<br>")));
}

QString toolTipText(const RunView& view, const Selection& selection)
{
    using enum Selection::Kind;
    if (selection.kind != Op && selection.kind != Bubble && selection.kind != Device)
        return {};
    const Details details = detailsOf(view, selection);
    QStringList lines{details.left};
    if (selection.window.duration() > 0)
        lines << details.right + QStringLiteral(", ")
                + detailsClock(view, selection.iteration, selection.window.duration())
                      .range(selection.window);
    if (!details.sentence.isEmpty())
        lines << details.sentence;
    return details.isEmpty()
        ? QString()
        : toolTipPage(details.title, details.value + QLatin1Char(' ') + details.unit, lines);
}

QString rangeToolTip(const RunView& view, const HostRange& range)
{
    const auto time = [&view](std::int64_t ticks) { return durationText(view.run().info, ticks); };
    QStringList lines{range.domain.empty()
                          ? tr("NVTX, on the host")
                          : tr("NVTX range of domain %1, on the host")
                                .arg(QString::fromStdString(range.domain).toHtmlEscaped())};
    lines << tr("while <code>%1</code> was launched")
                 .arg(opName(view.run().info, view.op(range.of.op)));
    return toolTipPage(QString::fromStdString(range.text).toHtmlEscaped(),
                       time(range.window.duration()), lines);
}

} // namespace app
