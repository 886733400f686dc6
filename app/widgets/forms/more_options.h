#pragma once

#include "app/models/plan/run_plan.h"
#include "app/models/theme.h"
#include "app/widgets/controls/fold_section.h"

class QComboBox;
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
    void showPlan(); // no signal; opens where something in it is set

Q_SIGNALS:
    void edited();

private:
    void addPasses();
    void addCosts();
    void addLinks();
    void addRules();
    QVBoxLayout& addGroup(QWidget*& group);
    void showGroups(); // what counts beside the source of the costs

    RunPlan& m_plan;
    BoundFields* m_fields;
    QWidget *m_units = nullptr, *m_nodes = nullptr, *m_across = nullptr, *m_joint = nullptr;
};

// The same of a run: sizes of the model, attention, sums, the assumed link.
class MoreTraining : public FoldSection
{
    Q_OBJECT

public:
    MoreTraining(const ThemeController& theme, RunPlan& plan, QWidget* parent = nullptr);
    void showPlan();
    void showGpus(); // follows what the plan runs on

Q_SIGNALS:
    void edited();

private:
    void addGpus();

    RunPlan& m_plan;
    BoundFields* m_fields;
    QComboBox *m_transport = nullptr, *m_graphs = nullptr;
    QLabel* m_offReason = nullptr;
};

} // namespace app
