#include "app/estimator/number_sources.h"

#include "app/ui/controls.h"
#include "app/ui/icons.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QFontMetrics>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kHeadHeight = 28, kCaseHeight = 42, kNumberColumn = 62, kToleranceColumn = 66;
constexpr int kSide = 12;

// Splits the name of a published case into title and detail. "GPT-3 96B, attention recomputed, b 1
// -> 2: speed-up (...)" gives "GPT-3 96B" and "attention recomputed, b 1 → 2".
std::pair<QString, QString> partsOf(const std::string& what)
{
    QString text = fromUtf8(what).section(QLatin1Char(':'), 0, 0);
    text.replace(QStringLiteral("->"), QStringLiteral("→"));
    return {text.section(QStringLiteral(", "), 0, 0), text.section(QStringLiteral(", "), 1)};
}

QString verdictOf(const profiler::Reproduced& row)
{
    return row.isWithin() ? PublishedCases::tr("within") : PublishedCases::tr("outside");
}

} // namespace

PublishedCases::PublishedCases(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void PublishedCases::show(const std::vector<profiler::Reproduced>& rows)
{
    m_rows = rows;
    QStringList texts;
    for (const profiler::Reproduced& row : rows)
        texts.append(tr("%1: published %2, computed %3, %4")
                         .arg(fromUtf8(row.what).section(QLatin1Char(':'), 0, 0),
                              factorText(row.published), factorText(row.computed), verdictOf(row)));
    setAccessibleDescription(texts.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize PublishedCases::sizeHint() const
{
    return {300,
            kHeadHeight + kCaseHeight * static_cast<int>(std::max<std::size_t>(1, m_rows.size()))};
}

void PublishedCases::paintRow(QPainter& painter, const profiler::Reproduced& row,
                              const QRectF& box) const
{
    const Chrome& chrome = theme().chrome;
    const auto [title, detail] = partsOf(row.what);
    const double half = box.height() / 2 - 4;
    const QRectF upper(box.left(), box.top() + 4, box.width(), half);
    const QRectF lower = upper.translated(0, half);
    const double tolerance = box.right() - kToleranceColumn;
    const auto right = [&](const QRectF& line, double end, const QString& text, const QColor& ink) {
        painter.setPen(ink);
        painter.drawText(QRectF(line.left(), line.top(), end - line.left(), line.height()),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setFont(uiFont(12));
    painter.setPen(chrome.text);
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, title);
    right(upper, tolerance - kNumberColumn, factorText(row.published), chrome.text);
    painter.setFont(uiFont(12, QFont::Medium));
    right(upper, tolerance, factorText(row.computed), chrome.text);
    painter.setFont(uiFont(11));
    right(upper, box.right(), QStringLiteral("± ") + number(row.tolerance, 2), chrome.text2);
    const QColor& verdict = row.isWithin() ? chrome.ok : chrome.error;
    right(lower, box.right(), verdictOf(row), verdict);
    constexpr double kIcon = 12;
    const double word = painter.fontMetrics().horizontalAdvance(verdictOf(row));
    paintIcon(painter, row.isWithin() ? Icon::Check : Icon::Close,
              QRectF(box.right() - word - kIcon - 3, lower.center().y() - kIcon / 2, kIcon, kIcon),
              verdict);
    painter.setPen(chrome.text2);
    painter.drawText(
        lower, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(detail, Qt::ElideRight,
                                         static_cast<int>(lower.width()) - kToleranceColumn - 4));
    painter.fillRect(QRectF(rect().left(), box.bottom(), rect().width(), 1), chrome.grid);
}

void PublishedCases::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    painter.fillRect(rect(), chrome.surface);
    const QRectF head(kSide, 0, width() - 2 * kSide, kHeadHeight);
    painter.setFont(uiFont(12));
    painter.setPen(chrome.text2);
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, tr("Case"));
    for (const auto& [from, title] :
         {std::pair(kToleranceColumn + kNumberColumn, tr("Published")),
          std::pair(kToleranceColumn, tr("Computed")), std::pair(0, tr("Tolerance"))})
        painter.drawText(head.adjusted(0, 0, -from, 0), Qt::AlignRight | Qt::AlignVCenter, title);
    painter.fillRect(QRect(0, kHeadHeight - 1, width(), 1), chrome.line);
    QRectF box(kSide, kHeadHeight, width() - 2 * kSide, kCaseHeight);
    if (m_rows.empty()) {
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, tr("Computing"));
        return;
    }
    for (const profiler::Reproduced& row : m_rows) {
        paintRow(painter, row, box);
        box.translate(0, kCaseHeight);
    }
}

NumberSources::NumberSources(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    spaced(new QVBoxLayout(this), {12, 10, 12, 10}, 10);
}

void NumberSources::show(const std::vector<NumberSource>& sources)
{
    auto* column = static_cast<QVBoxLayout*>(layout());
    while (QLayoutItem* old = column->takeAt(0)) {
        delete old->widget();
        delete old;
    }
    for (const NumberSource& source : sources) {
        auto* row = new QWidget;
        QLabel *title = makeLabel(source.title, "band"), *detail = makeLabel(source.detail, "hint");
        title->setWordWrap(true);
        detail->setWordWrap(true);
        auto* texts = spaced(new QVBoxLayout, {}, 1, {title, detail});
        spaced(new QHBoxLayout(row), {}, 8,
               {{texts, 1}, {new Tag(m_theme, source.kind, row), 0, Qt::AlignTop}});
        column->addWidget(row);
    }
    column->addStretch(1);
}

} // namespace app
