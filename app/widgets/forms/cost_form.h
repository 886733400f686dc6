#pragma once

#include "app/models/plan/run_plan.h"
#include "app/models/theme.h"
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

// The costs of F, B, messages and all-reduces in a prediction: their source; for assumed costs,
// sliders and a fold section for rarely used ones. Writes into the plan passed to the constructor.
class CostForm : public QWidget
{
    Q_OBJECT

public:
    // Order::Given: the ops exist already, so no pass adds any.
    enum class Order { Built, Given };
    CostForm(const ThemeController& theme, RunPlan& plan, Order order, QWidget* parent = nullptr);

    void showPlan();         // emits no signal
    QString problem() const; // of a refused text
    void showHint();         // also follows the mode of the plan

Q_SIGNALS:
    void edited();
    void planChanged(); // changed by more than the edit: show it again

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
