#include "app/timeline/view/labels.h"

#include "app/documents/run_document.h"
#include "engine/schedule/notation.h"

namespace app {

QString rangeText(engine::Window window, double origin, const Scale& scale)
{
    return scale.text(static_cast<double>(window.begin) - origin) + QString::fromUtf8(" – ")
        + scale.text(static_cast<double>(window.end) - origin);
}

QString microBatchText(const engine::Op& op)
{
    const QString whole = QString::number(op.microBatch.value);
    return op.slice == engine::Op::kWhole ? whole
                                          : whole + QLatin1Char('.') + QString::number(op.slice);
}

QString directionText(const engine::Op& op)
{
    return op.replica == 0 ? QCoreApplication::translate("app::Labels", "down")
                           : QCoreApplication::translate("app::Labels", "up");
}

QString opTitle(engine::OpKind kind)
{
    const auto title = engine::kindTitle(kind);
    return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size())).toLower();
}

QString iterationTitle(const engine::Timeline& timeline, int iteration)
{
    const QString name = iterationName(timeline, iteration);
    const auto kind = timeline.iterations[static_cast<std::size_t>(iteration)].kind;
    return kind == engine::Iteration::Kind::Measured
        ? QCoreApplication::translate("app::Labels", "iteration %1").arg(name)
        : name;
}

} // namespace app
