#pragma once

#include "app/documents/run_document.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/theme.h"
#include "profiler/analysis/metrics.h"
#include "profiler/figure/palette.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QBoxLayout;
class QFrame;
class QLabel;
class QScrollArea;

namespace app {

// A chart with one stacked column per device of a run.
struct DeviceColumns
{
    struct Part
    {
        QString name;
        profiler::Colour profiler::Palette::*fill;
    };

    QString title, axis; // "Peak memory"; "%1 per device", with the unit for %1
    QString sum;         // name of the whole column: "peak"
    Scale scale;
    std::vector<Part> parts; // from the bottom, only those that occur; empty: nothing is known
    // amounts[device][i] is the amount of parts[i]: in bytes, in M_a, or as a share of the
    // iteration.
    engine::IdVector<engine::DeviceId, std::vector<double>> amounts;
    engine::IdVector<engine::DeviceId, QString> names; // "Device 3, stages 3, 7"
    std::optional<double> limit, mean;                 // amounts of a whole column

    bool isEmpty() const { return parts.empty(); }
    double total(engine::DeviceId device) const;
    double highest() const; // the largest total
    bool isOver(engine::DeviceId device) const { return limit && total(device) > *limit; }
    // Whether the columns can be drawn to a scale that includes the limit.
    bool isLimitInSight() const;
    QString text(engine::DeviceId device) const; // lines with the amounts, the top part first
};

// Peak memory by category, or the peak stash in M_a if no memory was recorded. Empty if neither is
// known. `metrics` are those of the run.
DeviceColumns memoryColumns(const engine::Run& run, const profiler::RunMetrics& metrics);
// The bubble by cause. Empty if no device has a bubble.
DeviceColumns bubbleColumns(const engine::Run& run, const profiler::RunMetrics& metrics);

// The devices with a label below their column, such as 0, 8, 16, ... and, if it fits, the last one.
// `step` is the distance between columns, `width` the least distance between labels; in pixels.
std::vector<int> labelledDevices(int devices, double step, double width);

// Draws DeviceColumns with their legend, axis, limit and mean. A click or the left and right arrow
// keys choose a device; the tooltip has its numbers. If there are more devices than pixels, each
// pixel shows the highest column.
class DeviceChart : public ThemedWidget
{
    Q_OBJECT

public:
    DeviceChart(const char* name, const ThemeController& theme, QWidget* parent = nullptr);

    void show(DeviceColumns columns);
    using QWidget::show;
    void mark(engine::DeviceId device); // frames its column, without a signal; invalid: none
    engine::DeviceId marked() const { return m_marked; }
    const DeviceColumns& columns() const { return m_columns; }
    QRectF columnOf(engine::DeviceId device) const { return columnIn(plot(), device); }
    engine::DeviceId deviceAt(double x) const { return deviceIn(plot(), x); } // invalid: none
    QString toolTipAt(QPoint at) const override;
    QSize sizeHint() const override { return {480, 183}; }
    QSize minimumSizeHint() const override { return {240, 152}; }

Q_SIGNALS:
    void chosen(engine::DeviceId device);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Header
    {
        std::vector<QPointF> legend; // left end of the entry of each part
        double height = 0;
    };
    Header header() const;
    int devices() const { return static_cast<int>(m_columns.amounts.size()); }
    QString unitText() const;
    QString lineText() const; // "80 limit", "mean 22.5"; "": no line
    QRectF plot() const;
    double step(const QRectF& plot) const;                              // distance between columns
    QRectF columnIn(const QRectF& plot, engine::DeviceId device) const; // as high as the plot
    engine::DeviceId deviceIn(const QRectF& plot, double x) const;
    double yOf(double amount, const QRectF& plot) const;
    void choose(engine::DeviceId device);
    void describe();
    void paintHeader(QPainter& painter) const;
    void paintAxis(QPainter& painter, const QRectF& plot) const;
    void paintColumn(QPainter& painter, engine::DeviceId device, const QRectF& column) const;
    void paintColumns(QPainter& painter, const QRectF& plot) const;
    void paintLine(QPainter& painter, const QRectF& plot) const;
    void paintExcess(QPainter& painter, const QRectF& plot) const;
    void paintMark(QPainter& painter, const QRectF& plot) const;

    DeviceColumns m_columns;
    double m_top = 1; // the amount at the top of the plot
    engine::DeviceId m_marked;
};

// Charts of the peak memory and of the bubble by cause, with one column per device. The charts are
// side by side or, in a narrow panel, one above the other.
class DevicesPanel : public QWidget
{
    Q_OBJECT

public:
    explicit DevicesPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void showMetrics(const engine::Run& run, const profiler::RunMetrics& metrics);
    void mark(engine::DeviceId device); // without a signal; invalid: none

Q_SIGNALS:
    void chosen(engine::DeviceId device);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    DeviceChart *m_memory, *m_bubble; // hidden if they have nothing to show
    QFrame* m_line;                   // between the charts if they are side by side
    QBoxLayout* m_charts;
    QScrollArea* m_scroll;
    QLabel* m_empty; // in place of the charts
};

} // namespace app
