#include "app/ui/subscript.h"

#include <QFontMetrics>
#include <QPainter>

#include <cmath>

namespace app {
namespace {

constexpr double kSmaller = 0.75, kLower = 0.2; // relative to the font size

const QString kSymbol = QStringLiteral("Mθ");

QFont smaller(QFont font)
{
    font.setPixelSize(qRound(font.pixelSize() * kSmaller));
    return font;
}

} // namespace

int subscriptedWidth(const QFont& font, const QString& text)
{
    const auto width = [](const QFont& of, const QString& part) {
        return QFontMetrics(of).horizontalAdvance(part);
    };
    const qsizetype at = text.indexOf(kSymbol);
    if (at < 0)
        return width(font, text);
    return width(font, text.left(at + 1)) + width(smaller(font), kSymbol.mid(1))
        + width(font, text.mid(at + 2));
}

QString subscriptedHtml(const QString& text)
{
    return text.toHtmlEscaped().replace(kSymbol, QStringLiteral("M<sub>θ</sub>"));
}

void drawSubscripted(QPainter& painter, const QRectF& box, Qt::Alignment alignment,
                     const QString& text)
{
    const QFont font = painter.font();
    const qsizetype at = text.indexOf(kSymbol);
    const int wanted = subscriptedWidth(font, text);
    if (at < 0 || wanted > box.width()) {
        painter.drawText(box, static_cast<int>(alignment),
                         painter.fontMetrics().elidedText(text, Qt::ElideRight,
                                                          static_cast<int>(box.width()) + 1));
        return;
    }
    const QFontMetrics metrics(font);
    double x = alignment.testFlag(Qt::AlignRight) ? box.right() - wanted : box.left();
    const double base = alignment.testFlag(Qt::AlignVCenter)
        ? std::round(box.center().y() + (metrics.ascent() - metrics.descent()) / 2.0)
        : box.top() + metrics.ascent();
    const auto put = [&](const QFont& with, const QString& part, double lower) {
        painter.setFont(with);
        painter.drawText(QPointF(x, base + lower), part);
        x += painter.fontMetrics().horizontalAdvance(part);
    };
    put(font, text.left(at + 1), 0);
    put(smaller(font), kSymbol.mid(1), font.pixelSize() * kLower);
    put(font, text.mid(at + 2), 0);
    painter.setFont(font);
}

} // namespace app
