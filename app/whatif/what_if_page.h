#pragma once

#include "app/shell/page.h"
#include "app/ui/data_table.h"
#include "app/ui/table_model.h"
#include "app/whatif/what_if.h"

class QAbstractTableModel;

namespace app {

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
