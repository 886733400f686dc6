#pragma once

#include "app/models/numbers.h"
#include "app/models/plan/fault.h"
#include "app/models/plan/prediction.h"
#include "app/models/tables/table_model.h"

#include <memory>

namespace app {

// A scheme at one D, N and cost.
struct SchemeRow
{
    QString scheme, title;
    QString condition; // why it is impossible; "" when it is possible
    std::shared_ptr<const engine::Result<Prediction>> answer; // null: not predicted yet

    const Prediction* prediction() const // null also where the validator refuses the schedule
    {
        const bool isThere = answer != nullptr && answer->has_value();
        return isThere && (*answer)->isValid() ? &**answer : nullptr;
    }
    QString reason() const; // the condition, or what simulator and validator refuse
};

// All schemes, predicted alike; impossible ones stay, with their condition, below the others
// however they are sorted.
class SchemeTableModel : public TableModel<SchemeRow>
{
    Q_OBJECT

public:
    enum class Column : int { Scheme, Iteration, Bubble, Stash, Weights, Memory, Messages, Local };
    using Row = SchemeRow;

    explicit SchemeTableModel(QObject* parent = nullptr);

    // New numbers for all schemes. A possible scheme keeps its last answer until the next one
    // comes, so that nothing blinks while a slider moves.
    void setRows(std::vector<Row> rows);
    using Answer = std::shared_ptr<const engine::Result<Prediction>>;
    void answer(const QString& scheme, Answer answer);
    void answer(std::vector<std::pair<QString, Answer>> answers); // sorted once
    // Units that the whole width of a thumbnail stands for. Pictures share one time scale; one that
    // is much longer than the others is cut.
    double thumbnailUnits() const { return m_thumbnailUnits; }
    bool hasMemory() const { return m_largestMemory > 0; } // in bytes; else the column is empty
    int rowOf(const QString& scheme) const;                // -1: not there
    void setChosen(const QString& scheme);                 // drawn strong
    QString csv() const; // header, then the rows as shown; refused: the reason

private:
    int rank(const Row& row) const override;
    Columns columns() const;
    TableColumn<Row> schemeColumn() const;
    QString text(const Row& row, Column column) const;
    void show(std::vector<Row> rows); // sorted, and on scales that suit them

    QString m_chosen;
    double m_thumbnailUnits = 1, m_largestStash = 1; // of the answers that are there
    Scale m_time, m_bytes;
    bool m_isInUnits = true;
    std::int64_t m_largestMemory = 0;
};

double largestStash(const profiler::RunMetrics& metrics);   // peak of any device, M_a
double largestWeights(const profiler::RunMetrics& metrics); // M_theta
std::optional<std::int64_t> largestMemory(const profiler::RunMetrics& metrics); // bytes
// "Device 0 needs 96.20 GiB at its peak and has 80.00; ...": "" where all fit, or nothing is known.
QString memoryExcess(const Prediction& prediction);

} // namespace app
