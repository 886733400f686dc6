#pragma once

#include "app/models/theme.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QWidget>

#include <memory>

namespace app {

// What is selected, in the order of visual-design.md ("Details dock"): what and how long, cause,
// chain, facts. Nothing selected: the run as a whole.
class DetailsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit DetailsPanel(const ThemeController& theme, QWidget* parent = nullptr);
    ~DetailsPanel() override;

    void show(RunViewPointer view, const Selection& selection); // may be null: nothing selected
    void setKernels(KernelViewPointer kernels); // of the run that is shown; null: none are known
    using QWidget::show;
    QSize sizeHint() const override;

Q_SIGNALS:
    void jumpTo(const app::Selection& selection); // a link to an op was followed

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace app
