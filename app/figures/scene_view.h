#pragma once

#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "profiler/analysis/metrics.h"
#include "profiler/figure/scene.h"
#include "profiler/study/chart.h"
#include "profiler/study/chart_kit.h"

#include <QAbstractScrollArea>
#include <QFontMetricsF>
#include <QPixmap>
#include <QSize>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace app {

profiler::ChartStyle chartStyle(const Theme& theme, QSize size);

// Everything on which the look of a chart depends. The default is that of a figure on white paper.
struct ChartLook
{
    profiler::ChartStyle style;
    profiler::Palette palette = makeTheme(profiler::ThemeMode::Light).palette;
};
using DrawChart = std::function<profiler::MarkedScene(const ChartLook& look)>;

// Shows a scene and lets the user choose its marks. A click, the arrow keys, Home and End select a
// mark, a double click or Enter opens it, and the tooltip describes it. We draw only the ring
// around a mark here, so that what is on the screen is what is exported. A scene that is too high
// scrolls. With setMarking(true), the user can also mark several points by dragging a rectangle, or
// with Shift and the arrow keys.
class SceneView : public QAbstractScrollArea
{
    Q_OBJECT

public:
    using Describe = std::function<QString(std::size_t point)>;

    SceneView(const ThemeController& theme, Describe describe, QWidget* parent = nullptr);

    void show(std::shared_ptr<const profiler::MarkedScene> scene); // nullptr: nothing
    using QWidget::show;
    // Draws the chart now, and again after every change of size or theme; nullptr: shows nothing.
    void draw(DrawChart chart);
    const DrawChart& drawing() const { return m_draw; } // also for an export
    void select(std::optional<std::size_t> point);
    // The arrow keys step through the marks in their order, and Esc clears the selection.
    void setListed() { m_isListed = true; }
    std::optional<std::size_t> selectedPoint() const { return m_point; }
    void setMarking(bool isOn) { m_canMark = isOn; }
    const std::set<std::size_t>& marked() const { return m_marked; }
    void mark(std::set<std::size_t> points);
    const profiler::MarkedScene* scene() const { return m_scene.get(); }
    // The mark under the mouse, or else the selected one; nullopt: none.
    std::optional<std::size_t> highlighted() const;
    QSize sizeHint() const override { return {300, 200}; }
    // The rectangle of a mark, in the viewport; empty if the scene does not have it.
    QRect rectOf(std::size_t point) const;

Q_SIGNALS:
    void pointChosen(std::size_t point);
    void pointOpened(std::size_t point);
    void cleared();
    void highlightChanged();
    void resized();
    void markedChanged();
    void markedOpened(); // Return while several points are marked

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    using Mark = profiler::SceneMark;
    const Mark* markAt(const QPoint& position) const; // nullptr: none
    const Mark* selected() const;
    const Mark* next(int key) const;
    void choose(const Mark* mark);
    void hover(const Mark* mark);
    void paintRing(QPainter& painter, const Mark& mark, double width) const;
    bool markByKey(QKeyEvent& event);
    void paintMarks(QPainter& painter) const;
    void describeSelection();
    void fitScrollBar();
    void redraw();

    const ThemeController& m_theme;
    Describe m_describe;
    DrawChart m_draw;
    std::shared_ptr<const profiler::MarkedScene> m_scene;
    QPixmap m_picture; // picture of the whole scene
    std::optional<std::size_t> m_point = 0;
    const Mark* m_hovered = nullptr;
    bool m_isListed = false, m_canMark = false;
    std::set<std::size_t> m_marked;
    QPointF m_pressed;
    QRectF m_band; // the rectangle that is dragged; empty: none
};

// A chart with one stacked column per device of a run. Every amount per device is such a chart, so
// that limit, legend and tooltips look alike on all pages.
struct DeviceColumns
{
    struct Part
    {
        QString name;
        profiler::Colour profiler::Palette::*fill;
        bool isHatched = false;
    };

    QString title, axis; // "Peak memory"; "%1 per device", with the unit for %1
    QString sum;         // name of the whole column: "peak"
    Scale scale;
    std::vector<Part> parts; // from the bottom, only those that occur; empty: nothing is known
    // amounts[device][i] is the amount of parts[i]: in bytes, in M_a, in ns, or as a share of the
    // iteration.
    engine::IdVector<engine::DeviceId, std::vector<double>> amounts;
    engine::IdVector<engine::DeviceId, QString> names; // "Device 3, stages 3, 7"
    std::optional<double> limit, mean;                 // amounts of a whole column
    std::vector<double> outlines = {}; // by device: the height of a dashed column; may be empty
    double least = 0;                  // the axis includes this amount
    bool areWritten = false;           // the amounts of whole columns are below the devices

    bool isEmpty() const { return parts.empty(); }
    double total(engine::DeviceId device) const;
    std::vector<double> totals() const;
    double highest() const; // the largest total
    engine::DeviceId fullest() const;
    bool isOver(engine::DeviceId device) const { return limit && total(device) > *limit; }
    // Whether the columns can be drawn to a scale that includes the limit.
    bool isLimitInSight() const;
    QString text(engine::DeviceId device) const; // lines with the amounts, the top part first
    QString summary() const;                     // "Peak memory, GiB per device: 3.2, 4.1"
};

// Whether `highest` reaches at least a third of an axis that ends at `limit`, so that amounts up to
// `highest` remain readable.
bool isInSight(std::optional<double> limit, double highest);

// Columns without a part; addPart() adds one, unless it is 0 on every device.
DeviceColumns columnsOf(const engine::Run& run, const profiler::RunMetrics& metrics);
void addPart(DeviceColumns& columns, const profiler::RunMetrics& metrics, DeviceColumns::Part part,
             const std::function<double(const profiler::DeviceMetrics&)>& amount);
// Peak memory by category, or the peak stash in M_a if no memory was recorded. Empty if neither is
// known. `metrics` are those of the run.
DeviceColumns memoryColumns(const engine::Run& run, const profiler::RunMetrics& metrics);
// The same of a predicted run in GiB; empty if the run is nullptr or has no memory.
DeviceColumns predictedPeaks(const engine::Run* run, const profiler::RunMetrics& metrics);

// The devices with a label below their column, such as 0, 8, 16, ... and, if it fits, the last one.
// `step` is the distance between columns, `width` the least distance between labels; in points.
std::vector<int> labelledDevices(int devices, double step, double width);

// Draws the columns with their legend, axis, limit and mean. A mark is a device. If there are more
// devices than points, each point shows the highest column. Of empty columns only
// the title is drawn.
profiler::MarkedScene deviceChart(const DeviceColumns& columns, const ChartLook& look);

// Positions in the charts of a run, in points, and the lines of a value axis from 0 to `highest`
// with their numbers to the left of the plot.
namespace run_chart {

constexpr double kLeft = 44, kRight = 12, kFoot = 22, kHeader = 26, kLegendLine = 16;
constexpr double kSwatch = 10, kTextGap = 5;
double gapOf(double step); // the space between two columns; narrow columns touch
void drawGrid(profiler::ChartCanvas& canvas, const profiler::Rect& plot, double highest);

} // namespace run_chart

// Shows device columns. The tooltip of a column has the amounts of its device.
class DeviceView : public SceneView
{
public:
    DeviceView(const ThemeController& theme, const char* name);

    using SceneView::show;
    void show(DeviceColumns columns);
    void clear(const QString& reason = {}); // shows the reason instead
    const DeviceColumns& columns() const { return m_columns; }

private:
    DeviceColumns m_columns;
};

} // namespace app
