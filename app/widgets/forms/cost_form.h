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

// What F, B, messages and all-reduces cost in a prediction: where that is from; where it is
// assumed, sliders for what is changed often, more behind a line. Writes into the plan that it was
// made with.
class CostForm : public QWidget
{
    Q_OBJECT

public:
    // Order::Given: the ops are there already, no pass adds any.
    enum class Order { Built, Given };
    CostForm(const ThemeController& theme, RunPlan& plan, Order order, QWidget* parent = nullptr);

    void showPlan();         // no signal
    QString problem() const; // of a text that was refused
    void showHint();         // follows the mode of the plan, too

Q_SIGNALS:
    void edited();
    void planChanged(); // by more than was edited: it is to be shown anew

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
