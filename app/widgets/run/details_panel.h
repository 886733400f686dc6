#pragma once

#include "app/models/theme.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QWidget>

#include <memory>

namespace app {

// Describes the selection (name, duration, cause, chain and facts), or the whole run if nothing is
// selected.
class DetailsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit DetailsPanel(const ThemeController& theme, QWidget* parent = nullptr);
    ~DetailsPanel() override;

    void show(RunViewPointer view, const Selection& selection); // nullptr: clears the panel
    void setKernels(KernelViewPointer kernels); // kernels of the shown run; nullptr: unknown
    using QWidget::show;
    QSize sizeHint() const override;

Q_SIGNALS:
    void jumpTo(const app::Selection& selection); // a link to an op was clicked

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace app
