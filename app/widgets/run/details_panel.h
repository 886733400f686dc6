#pragma once

#include "app/models/theme.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QWidget>

#include <memory>

namespace app {

// The selection: what it is, how long it took, its
// cause, chain and facts; the run as a whole where nothing is selected.
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
