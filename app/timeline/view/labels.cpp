#include "app/timeline/view/labels.h"

#include <QCoreApplication>

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

} // namespace app
