#pragma once

#include "app/models/numbers.h"
#include "app/models/run_document.h"
#include "app/models/tables/table_model.h"

#include <optional>

namespace app {

// One iteration of a run in a table.
struct IterationRow
{
    engine::Iteration::Kind kind = engine::Iteration::Kind::Measured;
    int number = 0;
    std::int64_t duration = 0;
    double bubbleRatio = 0;
    std::optional<double> loss, gradientNorm, tokensPerSecond;

    friend bool operator==(const IterationRow&, const IterationRow&) = default;
};

// The rows of iterations [first, end). Any thread may call it for a run that no longer changes.
std::vector<IterationRow> iterationRows(const engine::Run& run, std::size_t first);

// "warm-up 0", "0", "median iteration": the name of an iteration in tables and steppers.
QString iterationName(const engine::Timeline& timeline, int iteration);

// Duration, bubble, loss, gradient norm and throughput of each iteration; row i is
// Timeline::iterations[i].
class IterationsModel : public TableModel<IterationRow>
{
    Q_OBJECT

public:
    explicit IterationsModel(QObject* parent = nullptr);

    // Rows [first, first + rows.size()) of `info`'s run are new or have changed.
    void update(const engine::RunInfo& info, std::size_t first, std::vector<IterationRow> rows);
    void clear() { reset(columns(), {}); }

private:
    Columns columns() const;

    Scale m_time;
};

} // namespace app
