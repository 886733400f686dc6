#pragma once

#include "app/models/tables/table_model.h"
#include "engine/timeline/import_report.h"

#include <optional>
#include <vector>

namespace app {

// The share of time that a rule classifies, without and with the user's rules. A row without a name
// is the time that no rule matches.
struct RulePreviewRow
{
    QString name, title;
    double before = 0, after = 0;
    std::int64_t matches = 0; // with the user's rules
};

// The coverage of every rule without and with the user's rules, largest change first.
class RulesPreviewModel : public TableModel<RulePreviewRow>
{
    Q_OBJECT

public:
    explicit RulesPreviewModel(QObject* parent = nullptr);
    // Without `after`, only the coverage before is shown.
    void show(const engine::ImportReport& before,
              const std::optional<engine::ImportReport>& after = {});

private:
    int rank(const RulePreviewRow& row) const override { return row.name.isEmpty() ? 1 : 0; }
};

} // namespace app
