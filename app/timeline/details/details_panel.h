#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/details/details.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"
#include "engine/timeline/note.h"
#include "profiler/analysis/metrics.h"

#include <QScrollArea>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace app {

// A scroll area with details. It keeps its position while the title stays.
class DetailsView : public QScrollArea
{
public:
    using Follow = std::function<void(const Selection&)>; // called when a link is clicked

    // `empty` is shown without details.
    DetailsView(
        const ThemeController& theme, const char* name, const QString& title,
        EmptyState::Texts empty, Follow follow = [](const Selection&) {});
    void show(Details details);
    using QWidget::show;

private:
    void layOut();

    const ThemeController& m_theme;
    EmptyState::Texts m_empty;
    Follow m_follow;
    Details m_shown;
};

// Describes the selection (name, duration, cause, chain and facts), or the whole run if nothing is
// selected.
class DetailsPanel : public QWidget
{
    Q_OBJECT

public:
    // What the details describe besides the run and the selection.
    struct Facts
    {
        QString file;                                // of the run; named below its title
        KernelViewPointer kernels;                   // nullptr: unknown
        std::optional<profiler::RangeMetrics> range; // shown while exactly that range is selected
        FoundPointer hits;                           // described while nothing is selected
        std::vector<engine::Note> notes;             // sorted by time
        RunPointer prediction;                       // see DetailsContext::predicted
        // Shown while nothing is selected, even before `running` has a view; nullopt: not running.
        std::optional<RunProgress> progress;
        RunPointer running;
    };

    explicit DetailsPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(RunViewPointer view, const Selection& selection); // nullptr: clears the panel
    using QWidget::show;
    template<class Fact>
    void set(Fact Facts::*fact, std::type_identity_t<Fact> value)
    {
        m_facts.*fact = std::move(value);
        refresh();
    }
    QString text() const; // the details as plain text; also while the panel is hidden
    QSize sizeHint() const override { return {292, 600}; }

Q_SIGNALS:
    void jumpTo(const app::Selection& selection); // a link to an op was clicked

protected:
    void showEvent(QShowEvent* event) override;

private:
    Details details() const;
    void refresh();

    RunViewPointer m_view;
    Selection m_selection;
    Facts m_facts;
    DetailsView* m_details;
};

} // namespace app
