#pragma once

#include "app/plan/run_plan.h"
#include "app/ui/theme.h"

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace app {

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
    static CostForm* make(const ThemeController& theme, RunPlan& plan, Order order);

    // Emits no signal. Loads the recorded run of the plan if necessary, and opens the section if
    // one of its settings differs from its default.
    virtual void showPlan() = 0;
    virtual QString problem() const = 0; // why a text was refused; "" if none was
    virtual void showHint() = 0;         // call it after the mode of the plan has changed
    // Loads the run in the background and makes it the cost source. Unless the plan names this run
    // already, it also takes D, N and the data-parallel width from the run, and the number of
    // chunks if the scheme accepts it.
    virtual void takeRun(const QString& file) = 0;

Q_SIGNALS:
    void edited();
    // The edit changed more than its own field; the receiver shows the plan again.
    void planChanged();
};

} // namespace app
