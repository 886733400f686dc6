#include "app/mapping/load_matrix.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kLeft = 60, kTop = 40, kSmallest = 3, kLargest = 22;

} // namespace

LoadMatrix::LoadMatrix(const ThemeController& theme, QWidget* parent)
    : LinkChooser(theme, parent)
{
    setObjectName(QStringLiteral("loadMatrix"));
}

int LoadMatrix::nodes() const
{
    return study() != nullptr ? static_cast<int>(study()->nodes.size()) : 0;
}

void LoadMatrix::arrange()
{
    constexpr double kTallest = 460;
    const int count = std::max(1, nodes());
    const double side = std::min(width() - kLeft - 1, kTallest);
    m_cell = std::clamp(std::floor(side / count), kSmallest, kLargest);
    setFixedHeight(static_cast<int>(kTop + m_cell * count + 2));
    setMinimumWidth(static_cast<int>(kLeft + m_cell * count + 2));
}

QRectF LoadMatrix::placeOf(const Nodes& nodes) const
{
    return {kLeft + m_cell * nodes.second, kTop + m_cell * nodes.first, m_cell, m_cell};
}

std::optional<LoadMatrix::Nodes> LoadMatrix::linkAt(const QPointF& position) const
{
    const Nodes at(static_cast<int>(std::floor((position.y() - kTop) / m_cell)),
                   static_cast<int>(std::floor((position.x() - kLeft) / m_cell)));
    const auto all = links();
    return std::ranges::find(all, at) != all.end() ? std::optional(at) : std::nullopt;
}

void LoadMatrix::paintAxes(QPainter& painter) const
{
    const Chrome& c = theme().chrome;
    painter.setFont(uiFont(11));
    painter.setPen(c.text2);
    constexpr double kLabel = 28;
    const int every = std::max(1, static_cast<int>(std::ceil(kLabel / m_cell)));
    for (int node = 0; node < nodes(); node += every) {
        const double at = m_cell * (node + 0.5);
        painter.drawText(QRectF(kLeft + at - 20, kTop - 18, 40, 14), Qt::AlignCenter,
                         QString::number(node));
        painter.drawText(QRectF(0, kTop + at - 8, kLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(node));
    }
    painter.drawText(QRectF(kLeft, 2, width() - kLeft, 16), Qt::AlignLeft,
                     tr("from a node (row) to a node (column); within a node on the diagonal"));
}

void LoadMatrix::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (study() == nullptr)
        return;
    const Chrome& c = theme().chrome;
    const QRectF all(kLeft, kTop, m_cell * nodes(), m_cell * nodes());
    painter.fillRect(all, c.surfaceAlt);
    const double gap = m_cell >= 6 ? 1 : 0;
    for (const profiler::LinkLoad& link : study()->shown().loads.links) {
        const double bytes = shownLoads().of(link);
        if (bytes <= 0)
            continue;
        const bool crosses = link.from != link.to;
        painter.fillRect(placeOf({link.from, link.to}).adjusted(0, 0, -gap, -gap),
                         crosses ? LoadScale::colour(scale().classOf(bytes), theme())
                                 : c.lineStrong);
    }
    painter.setPen(c.lineStrong);
    painter.drawRect(all.adjusted(-0.5, -0.5, 0.5, 0.5));
    if (const auto& chosen = highlighted()) {
        painter.setPen(QPen(c.text, 2));
        painter.drawRect(placeOf(*chosen).adjusted(-2, -2, 1, 1));
    }
    paintAxes(painter);
}

} // namespace app
