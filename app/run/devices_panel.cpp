#include "app/run/devices_panel.h"

#include "app/run/device_chart.h"
#include "app/ui/controls.h"

#include <QScrollArea>
#include <QVBoxLayout>

namespace app {
namespace {

constexpr int kBesideFrom = 700; // width of the panel

} // namespace

DevicesPanel::DevicesPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_memory(new DeviceChart("devicesMemory", theme))
    , m_bubble(new DeviceChart("devicesBubble", theme))
    , m_line(makeLine(Qt::Vertical))
    , m_charts(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_empty(named(makeLabel(tr("The columns appear with the first complete iteration."), "hint"),
                    "devicesEmpty"))
{
    setObjectName(QStringLiteral("devicesPanel"));
    auto* charts = new QWidget;
    charts->setLayout(spaced(m_charts, {}, 0, {{m_memory, 1}, m_line, {m_bubble, 1}}));
    m_scroll = makeScroll(charts);
    m_empty->setContentsMargins(12, 10, 12, 10);
    m_empty->setAlignment(Qt::AlignTop);
    spaced(new QVBoxLayout(this), {}, 0, {{m_scroll, 1}, {m_empty, 1}});
    for (const DeviceChart* chart : {m_memory, m_bubble})
        connect(chart, &DeviceChart::chosen, this, &DevicesPanel::chosen);
    arrange();
}

void DevicesPanel::showMetrics(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    m_memory->show(memoryColumns(run, metrics));
    m_bubble->show(bubbleColumns(run, metrics));
    m_empty->setText(tr("No device has a bubble, and no memory was recorded."));
    arrange();
}

void DevicesPanel::mark(engine::DeviceId device)
{
    m_memory->mark(device);
    m_bubble->mark(device);
}

void DevicesPanel::arrange()
{
    const bool hasMemory = !m_memory->columns().isEmpty(),
               hasBubble = !m_bubble->columns().isEmpty();
    const bool isBeside = width() >= kBesideFrom;
    m_charts->setDirection(isBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_memory->setVisible(hasMemory);
    m_bubble->setVisible(hasBubble);
    m_line->setVisible(isBeside && hasMemory && hasBubble);
    m_scroll->setVisible(hasMemory || hasBubble);
    m_empty->setVisible(!hasMemory && !hasBubble);
}

void DevicesPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace app
