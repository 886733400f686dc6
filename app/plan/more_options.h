#pragma once

#include "app/plan/run_plan.h"
#include "app/ui/theme.h"
#include "engine/base/field.h"

#include <QWidget>

#include <functional>
#include <string_view>

class QPushButton;
class QVBoxLayout;
class QLabel;

namespace app {

class BoundFields;

// A section that is opened and closed by clicking its title line.
class FoldSection : public QWidget
{
    Q_OBJECT

public:
    // `title` names the content: "More costs".
    FoldSection(QString title, const QString& objectName, QWidget* parent = nullptr);

    QVBoxLayout& rows() { return *m_rows; }
    bool isOpen() const;
    void setOpen(bool open);

private:
    QString m_title;
    QPushButton* m_button;
    QWidget* m_content;
    QVBoxLayout* m_rows;
};

// Rarely used costs and passes of a prediction: the options of `bscope simulate` except F, B, P2P
// and all-reduce. Writes to the plan passed to the constructor.
class MoreCosts : public FoldSection
{
    Q_OBJECT

public:
    // `hasPasses`: whether the section offers to add evict and recompute ops to the schedule.
    // `leftOut`: the option of a cost that another section has; "" if none.
    MoreCosts(const ThemeController& theme, RunPlan& plan, bool hasPasses,
              std::string_view leftOut = {}, QWidget* parent = nullptr);
    void showPlan();         // emits no signal; opens if a setting differs from its default
    QString problem() const; // see BoundFields::problem()

Q_SIGNALS:
    void edited();

private:
    void addPasses();
    // Adds a widget with a row for each cost for which `isIn` returns true. The costs of one widget
    // are hidden together.
    using CostField = engine::Field<engine::UnitCosts>;
    QWidget* addGroup(const std::function<bool(const CostField&)>& isIn);
    void showGroups(); // shows the costs that apply to the current source

    RunPlan& m_plan;
    std::string_view m_leftOut;
    BoundFields* m_fields;
    QWidget *m_units, *m_nodes, *m_across, *m_joint;
};

// The rarely used settings of a run: model sizes, attention, gradient sums, the assumed link, GPUs.
class MoreTraining : public FoldSection
{
    Q_OBJECT

public:
    MoreTraining(const ThemeController& theme, RunPlan& plan, QWidget* parent = nullptr);
    void showPlan();
    QString problem() const;
    void showEffects(); // disables settings without effect in the current plan

Q_SIGNALS:
    void edited();

private:
    RunPlan& m_plan;
    BoundFields* m_fields;
    QLabel* m_offReason;
};

} // namespace app
