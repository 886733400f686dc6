#pragma once

#include "app/documents/run_loader.h"
#include "app/plan/run_plan.h"
#include "app/ui/theme.h"
#include "engine/base/field.h"

#include <QWidget>

#include <functional>
#include <utility>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {

class BoundFields;
class SegmentControl;
class SliderField;

// A section that is opened and closed by clicking its title line.
class FoldSection : public QWidget
{
public:
    // `title` names the content: "More costs".
    FoldSection(QString title, const QString& objectName);

    QVBoxLayout& rows() { return *m_rows; }
    bool isOpen() const { return !m_content->isHidden(); }
    void setOpen(bool open);

private:
    QString m_title;
    QPushButton* m_button;
    QWidget* m_content;
    QVBoxLayout* m_rows;
};

// Edits the costs of a prediction: their source (assumed costs, a model on hardware or a recorded
// run), sliders for assumed costs, and a section with rarely used costs and passes. We write into
// the plan passed to the constructor, because the page of the form has fields of the same plan.
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

    // Emits no signal. Loads the recorded run of the plan if necessary, and opens the section if
    // one of its settings differs from its default.
    void showPlan();
    QString problem() const; // why a text was refused; "" if none was
    void showHint();         // call it after the mode of the plan has changed
    // Loads the run in the background and makes it the cost source. Unless the plan names this run
    // already, it also takes D, N and the data-parallel width from the run, and the number of
    // chunks if the scheme accepts it.
    void takeRun(const QString& file);

Q_SIGNALS:
    void edited();
    // The edit changed more than its own field; the receiver shows the plan again.
    void planChanged();

private:
    using CostField = engine::Field<engine::UnitCosts>;
    QWidget* makeHardware();
    QWidget* makeRecorded();
    QWidget* makeUnits();
    QWidget* makeHead();
    SliderField* makeCost(const char* flag, int most);
    void makeMore();
    void addPasses();
    // Adds a widget with a row for each cost for which `isIn` returns true. The costs of one widget
    // are hidden together.
    QWidget* addGroup(const std::function<bool(const CostField&)>& isIn);
    void showSource(); // shows the rows that apply to the source of the costs
    void replaced();   // more than a field has changed
    void take(const RunPointer& run);
    void changed();

    const ThemeController& m_theme;
    RunPlan& m_plan;
    Order m_order;
    RunLoader m_loader;
    QString m_loading;
    bool m_isOfPlan = false; // the plan names the run that is being loaded
    bool m_isShowing = false;
    std::vector<std::pair<SliderField*, const CostField*>> m_costs;
    BoundFields* m_fields;
    SegmentControl* m_kind;
    QLineEdit* m_file = nullptr;
    QLabel *m_fileHint = nullptr, *m_hint;
    QWidget *m_hardware, *m_recorded, *m_units;
    FoldSection* m_more;
    // Groups of the section:
    QWidget *m_assumed = nullptr, *m_nodes = nullptr, *m_across = nullptr, *m_joint = nullptr;
};

} // namespace app
