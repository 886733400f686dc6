#pragma once

#include "app/plan/fault.h"
#include "app/plan/prediction.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"

#include <memory>

namespace app {

// A scheme with the D, N and costs of the table.
struct SchemeRow
{
    QString scheme, title;
    QString condition; // why the scheme is not possible; "" if it is possible
    std::shared_ptr<const engine::Result<Prediction>> answer; // null: not predicted yet
    bool isOutdated = false; // whether `answer` is for earlier settings

    // Null if not predicted yet, or if the validator refused the schedule.
    const Prediction* prediction() const
    {
        const bool isThere = answer != nullptr && answer->has_value();
        return isThere && (*answer)->isValid() ? &**answer : nullptr;
    }
    QString reason() const; // the condition, or the error of the simulator or the validator
};

// Table of all schemes with the same settings. Schemes that are not possible come last in any sort
// order and show their condition.
class SchemeTableModel : public TableModel<SchemeRow>
{
    Q_OBJECT

public:
    enum class Column : int {
        Scheme,
        Iteration,
        Bubble,
        Stash,
        Weights,
        Memory,
        Messages,
        Local,
        Fits
    };
    using Row = SchemeRow;

    explicit SchemeTableModel(QObject* parent = nullptr);

    // Replaces the rows. A scheme that is still possible keeps its result until the next one
    // arrives, so that the table does not flicker while a slider moves. Results that are not
    // replaced by the next answer() with results are muted.
    void setRows(std::vector<Row> rows);
    using Answer = std::shared_ptr<const engine::Result<Prediction>>;
    void answer(const QString& scheme, Answer answer);
    void answer(std::vector<std::pair<QString, Answer>> answers); // sorts once
    // The time that the width of a thumbnail represents, in the unit of Thumbnail::duration. All
    // thumbnails share this scale; much longer schedules are cut.
    double thumbnailUnits() const { return m_thumbnailUnits; }
    bool hasMemory() const { return m_largestMemory > 0; } // if false, the column is omitted
    int rowOf(const QString& scheme) const;                // -1: not found
    void setChosen(const QString& scheme);                 // this row is drawn bold
    bool isComplete() const; // whether each scheme has its numbers or its reason
    // Header and rows in the order shown. Refused schemes have their reason; results for earlier
    // settings are left out.
    QString csv() const;

private:
    int rank(const Row& row) const override;
    Columns columns() const;
    TableColumn<Row> schemeColumn() const;
    TableColumn<Row> fitsColumn() const; // whether the schedule fits in the memory of the devices
    QString text(const Row& row, Column column) const;
    void show(std::vector<Row> rows); // sorts, and determines the scales

    QString m_chosen;
    double m_thumbnailUnits = 1, m_largestStash = 1; // maxima over the results so far
    Scale m_time, m_bytes;
    bool m_isInUnits = true;
    bool m_mutesOutdated = false; // whether an answer arrived since setRows()
    std::int64_t m_largestMemory = 0, m_usableMemory = 0; // bytes; 0: unknown
};

// Returns a sentence if a device does not fit: "Device 0 needs 96.20 GiB at its peak; a100-sxm-80
// has 75.2 GiB usable of 79.2 GiB: reserve 5 %. ..."; "" if all devices fit or the memory is
// unknown.
QString memoryExcess(const Prediction& prediction);

} // namespace app
