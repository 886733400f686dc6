#pragma once

#include "app/documents/run_document.h"
#include "app/figures/scene_view.h"
#include "app/ui/latest.h"
#include "app/ui/numbers.h"
#include "profiler/analysis/metrics.h"
#include "profiler/why/stragglers.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QBoxLayout;
class QLabel;
class QScrollArea;

namespace app {

// The losses of one iteration. The Replay has no LossPoint, because it was not executed.
struct LossPoint
{
    bool isWarmup = false;
    int number = 0; // number among the iterations of its kind
    double mean = 0;
    std::vector<float> microBatches; // losses of the micro-batches; empty if unknown
};

struct LossSeries
{
    std::vector<LossPoint> points;
    int planned = 0; // planned iterations, including warm-up
    // Entropies of the training text in nats per token, drawn as reference lines.
    std::optional<double> unigramEntropy, entropyRate;

    // The largest finite mean, micro-batch loss or reference line; 0 if there is none.
    double highest() const;
};

LossSeries lossSeries(const engine::Run& run);

// Draws the loss by iteration: dots for micro-batches, a line for the mean, another background for
// warm-up, and dashed lines for the two entropies of the training text.
profiler::MarkedScene lossChart(const LossSeries& series, const ChartLook& look);

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
// `step` is the distance between columns, `width` the least distance between labels; in points.
std::vector<int> labelledDevices(int devices, double step, double width);

// Draws the columns with their legend, axis, limit and mean. A mark is a device. If there are more
// devices than points, each point shows the highest column.
profiler::MarkedScene deviceChart(const DeviceColumns& columns, const ChartLook& look);

// Draws how much longer the work of each device took than that of the others: a row per device, a
// column per iteration. A mark is a device. Without space for all, a cell shows the highest of its
// devices and iterations. Devices that may have more work than the others are hatched.
profiler::MarkedScene paceMap(const profiler::Stragglers& found, const ChartLook& look);
// "Device 1: 12.0 % longer, median (95 % interval +10.1 to +13.9 %); the slowest in 3 of 3
// iterations"
QString paceText(const profiler::Stragglers& found, engine::DeviceId device);

// Charts of the peak memory and of the bubble by cause, with one column per device, and of the pace
// of the devices in every iteration. The charts are side by side or, in a narrow panel, one above
// the other.
class DevicesPanel : public QWidget
{
    Q_OBJECT

public:
    explicit DevicesPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void showMetrics(const engine::Run& run, const profiler::RunMetrics& metrics);
    // Compares the pace of the devices in the background, once the run is complete.
    void comparePaces(const RunPointer& run);
    void mark(engine::DeviceId device); // without a signal; invalid: none

Q_SIGNALS:
    void chosen(engine::DeviceId device);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    struct Chart
    {
        SceneView* view = nullptr; // hidden if there is nothing to show
        DeviceColumns columns = {};
    };

    using Paces = std::pair<RunPointer, engine::Result<profiler::Stragglers>>;

    SceneView* makeView(const char* name, const ThemeController& theme, SceneView::Describe text);
    void showPaces(const Paces& paces);

    Chart m_memory, m_bubble;
    SceneView* m_pace; // hidden if the run does not show which device is slow
    RunPointer m_pacesOf;
    std::optional<profiler::Stragglers> m_paces;
    Latest<RunPointer, Paces> m_comparison;
    QBoxLayout* m_charts;
    QScrollArea* m_scroll;
    QLabel* m_empty; // in place of the charts
};

} // namespace app
