#include "app/plan/key_numbers.h"

#include "app/plan/prediction.h"
#include "app/timeline/paint/box_painter.h"
#include "app/ui/definition_text.h"
#include "app/ui/numbers.h"
#include "app/ui/subscript.h"
#include "app/ui/text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr int kBars = 8;       // devices that are drawn
constexpr int kBarsFrom = 640; // pixels; in narrower widgets, only the numbers are shown

KeyNumbers::Item iterationItem(const Prediction& prediction)
{
    const engine::RunInfo& info = prediction.info;
    const auto [least, most] = std::ranges::minmax_element(prediction.metrics.devices, {},
                                                           &profiler::DeviceMetrics::compute);
    const Scale scale = timeScale(info, prediction.metrics.duration);
    const auto text = [&](std::int64_t ticks) {
        return info.inUnits()
            ? unitsText(static_cast<double>(ticks) / static_cast<double>(info.ticksPerUnit))
            : scale.text(ticks);
    };
    const QString from = text(least->compute), to = text(most->compute);
    const QString busy = from == to ? fromUtf8("%1 busy on every device").arg(to)
                                    : fromUtf8("each device busy %1 to %2").arg(from, to);
    return {fromUtf8("Iteration"), text(prediction.metrics.duration), scale.unit(), busy,
            from == to ? fromUtf8("%1 busy").arg(to) : fromUtf8("%1 to %2 busy").arg(from, to)};
}

// The hint is short, because the verdict shows the complete closed form.
KeyNumbers::Item bubbleItem(const Prediction& prediction)
{
    const std::optional<double>& form = prediction.bubbleForm.value;
    const QString hint = !form           ? fromUtf8("no closed form applies")
        : prediction.matchesClosedForm() ? fromUtf8("matches the closed form")
                                         : fromUtf8("closed form %1").arg(percent(*form));
    const QString brief = !form          ? fromUtf8("no closed form")
        : prediction.matchesClosedForm() ? fromUtf8("= closed form")
                                         : fromUtf8("formula %1").arg(percent(*form));
    return {fromUtf8("Bubble"), bubbleNumber(prediction.metrics), QStringLiteral("%"), hint, brief};
}

KeyNumbers::Item messagesItem(const Prediction& prediction)
{
    const auto most = std::ranges::max_element(prediction.metrics.devices, {},
                                               &profiler::DeviceMetrics::messagesSent);
    const int local = prediction.metrics.localCopies;
    return {fromUtf8("Messages"), number(prediction.metrics.messages, 0),
            local > 0 ? fromUtf8("+ %1 local").arg(number(local, 0)) : QString(),
            fromUtf8("at most %1 sent by a device").arg(number(most->messagesSent, 0)),
            fromUtf8("up to %1 each").arg(number(most->messagesSent, 0))};
}

// The peak memory in bytes if the costs are those of a model, otherwise the peak stash in M_a.
KeyNumbers::Item memoryItem(const Prediction& prediction)
{
    const QString stash = number(prediction.metrics.peakStash(), 1);
    if (const auto bytes = prediction.metrics.peakBytes()) {
        const Scale scale = byteScale(*bytes);
        return {fromUtf8("Peak memory"), scale.text(*bytes), scale.unit(),
                fromUtf8("largest stash %1 Mₐ").arg(stash), fromUtf8("stash %1 Mₐ").arg(stash)};
    }
    return {fromUtf8("Peak stash"), stash, QStringLiteral("Mₐ"),
            fromUtf8("weights %1 Mθ").arg(unitsText(prediction.metrics.weights()))};
}

// Returns the two parts of a device's bar: other memory and stash in bytes or, if the bytes are
// unknown, weights in Mθ and stash in M_a.
std::pair<double, double> barOf(const profiler::DeviceMetrics& device)
{
    if (!device.peakBytes)
        return {device.weights, device.peakStash};
    const auto stash = static_cast<double>(device.bytesAtPeak[engine::MemoryCategory::Stash]);
    return {static_cast<double>(*device.peakBytes) - stash, stash};
}

} // namespace

QList<KeyNumbers::Item> keyNumbers(const Prediction* prediction)
{
    if (prediction == nullptr || prediction->metrics.devices.empty()) {
        const QString dash = QStringLiteral("–");
        return {{fromUtf8("Iteration"), dash, {}, {}},
                {fromUtf8("Bubble"), dash, {}, {}},
                {fromUtf8("Messages"), dash, {}, {}},
                {fromUtf8("Peak stash"), dash, {}, {}}};
    }
    return {iterationItem(*prediction), bubbleItem(*prediction), messagesItem(*prediction),
            memoryItem(*prediction)};
}

KeyNumbers::KeyNumbers(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(90);
    show(nullptr);
}

void KeyNumbers::show(const Prediction* prediction)
{
    m_items = keyNumbers(prediction);
    m_bars.clear();
    QStringList spoken, whole; // whole: with the hints, which narrow windows omit
    for (const Item& item : m_items) {
        spoken.append(item.title + QLatin1Char(' ') + item.value + QLatin1Char(' ') + item.unit);
        whole.append(item.hint.isEmpty() ? spoken.back()
                                         : spoken.back() + QStringLiteral(": ") + item.hint);
    }
    setAccessibleName(spoken.join(QStringLiteral(", ")));
    setToolTip(whole.join(QLatin1Char('\n')));
    m_limit = prediction != nullptr ? static_cast<double>(prediction->info.memory.usable()) : 0;
    m_isOfBytes = prediction != nullptr && prediction->metrics.peakBytes().has_value();
    if (prediction != nullptr)
        for (const profiler::DeviceMetrics& device : prediction->metrics.devices)
            if (m_bars.size() < kBars)
                m_bars.push_back(barOf(device));
    update();
}

void KeyNumbers::paintItem(QPainter& painter, const QRectF& box, const Item& item) const
{
    const Chrome& c = theme().chrome;
    paintText(painter, box.adjusted(0, 12, 0, 0), item.title, uiFont(12), c.text2, Qt::AlignLeft);
    paintText(painter, box.adjusted(0, 28, 0, 0), item.value, uiFont(24, QFont::Medium), c.text,
              Qt::AlignLeft);
    const int after = painter.fontMetrics().horizontalAdvance(item.value) + 5;
    painter.setFont(uiFont(13));
    painter.setPen(c.text2);
    drawSubscripted(painter, QRectF(box.x() + after, box.y() + 36, box.width() - after, 20), {},
                    item.unit);
    painter.setFont(uiFont(11));
    const QFontMetrics metrics = painter.fontMetrics();
    const int room = static_cast<int>(box.width());
    const bool fits = item.brief.isEmpty() || metrics.horizontalAdvance(item.hint) <= room;
    drawSubscripted(painter, QRectF(box.x(), box.y() + 63, room, 16), {},
                    metrics.elidedText(fits ? item.hint : item.brief, Qt::ElideRight, room));
}

// Draws one bar per device: weights or other memory below, stash above. The scale of all bars ends
// at the longest bar or, if that is larger, at the usable memory of a device, which a line marks.
void KeyNumbers::paintBars(QPainter& painter, const QRectF& box) const
{
    const double limit = m_isOfBytes ? m_limit : 0;
    double most = std::max(1.0, limit);
    for (const auto& [weights, stash] : m_bars)
        most = std::max(most, weights + stash);
    const Scale bytes = byteScale(static_cast<std::int64_t>(most));
    int decimals = most / bytes.perUnit() < 99.5 ? 1 : 0; // so that the number fits the bar
    for (double least = 0.095; decimals < 3 && most / bytes.perUnit() < least; least /= 10)
        ++decimals;
    const Scale scale(bytes.perUnit(), decimals, bytes.unit());
    constexpr double kWidth = 18, kGap = 8, kHeight = 44;
    double x = box.right() - static_cast<double>(m_bars.size()) * (kWidth + kGap);
    const profiler::Palette& palette = theme().palette;
    for (const auto& [weights, stash] : m_bars) {
        const QRectF bar(x, box.y() + 16, kWidth, kHeight);
        const double base = std::round(kHeight * weights / most);
        const double top = std::round(kHeight * stash / most);
        painter.fillRect(bar, theme().chrome.hover);
        painter.fillRect(QRectF(x, bar.bottom() - base, kWidth, base), toQt(palette.weights));
        painter.fillRect(QRectF(x, bar.bottom() - base - top, kWidth, top), toQt(palette.stash));
        if (limit > 0) {
            const double line = bar.bottom() - std::round(kHeight * limit / most);
            const double full = bar.bottom() - base - top;
            if (weights + stash > limit)
                painter.fillRect(QRectF(x, full, kWidth, line - full), theme().chrome.error);
            painter.fillRect(QRectF(x - 3, line - 1, kWidth + 6, 2), theme().chrome.text);
        }
        paintText(painter, {x - 6, box.y() + 63, kWidth + 12, 14},
                  m_isOfBytes ? scale.text(weights + stash)
                              : unitsText(std::round(stash * 100) / 100),
                  uiFont(10), theme().chrome.text2, Qt::AlignCenter);
        x += kWidth + kGap;
    }
}

double KeyNumbers::itemWidth() const
{
    return width() / static_cast<double>(m_items.size() + (width() >= kBarsFrom ? 1 : 0));
}

QString KeyNumbers::toolTipAt(QPoint at) const
{
    const Item item = m_items.value(static_cast<int>(at.x() / itemWidth()));
    // Looks up the bubble ratio as "Bubble, %", its title in the list of definitions.
    const QString title
        = item.unit == QStringLiteral("%") ? item.title + QStringLiteral(", %") : item.title;
    const QString text
        = definitionText(title, (item.value + QLatin1Char(' ') + item.unit).trimmed());
    return text.isEmpty() || item.hint.isEmpty() ? text : text + QLatin1Char('\n') + item.hint;
}

void KeyNumbers::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool hasBars = width() >= kBarsFrom;
    const double each = itemWidth();
    for (int i = 0; i < m_items.size(); ++i) {
        const double x = std::round(i * each);
        if (i > 0)
            painter.fillRect(QRectF(x, 0, 1, height()), theme().chrome.line);
        paintItem(painter, QRectF(x + 14, 0, each - 20, height()), m_items.at(i));
    }
    if (hasBars)
        paintBars(painter, QRectF(m_items.size() * each, 0, each - 8, height()));
}

} // namespace app
