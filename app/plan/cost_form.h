#pragma once

#include "app/documents/run_loader.h"
#include "app/plan/run_plan.h"
#include "app/ui/theme.h"
#include "engine/base/field.h"

#include <QWidget>

#include <utility>
#include <vector>

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace app {

class BoundFields;
class MoreCosts;
class SegmentControl;
class SliderField;

// Edits the source of the costs of a prediction: assumed costs, a model on hardware, or a recorded
// run. Writes into the plan passed to the constructor.
class CostSourceForm : public QWidget
{
    Q_OBJECT

public:
    CostSourceForm(const ThemeController& theme, RunPlan& plan, QWidget* parent = nullptr);

    void showPlan(); // emits no signal; loads the recorded run of the plan if necessary
    // Loads the run in the background and makes it the cost source. Unless the plan names this run
    // already, it also takes D, N and the data-parallel width from the run, and the number of
    // chunks if the scheme accepts it.
    void takeRun(const QString& file);
    QString problem() const; // why a text was refused; "" if none was

Q_SIGNALS:
    void edited();
    // The source or the sizes changed; the receiver shows the plan again.
    void planChanged();

private:
    QWidget* makeHardware();
    QWidget* makeRecorded();
    void showKind();
    void choose();
    void take(const RunPointer& run);

    RunPlan& m_plan;
    RunLoader m_loader;
    QString m_loading;
    bool m_isOfPlan = false; // the plan names the run that is being loaded
    BoundFields* m_fields;
    SegmentControl* m_kind;
    QWidget *m_hardware, *m_recorded;
    QLineEdit* m_file = nullptr;
    QLabel* m_hint = nullptr;
};

// Edits the costs of a prediction. Has fields for their source and, if the costs are assumed,
// sliders for F, B, messages and all-reduces and a section with rarely used costs. Writes into the
// plan passed to the constructor.
class CostForm : public QWidget
{
    Q_OBJECT

public:
    // Order::Given: the order of the ops is given, so the form does not offer passes that add evict
    // or recompute ops.
    // Order::Searched: nor a hint about closed forms, nor the seed, which is also that of the
    // search.
    enum class Order { Built, Given, Searched };
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
    Order m_order;
    bool m_isShowing = false;
    std::vector<std::pair<SliderField*, const engine::Field<engine::UnitCosts>*>> m_costs;
    CostSourceForm* m_source;
    QWidget* m_units;
    QLabel* m_hint;
    MoreCosts* m_more;
};

} // namespace app
