#pragma once

#include "app/ui/table_model.h"
#include "engine/timeline/import_report.h"

#include <optional>
#include <vector>

namespace app {

// The share of time that a rule classifies: `before` with only the built-in rules, `after` with the
// user's rules added. A row without a name is the time that no rule matches.
struct RulePreviewRow
{
    QString name, title;
    double before = 0, after = 0;
    std::int64_t matches = 0; // number of matches with the user's rules
};

// Table of the coverage of every rule, without and with the user's rules. The largest change is
// first.
class RulesPreviewModel : public TableModel<RulePreviewRow>
{
    Q_OBJECT

public:
    explicit RulesPreviewModel(QObject* parent = nullptr);
    // If `after` is nullopt, only the coverage without the user's rules is shown.
    void show(const engine::ImportReport& before,
              const std::optional<engine::ImportReport>& after = {});

private:
    int rank(const RulePreviewRow& row) const override { return row.name.isEmpty() ? 1 : 0; }
};

} // namespace app
