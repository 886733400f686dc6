#pragma once

#include "app/documents/run_document.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"

#include <optional>

namespace app {

struct IterationRow
{
    engine::Iteration::Kind kind = engine::Iteration::Kind::Measured;
    int number = 0;
    std::int64_t duration = 0;
    double bubbleRatio = 0;
    std::optional<double> loss, gradientNorm, tokensPerSecond;

    friend bool operator==(const IterationRow&, const IterationRow&) = default;
};

// Returns the rows of the iterations from `first` on. May be called on any thread if the run no
// longer changes.
std::vector<IterationRow> iterationRows(const engine::Run& run, std::size_t first);

// Returns the name of an iteration in tables and steppers: "warm-up 0", "0", "typical ops".
QString iterationName(const engine::Timeline& timeline, int iteration);

// Table of the duration, bubble, loss, gradient norm and throughput of each iteration. Row i is
// Timeline::iterations[i].
class IterationsModel : public TableModel<IterationRow>
{
    Q_OBJECT

public:
    explicit IterationsModel(QObject* parent = nullptr);

    // The rows [first, first + rows.size()) are new or have changed. `info` belongs to the run.
    void update(const engine::RunInfo& info, std::size_t first, std::vector<IterationRow> rows);
    void clear() { reset(columns(), {}); }

private:
    Columns columns() const;

    Scale m_time;
};

} // namespace app
