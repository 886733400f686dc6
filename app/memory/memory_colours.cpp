#include "app/memory/memory_colours.h"

#include "app/timeline/paint/legend.h"

#include <QCoreApplication>
#include <QPainter>

namespace app {

MemoryColours::MemoryColours(const Theme& theme, double dpr)
    : m_line(toQt(theme.palette.forward))
{
    using enum profiler::MemoryKind;
    const QColor surface = theme.chrome.surface;
    m_fills[Weights] = toQt(theme.palette.weights);
    m_fills[Gradients] = toQt(theme.palette.gradients);
    m_fills[Optimizer] = toQt(theme.palette.optimizerState);
    m_fills[Buffers] = toQt(theme.palette.buffers);
    m_fills[Stash] = mixed(m_line, surface, theme.isDark() ? 0.45 : 0.58);
    m_fills[Guest] = mixed(m_line, surface, 0.78);
    m_guest = Hatch::ofGuests(m_line, surface, dpr);
}

void MemoryColours::fill(QPainter& painter, const QRectF& rect, profiler::MemoryKind kind,
                         double originX) const
{
    if (kind == profiler::MemoryKind::Guest)
        m_guest.fill(painter, rect, originX);
    else
        painter.fillRect(rect, m_fills[kind]);
}

MemoryLegend::MemoryLegend(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(28);
}

void MemoryLegend::show(const RecordedCategories& recorded, bool hasMoves)
{
    m_recorded = recorded;
    m_hasMoves = hasMoves;
    update();
}

void MemoryLegend::paintEvent(QPaintEvent*)
{
    using enum profiler::MemoryKind;
    using profiler::LegendEntry;
    const Theme& theme = this->theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.chrome.surfaceAlt);
    painter.fillRect(QRect(0, 0, width(), 1), theme.chrome.line);
    const MemoryColours colours(theme, devicePixelRatioF());
    const auto fill = [&colours](profiler::MemoryKind kind) { return fromQt(colours.plain(kind)); };
    const auto text = [](const char* words) {
        return QCoreApplication::translate("app::MemoryLegend", words).toStdString();
    };
    Legend legend;
    legend.left.push_back({LegendEntry::Look::Fills, {fill(Stash)}, text("stash"), {}});
    if (m_hasMoves)
        legend.left.push_back({LegendEntry::Look::Guest, {}, text("guest stash"), {}});
    LegendEntry rest;
    const auto add
        = [&](engine::MemoryCategory category, profiler::MemoryKind kind, const char* word) {
              if (!m_recorded[category])
                  return;
              rest.fills.push_back(fill(kind));
              rest.text += (rest.text.empty() ? "" : ", ") + text(word);
          };
    add(engine::MemoryCategory::Buffers, Buffers, "buffers");
    add(engine::MemoryCategory::Optimizer, Optimizer, "optimizer");
    add(engine::MemoryCategory::Gradients, Gradients, "gradients");
    add(engine::MemoryCategory::Weights, Weights, "weights");
    if (!rest.fills.empty())
        legend.left.push_back(std::move(rest));
    if (m_hasMoves)
        legend.left.push_back({LegendEntry::Look::Fills,
                               {theme.palette.communication},
                               text("evict, load (outlined)"),
                               {}});
    if (m_hasMoves)
        legend.note = QString::fromStdString(text("dashed: without evict and load"));
    paintLegend(painter, legend, BoxColours(theme, devicePixelRatioF()), QRectF(rect()));
}

} // namespace app
