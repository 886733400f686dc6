#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/theme.h"
#include "engine/timeline/note.h"
#include "profiler/analysis/range_metrics.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

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
    void setFile(const QString& file);                          // of the run; named below its title
    void setKernels(KernelViewPointer kernels); // kernels of the shown run; nullptr: unknown
    // Metrics of the marked range; shown while exactly that range is selected.
    void setRange(const profiler::RangeMetrics& metrics);
    void setHits(FoundPointer hits); // described while nothing is selected; nullptr: none
    void setNotes(std::vector<engine::Note> notes); // sorted by time
    // Sets the progress of a run, which is shown while nothing is selected, even before the run has
    // a view; nullopt: the run is not in progress.
    void setProgress(const std::optional<RunProgress>& progress, const RunPointer& run);
    void setPrediction(RunPointer prediction); // see DetailsContext::predicted
    using QWidget::show;
    QString text() const; // the details as plain text; also while the panel is hidden
    QSize sizeHint() const override;

Q_SIGNALS:
    void jumpTo(const app::Selection& selection); // a link to an op was clicked

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace app
