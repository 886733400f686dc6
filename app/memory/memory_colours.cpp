#include "app/memory/memory_colours.h"

#include "app/timeline/paint/legend.h"

#include <QCoreApplication>
#include <QPainter>

namespace app {

MemoryColours::MemoryColours(const Theme& theme)
    : line(toQt(theme.palette.forward))
{
    using enum profiler::MemoryKind;
    const QColor surface = theme.chrome.surface;
    fills[Weights] = toQt(theme.palette.weights);
    fills[Gradients] = toQt(theme.palette.gradients);
    fills[Optimizer] = toQt(theme.palette.optimizerState);
    fills[Buffers] = toQt(theme.palette.buffers);
    fills[Stash] = mixed(line, surface, theme.isDark() ? 0.45 : 0.58);
    fills[Guest] = mixed(line, surface, 0.78);
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
    const MemoryColours colours(theme);
    const auto fill = [&colours](profiler::MemoryKind kind) { return fromQt(colours.fills[kind]); };
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
