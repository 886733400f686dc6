#include "app/mapping/node_painter.h"

#include "app/mapping/load_scale.h"
#include "app/mapping/node_layout.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr int kStageText = 11;
constexpr double kStageEnd = 5, kNameGap = 5;

double stageInset(qsizetype row)
{
    return row > 0 ? 7 : 5;
}

QString directionName(qsizetype row)
{
    return row == 0 ? QCoreApplication::translate("NodePicture", "down")
                    : QCoreApplication::translate("NodePicture", "up");
}

QPolygonF stagesBox(const QRectF& row, bool isUp)
{
    constexpr double kCut = 5;
    if (!isUp)
        return row;
    return {row.topLeft() + QPointF(kCut, 0), row.topRight(), row.bottomRight(), row.bottomLeft(),
            row.topLeft() + QPointF(0, kCut)};
}

void paintHead(QPainter& painter, const QPointF& tip, const QPointF& along, double size)
{
    const QPointF across(-along.y(), along.x()), base = tip - along * size;
    painter.setPen(Qt::NoPen);
    painter.drawPolygon(QPolygonF{tip, base + across * size * 0.6, base - across * size * 0.6});
}

} // namespace

bool fitsDirections(const QStringList& stages, double width)
{
    const QFontMetricsF name(uiFont(kStageText)), bold(uiFont(kStageText, QFont::Medium));
    for (qsizetype r = 0; r < stages.size(); ++r)
        if (name.horizontalAdvance(directionName(r)) + kNameGap
                + bold.horizontalAdvance(stages.at(r))
            > width - stageInset(r) - kStageEnd)
            return false;
    return stages.size() > 1;
}

QString fittingSummary(const QString& summary, double width)
{
    const QFontMetricsF metrics(uiFont(kStageText));
    return metrics.elidedText(metrics.horizontalAdvance(summary) <= width
                                  ? summary
                                  : summary.section(QLatin1Char(';'), 0, 0),
                              Qt::ElideRight, width);
}

void paintStages(QPainter& painter, const Theme& theme, const QRectF& rows,
                 const QStringList& stages, bool areNamed)
{
    const Chrome& c = theme.chrome;
    for (qsizetype r = 0; r < stages.size(); ++r) {
        const QRectF row(rows.left(), rows.top() + kSlotRow * static_cast<double>(r), rows.width(),
                         kSlotRow - 1);
        painter.setPen(Qt::NoPen);
        painter.setBrush(r == 0 ? c.pressed : c.lineStrong);
        painter.drawPolygon(stagesBox(row, r > 0));
        const QRectF inside = row.adjusted(stageInset(r), 0, -kStageEnd, 0);
        if (areNamed) {
            painter.setFont(uiFont(kStageText));
            painter.setPen(c.text2);
            painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, directionName(r));
        }
        QFont bold = uiFont(kStageText, QFont::Medium);
        bold.setUnderline(r > 0);
        painter.setFont(bold);
        painter.setPen(c.text);
        painter.drawText(
            inside, Qt::AlignRight | Qt::AlignVCenter,
            QFontMetricsF(bold).elidedText(stages.at(r), Qt::ElideRight, inside.width()));
    }
}

QPen penInNode(const Theme& theme, bool isAllReduce)
{
    return {LoadScale::colour(isAllReduce ? 2 : 0, theme), isAllReduce ? 1.5 : 1.2};
}

void paintLoadArrow(QPainter& painter, const Theme& theme, QPolygonF path, int load)
{
    const QColor colour = LoadScale::colour(load, theme);
    const double thick = LoadScale::width(load), head = std::max(8.0, 1.6 * thick);
    const QPointF tip = path.back(), before = path[path.size() - 2];
    const QPointF way = tip - before, along = way / std::max(1.0, std::hypot(way.x(), way.y()));
    path.back() = tip - along * head * 0.8;
    painter.setPen(QPen(colour, thick, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(path);
    painter.setBrush(colour);
    paintHead(painter, tip, along, head);
}

} // namespace app
