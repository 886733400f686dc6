#include "app/mapping/load_scale.h"

#include "app/mapping/mapping_text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kStep = 3; // ratio of the bounds of neighbouring classes

} // namespace

LoadScale::LoadScale(const MappingStudy& study)
{
    for (const bool crossing : {true, false}) {
        for (const MappedPrediction& each : study.all)
            for (const profiler::LinkLoad& link : each.loads.links)
                if ((link.from != link.to) == crossing)
                    m_most = std::max(m_most, link.bytes());
        if (m_most > 0)
            return;
    }
}

double LoadScale::bound(int index) const
{
    return m_most / std::pow(kStep, kClasses - 1 - index);
}

int LoadScale::classOf(double bytes) const
{
    for (int i = 0; i < kClasses - 1; ++i)
        if (bytes <= bound(i) * 1.0001)
            return i;
    return kClasses - 1;
}

QColor LoadScale::colour(int index, const Theme& theme)
{
    constexpr double kTowardsSurface[] = {0.65, 0.45, 0.15}, kInDark[] = {0.35, 0.2, 0};
    const auto& palette = theme.palette;
    if (index < kClasses - 1)
        return toQt(profiler::mix(palette.communication, palette.surface,
                                  (theme.isDark() ? kInDark : kTowardsSurface)[index]));
    constexpr double kTowardsInk = 0.45;
    return toQt(profiler::mix(palette.communication, palette.ink, kTowardsInk));
}

double LoadScale::width(int index)
{
    constexpr double kWidths[] = {2, 3.5, 5.5, 8};
    return kWidths[index];
}

LoadLegend::LoadLegend(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(20);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void LoadLegend::show(const LoadScale& scale)
{
    m_scale = scale;
    QStringList bounds;
    for (int i = 0; i < LoadScale::kClasses; ++i)
        bounds.append(gigabytes(scale.bound(i)));
    setAccessibleName(tr("Load in %1 per iteration; class limits: %2")
                          .arg(scaleIn(Unit::GB).unit(), bounds.join(tr(", "))));
    update();
}

void LoadLegend::paintEvent(QPaintEvent*)
{
    constexpr double kSwatch = 22, kGap = 6, kBetween = 12;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(uiFont(11));
    const QFontMetricsF metrics(painter.font());
    painter.setPen(theme().chrome.text2);
    double x = width();
    for (int i = LoadScale::kClasses - 1; i >= 0; --i) {
        const QString text = QStringLiteral("≤ %1").arg(gigabytes(m_scale.bound(i)));
        x -= metrics.horizontalAdvance(text);
        painter.drawText(QPointF(x, 14), text);
        x -= kSwatch + kGap;
        const double thick = LoadScale::width(i);
        painter.fillRect(QRectF(x, 10 - thick / 2, kSwatch, thick), LoadScale::colour(i, theme()));
        x -= kBetween;
    }
    const QString title = labelled(tr("load, %1 per iteration"), Unit::GB);
    if (metrics.horizontalAdvance(title) < x)
        painter.drawText(QPointF(x - metrics.horizontalAdvance(title), 14), title);
}

} // namespace app
