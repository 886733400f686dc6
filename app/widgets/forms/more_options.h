#pragma once

#include "app/models/plan/run_plan.h"
#include "app/models/theme.h"
#include "app/widgets/controls/fold_section.h"

class QLabel;

namespace app {

class BoundFields;

// The costs and passes of a prediction that few change: what `bscope simulate` has beyond F, B, P2P
// and all-reduce. Writes into the plan that it was made with.
class MoreCosts : public FoldSection
{
    Q_OBJECT

public:
    // `hasPasses`: evict and recompute can still be added to the order.
    MoreCosts(const ThemeController& theme, RunPlan& plan, bool hasPasses,
              QWidget* parent = nullptr);
    void showPlan();         // no signal; opens where something in it is set
    QString problem() const; // BoundFields::problem()

Q_SIGNALS:
    void edited();

private:
    void addPasses();
    // Rows of the given costs in a widget of their own, so that they can be hidden.
    QWidget* addGroup(std::initializer_list<const char*> flags);
    void showGroups(); // what counts beside the source of the costs

    RunPlan& m_plan;
    BoundFields* m_fields;
    QWidget *m_units, *m_nodes, *m_across, *m_joint;
};

// The same of a run: sizes of the model, attention, sums, the assumed link, GPUs.
class MoreTraining : public FoldSection
{
    Q_OBJECT

public:
    MoreTraining(const ThemeController& theme, RunPlan& plan, QWidget* parent = nullptr);
    void showPlan();
    QString problem() const;
    void showEffects(); // which settings have none, as the plan now is

Q_SIGNALS:
    void edited();

private:
    RunPlan& m_plan;
    BoundFields* m_fields;
    QLabel* m_offReason;
};

} // namespace app
