#pragma once

#include "app/documents/run_document.h"
#include "app/figures/device_columns.h"
#include "app/ui/latest.h"
#include "app/ui/numbers.h"
#include "profiler/analysis/metrics.h"
#include "profiler/why/stragglers.h"

#include <QString>
#include <QWidget>

#include <array>
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

// The bubble by cause. Empty if no device has a bubble.
DeviceColumns bubbleColumns(const engine::Run& run, const profiler::RunMetrics& metrics);

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

    using Paces = std::pair<RunPointer, engine::Result<profiler::Stragglers>>;

    std::array<SceneView*, 3> views() const { return {m_memory, m_bubble, m_pace}; }
    void showPaces(const Paces& paces);

    DeviceView *m_memory, *m_bubble; // hidden if there is nothing to show
    SceneView* m_pace;               // hidden if the run does not show which device is slow
    RunPointer m_pacesOf;
    std::optional<profiler::Stragglers> m_paces;
    Latest<RunPointer, Paces> m_comparison;
    QBoxLayout* m_charts;
    QScrollArea* m_scroll;
    QLabel* m_empty; // in place of the charts
};

} // namespace app
