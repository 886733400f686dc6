#include "app/timeline/details/tool_tip.h"

#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <QStringList>

namespace app {
namespace {

// The first cause of the selected bubble.
QString causeLine(const RunView& view, const Selection& selection)
{
    const auto* bubble = view.bubble(selection.iteration, selection.device,
                                     static_cast<double>(selection.window.begin));
    if (bubble == nullptr || bubble->chain.empty())
        return {};
    const auto& cause = bubble->chain.front();
    const QString op = opName(view.run().info, view.op(cause.op));
    const QString device = QString::number(cause.device.value);
    return bubble->kind == profiler::Bubble::Kind::Drain
        ? tr("finished; device %2 ends with <code>%1</code>").arg(op, device)
        : tr("waits for <code>%1</code> of device %2").arg(op, device);
}

QString waitLine(const RunView& view, const Selection& selection, const Scale& scale)
{
    const auto explanation = view.explain(selection.iteration, selection.op);
    if (!explanation || explanation->waited <= 0)
        return {};
    const QString waited = scale.withUnit(static_cast<double>(explanation->waited));
    if (explanation->needs.empty())
        return tr("waited %1").arg(waited);
    const auto& need = explanation->needs.front();
    const engine::Op& op = view.op(need.op);
    if (engine::isTransfer(op.kind))
        return tr("waited %1 for transfer %2").arg(waited, routeText(op, need.device));
    return tr("waited %1 for <code>%2</code>").arg(waited, opName(view.run().info, op));
}

} // namespace

QString toolTipPage(const QString& title, const QString& length, const QStringList& lines)
{
    return QStringLiteral("<table width='240'><tr><td><code>%1</code></td><td align='right'>%2</td>"
                          "</tr></table><div>%3</div>")
        .arg(title, length, lines.join(QStringLiteral("<br>")));
}

QString toolTipText(const RunView& view, const Selection& selection)
{
    if (selection.iteration < 0)
        return {};
    const auto& one = view.timeline().iterations[static_cast<std::size_t>(selection.iteration)];
    const Scale scale = timeScale(view.run().info, one.window.duration());
    const std::int64_t ticks = selection.window.duration();
    const bool isTiny = static_cast<double>(ticks) < 0.1 * scale.perUnit(); // as messages often are
    const QString length
        = (isTiny ? timeScale(view.run().info, ticks) : scale).withUnit(static_cast<double>(ticks));
    const QString where
        = tr("device %1, %2 %3")
              .arg(QString::number(selection.device.value),
                   rangeText(selection.window, static_cast<double>(one.window.begin), scale),
                   scale.unit());
    if (selection.kind == Selection::Kind::Bubble) {
        QStringList lines{where};
        if (const QString cause = causeLine(view, selection); !cause.isEmpty())
            lines << cause;
        return toolTipPage(tr("Bubble"), length, lines);
    }
    if (selection.kind == Selection::Kind::Device) {
        const QString title = tr("Device %1").arg(selection.device.value);
        if (!view.knowsMemory() || !hasTrace(view.run(), selection.device))
            return toolTipPage(title, {}, {tr("memory not recorded")});
        const auto peak = view.memory(selection.device).peak();
        return toolTipPage(
            title,
            view.hasMemory() ? byteScale(static_cast<std::int64_t>(peak)).withUnit(peak)
                             : number(peak, 1) + QString::fromUtf8(" Mₐ"),
            {tr("largest memory, at %1 in this iteration")
                 .arg(scale.withUnit(static_cast<double>(
                     view.memory(selection.device).timeOfPeak(one.window) - one.window.begin)))});
    }
    if (selection.kind != Selection::Kind::Op)
        return {};
    const auto& op = view.op(selection.op);
    QString what = capitalized(opTitle(op.kind));
    const engine::RunInfo& info = view.run().info;
    if (op.microBatch.isValid() && engine::knowsMicroBatches(info))
        what += tr(", micro-batch %1").arg(microBatchText(op));
    if (engine::knowsStages(info))
        what += tr(", stage %1, %2").arg(QString::number(op.stage.value), directionText(op));
    QStringList lines{what, where};
    if (const QString wait = waitLine(view, selection, scale); !wait.isEmpty())
        lines << wait;
    return toolTipPage(opName(view.run().info, op), length, lines);
}

QString rangeToolTip(const RunView& view, const HostRange& range)
{
    const auto time = [&view](std::int64_t ticks) {
        return timeScale(view.run().info, ticks).withUnit(static_cast<double>(ticks));
    };
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
