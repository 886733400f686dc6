#include "app/timeline/details/details_pictures.h"

#include "app/timeline/paint/box_colours.h"

#include <QPainter>

#include <cmath>

namespace app {
namespace {

using Emphasis = BoxColours::Emphasis;

void fillSwatch(QPainter& painter, const BoxColours& colours, const Swatch& swatch,
                const QRectF& rect)
{
    switch (swatch.look) {
    case Swatch::Look::Op:
        fillLook(painter, rect, colours.look(swatch.kind, swatch.chunk, Emphasis::Normal),
                 rect.left());
        break;
    case Swatch::Look::Bubble:
        colours.bubble().fill(painter, rect, rect.left());
        break;
    case Swatch::Look::Exposed:
        painter.fillRect(rect, colours.exposed(Emphasis::Normal).fill);
        break;
    case Swatch::Look::Kernel:
        painter.fillRect(rect, colours.kernel(swatch.kernel).fill);
        break;
    case Swatch::Look::None:
        break;
    }
}

constexpr int kStripLeft = 24, kStripLabels = 18;

} // namespace

SwatchPicture::SwatchPicture(const ThemeController& theme, const Swatch& swatch, int size,
                             Chain chain)
    : m_theme(theme)
    , m_swatch(swatch)
    , m_size(size)
    , m_chain(chain)
{
    setFixedWidth(size);
    setMinimumHeight(size);
}

void SwatchPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const BoxColours colours(m_theme.theme(), devicePixelRatioF());
    const QRectF box(0, std::round((height() - m_size) / 2.0), m_size, m_size);
    const double middle = std::floor(box.center().x());
    const QColor line = m_theme.theme().chrome.text3;
    if (m_chain == Chain::Middle || m_chain == Chain::Last)
        painter.fillRect(QRectF(middle, 0, 1, box.top()), line);
    if (m_chain == Chain::Middle || m_chain == Chain::First)
        painter.fillRect(QRectF(middle, box.bottom(), 1, height() - box.bottom()), line);
    fillSwatch(painter, colours, m_swatch, box);
}

ShareBarPicture::ShareBarPicture(const ThemeController& theme, std::vector<DetailsBar::Part> parts)
    : m_theme(theme)
    , m_parts(std::move(parts))
{
    setFixedHeight(12);
}

void ShareBarPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const BoxColours colours(m_theme.theme(), devicePixelRatioF());
    painter.fillRect(rect(), m_theme.theme().chrome.hover); // the rest, which no part covers
    double sum = 0;
    for (const auto& part : m_parts) {
        const double left = std::round(sum * width());
        sum += part.share;
        const double right = std::round(std::min(1.0, sum) * width());
        if (right - left >= 2)
            fillSwatch(painter, colours, part.swatch, QRectF(left, 0, right - left - 1, height()));
        else if (right > left)
            fillSwatch(painter, colours, part.swatch, QRectF(left, 0, right - left, height()));
    }
}

PairPicture::PairPicture(const ThemeController& theme, const DetailsPair& pair, double limit)
    : m_theme(theme)
    , m_pair(pair)
    , m_limit(limit)
{
    setFixedHeight(20);
    setMinimumWidth(60);
    setAccessibleName(pair.name + QLatin1Char(' ') + pair.value + QLatin1Char(' ') + pair.change);
}

void PairPicture::paintEvent(QPaintEvent*)
{
    constexpr int kBarHeight = 6, kFirst = 3, kSecond = 11;
    QPainter painter(this);
    const profiler::Palette& palette = m_theme.theme().palette;
    const auto bar = [&](double top, double share, const profiler::Colour& colour) {
        painter.fillRect(
            QRectF(0, top, std::round(std::clamp(share, 0.0, 1.0) * width()), kBarHeight),
            toQt(colour));
    };
    bar(kFirst, m_pair.before, palette.optimizerState);
    bar(kSecond, m_pair.after, palette.weights);
    if (m_limit > 0 && m_limit <= 1)
        painter.fillRect(QRectF(std::round(m_limit * (width() - 1)), 0, 1, height()),
                         m_theme.theme().chrome.text);
}

StageStripPicture::StageStripPicture(const ThemeController& theme, StageStrip strip)
    : m_theme(theme)
    , m_strip(std::move(strip))
{
    setFixedHeight(std::clamp(m_strip.stages * 13, 52, 130) + kStripLabels);
    setAccessibleName(tr("Stage over time of the micro-batch"));
}

QRectF StageStripPicture::boxOf(const StageStrip::Box& box) const
{
    const double width = this->width() - kStripLeft,
                 row = static_cast<double>(height() - kStripLabels) / std::max(1, m_strip.stages);
    const auto duration = static_cast<double>(std::max<std::int64_t>(1, m_strip.window.duration()));
    const auto at = [&](std::int64_t time) {
        return kStripLeft
            + std::round(width * static_cast<double>(time - m_strip.window.begin) / duration);
    };
    const double left = at(box.window.begin), right = at(box.window.end);
    return {left, std::floor(row * box.stage), std::max(2.0, right - left), std::max(3.0, row - 3)};
}

void StageStripPicture::paintBox(QPainter& painter, const BoxColours& colours,
                                 const StageStrip::Box& box) const
{
    const QRectF rect = boxOf(box);
    fillSwatch(painter, colours, box.swatch, rect);
    if (!box.isMarked)
        return;
    painter.setPen(QPen(m_theme.theme().chrome.text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0, 0, 0, 0));
}

void StageStripPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = m_theme.theme().chrome;
    const double bottom = height() - kStripLabels;
    const double row = bottom / std::max(1, m_strip.stages);
    const int every = row >= 11 ? 1 : row >= 5 ? 2 : std::max(1, m_strip.stages / 4);
    painter.setFont(uiFont(10));
    painter.setPen(chrome.text2);
    for (int stage = 0; stage < m_strip.stages; ++stage) {
        const double y = std::floor(row * (stage + 1)) - 2;
        painter.fillRect(QRectF(kStripLeft, y, width() - kStripLeft, 1), chrome.grid);
        if (stage % every == 0)
            painter.drawText(QRectF(0, row * stage - 2, kStripLeft - 8, row),
                             Qt::AlignRight | Qt::AlignVCenter, QString::number(stage));
    }
    const BoxColours colours(m_theme.theme(), devicePixelRatioF());
    for (const auto& box : m_strip.boxes)
        paintBox(painter, colours, box);
    const QRectF labels(kStripLeft, bottom, width() - kStripLeft, kStripLabels);
    painter.setPen(chrome.text2);
    painter.drawText(labels, Qt::AlignLeft | Qt::AlignBottom, m_strip.from);
    painter.drawText(labels, Qt::AlignRight | Qt::AlignBottom, m_strip.to);
}

} // namespace app
