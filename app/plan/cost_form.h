#pragma once

#include "app/plan/run_plan.h"
#include "app/ui/theme.h"
#include "engine/base/field.h"

#include <QWidget>

#include <utility>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace app {

class CostSourceForm;
class MoreCosts;
class SliderField;

// Edits the costs of a prediction. Has fields for their source and, if the costs are assumed,
// sliders for F, B, messages and all-reduces and a section with rarely used costs. Writes into the
// plan passed to the constructor.
class CostForm : public QWidget
{
    Q_OBJECT

public:
    // Order::Given: the order of the ops is given, so the form does not offer passes that add evict
    // or recompute ops.
    enum class Order { Built, Given };
    CostForm(const ThemeController& theme, RunPlan& plan, Order order, QWidget* parent = nullptr);

    void showPlan();         // emits no signal
    QString problem() const; // why a text was refused; "" if none was
    void showHint();         // call it after the mode of the plan has changed

Q_SIGNALS:
    void edited();
    // The edit changed more than its own field; the receiver shows the plan again.
    void planChanged();

private:
    QWidget* makeUnits();
    void makeHead(QVBoxLayout& column);
    SliderField* makeCost(const char* flag, int most);
    void changed();

    const ThemeController& m_theme;
    RunPlan& m_plan;
    bool m_isShowing = false;
    std::vector<std::pair<SliderField*, const engine::Field<engine::UnitCosts>*>> m_costs;
    CostSourceForm* m_source;
    QWidget* m_units;
    QLabel* m_hint;
    MoreCosts* m_more;
};

} // namespace app
