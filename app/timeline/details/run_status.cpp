#include "app/timeline/details/run_status.h"

#include "app/documents/run_document.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/translate.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

namespace app {

QStringList runStatus(const RunDocument& document, const profiler::RunMetrics& metrics,
                      const Selection& selection, const KernelView* kernels)
{
    const RunPointer run = document.run();
    if (!run) {
        if (document.state() == RunDocument::State::Loading)
            return {tr("reading")};
        if (document.state() != RunDocument::State::Failed)
            return {tr("no metrics yet")};
        return {document.notice().canRepeat ? tr("nothing recorded") : tr("not opened")};
    }
    const engine::RunInfo& info = run->info;
    const engine::Shape& shape = run->schedule.shape;
    QString devices = countOf(shape.devices, "device");
    if (!info.deviceName.empty())
        devices += tr(" on %1").arg(QString::fromStdString(info.deviceName).toHtmlEscaped());
    QStringList texts{QStringLiteral("<b>%1</b> %2").arg(capitalized(modeText(info)), devices)};
    const RunProgress& progress = document.progress();
    if (document.state() == RunDocument::State::Loading)
        texts.append(tr("reading the rest, %1 %").arg(qRound(100 * progress.read)));
    if (document.isRunning())
        texts.append(tr("%1 of %2 iterations").arg(progress.done).arg(progress.planned));
    if (document.isRunning() && progress.ops > 0)
        texts.append(tr("op %1 of %2").arg(progress.opsDone).arg(progress.ops));
    QString counts = countOf(metrics.computeOps, "compute op");
    if (metrics.messages > 0)
        counts += tr(", %1").arg(countOf(metrics.messages, "message"));
    if (kernels != nullptr && !kernels->isEmpty())
        counts += tr(", %1").arg(countOf(
            static_cast<std::int64_t>(kernels->activity().trace().kernels.size()), "kernel"));
    texts.append(counts);
    if (selection.kind != Selection::Kind::None && selection.window.duration() > 0) {
        const auto length = selection.window.duration();
        texts.append(tr("selection %1").arg(durationText(info, length)));
    }
    if (!info.timing.empty())
        texts.append(tr("timed by %1").arg(QString::fromStdString(info.timing).toHtmlEscaped()));
    if (!info.link.empty())
        texts.append(linkStatus(info));
    return texts;
}

QString linkStatus(const engine::RunInfo& info)
{
    return info.link == "free" ? tr("free links")
                               : tr("link %1").arg(fromUtf8(info.link).toHtmlEscaped());
}

QStringList recordStatus(const RunView& view, const KernelView* kernels)
{
    const auto count = [](const QString& name, std::int64_t amount) {
        const QString text = name + QLatin1Char(' ') + number(amount);
        return amount > 0 ? QStringLiteral("<b>%1</b>").arg(text) : text;
    };
    QString text = count(tr("overlaps"), view.occurs().overlaps);
    if (kernels != nullptr && !kernels->isEmpty())
        text += QStringLiteral(", ")
            + count(tr("dropped"), kernels->activity().trace().health.dropped);
    return {text};
}

QString iterationStatus(const RunDocument& document, const profiler::RunMetrics& metrics)
{
    if (metrics.devices.empty() || !document.run())
        return {};
    const RunPointer run = document.run();
    const std::string why = whyIterationUnknown(*run);
    return tr("%1: %2, bubble %3")
        .arg(iterationTitle(run->timeline, metrics.iteration),
             why.empty() ? durationText(run->info, metrics.duration)
                         : tr("unknown (%1)").arg(fromUtf8(why)),
             percent(metrics.bubbleRatio));
}

} // namespace app
