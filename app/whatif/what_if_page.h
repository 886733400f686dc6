#pragma once

#include "app/shell/page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/whatif/what_if.h"
#include "profiler/whatif/changes.h"

#include <utility>
#include <vector>

class QAbstractTableModel;

namespace app {

// The number of layers that each stage executes, in the order of the stages. Layers keep their
// order, so a split is its borders, and the moves of a what-if are the difference of two splits.
using LayerSplit = std::vector<int>;

std::vector<profiler::LayerMove> layerMoves(const LayerSplit& measured, const LayerSplit& split);
LayerSplit withMoves(LayerSplit measured, const std::vector<profiler::LayerMove>& moves);
// The least and the greatest number of layers that can be before a border, which is named by the
// stage that ends there. The stages beside it each keep a layer that they have in `measured`.
std::pair<int, int> borderRange(const LayerSplit& measured, const LayerSplit& split, int border);
// Moves the border to `before` layers, clamped to borderRange().
LayerSplit withBorder(const LayerSplit& measured, LayerSplit split, int border, int before);

// The layers of each stage as a bar whose inner borders move layers between neighbouring stages. A
// border is dragged, or chosen by the left and right keys and moved by the minus and plus keys.
class LayerBar : public ThemedWidget
{
    Q_OBJECT

public:
    explicit LayerBar(const ThemeController& theme);

    // Emits no signal. Every stage has at least one layer.
    void setSplit(const LayerSplit& measured, const LayerSplit& split);
    const LayerSplit& measured() const { return m_measured; }
    const LayerSplit& split() const { return m_split; }
    int borderX(int border) const; // centre of the handle

Q_SIGNALS:
    void changed();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    int layersBefore(int border) const;
    int borders() const { return static_cast<int>(m_split.size()) - 1; }
    int borderAt(int x) const; // -1: none is near
    void choose(int border);
    void move(int border, int before);

    LayerSplit m_measured, m_split;
    int m_current = 0, m_hovered = -1, m_dragged = -1; // borders; -1: none
};

// All schemes, predicted with the measured times of one run. The shortest iteration comes first.
// Schemes that are not possible or do not fit in memory come last and show the reason.
class WhatIfModel : public TableModel<WhatIfRow>
{
public:
    enum Column : int { Scheme, Iteration, Difference, Bubble, Memory, Fits, Range, Bars };

    // `measured` is the iteration of the run in ns.
    explicit WhatIfModel(std::int64_t measured, QObject* parent = nullptr);

    void update(const std::vector<WhatIfRow>& changed);   // other schemes keep their last values
    void setMemory(const engine::MemoryCapacity& memory); // of a device; unknown: no limit
    void setMeasured(std::int64_t measured);              // baseline of differences, in ns
    const engine::MemoryCapacity& memory() const { return m_memory; }

    const WhatIfRow* find(const QString& scheme) const; // nullptr: unknown
    int rowOf(const QString& scheme) const { return rowWith(&WhatIfRow::scheme, scheme); }
    // the scheme that fits and has the shortest iteration; "" if none fits
    QString best() const { return rowCount() > 0 && fits(at(0)) ? at(0).scheme : QString(); }
    int fitting() const;
    bool isComplete() const; // whether each scheme has a prediction or the reason why not
    bool knowsBytes() const { return m_mostBytes > 0; }
    Scale time() const { return m_time; }
    // "88.0 GiB on device 0, 8.0 GiB too much (75.2 GiB usable of 79.2 GiB: reserve 5 %)"; "" if
    // the scheme fits or its memory is unknown.
    QString excess(const WhatIfRow& row) const;

private:
    int rank(const WhatIfRow& row) const override { return fits(row) ? 0 : row.isKnown ? 1 : 2; }
    bool fits(const WhatIfRow& row) const { return row.isKnown && excess(row).isEmpty(); }
    using Shown = TableColumn<WhatIfRow>;
    Columns columns() const;
    Columns firstColumns() const;
    Columns resultColumns() const;
    void rescale();
    double difference(const WhatIfRow& row) const;      // in % of the measured iteration
    bool isDistinguishable(const WhatIfRow& row) const; // from the measured iteration
    Interval interval(const WhatIfRow& row) const;

    std::int64_t m_measured, m_mostBytes = 0;
    engine::MemoryCapacity m_memory;
    std::int64_t m_first = 0, m_last = 1; // both ends of the bars' scale, in ns
    Scale m_time, m_bytes;
};

// The measured times of each stage and, in the last row, their sum. The user can edit the times
// (1 to 10¹⁵ ns) and, if it was not measured, the share of W in B.
QAbstractTableModel* makeStageCosts(const engine::Schedule& schedule, profiler::MeasuredTimes times,
                                    WhatIfEdits& edits, QObject* parent);

// The page that predicts other schemes, and changed times, from the measured times of a run.
Page* makeWhatIf(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document);

} // namespace app
