#pragma once

#include "app/documents/run_library.h"
#include "app/run/kernel_loader.h"
#include "app/run/run_actions.h"
#include "app/run/run_analysis.h"
#include "app/run/run_palette.h"
#include "app/run/run_range.h"
#include "app/run/run_state_view.h"
#include "app/timeline/view/view_preparation.h"
#include "app/ui/theme.h"

#include <QTimer>

#include <memory>

namespace app {

class DetailsPanel;
class FindBar;
class FindController;
class LinkController;
class RunFrame;
class RunLanes;
class RunSaver;
class RunPanels;
class RunPrediction;
class RunsDock;
class TimelineWidget;
class WhyController;

// One run, from the start of its worker to the complete file: timeline, details, tables, loss, log.
// The page only connects its parts; each part owns its state.
class RunPage : public Page
{
    Q_OBJECT

public:
    RunPage(const ThemeController& theme, RunLibrary& library,
            std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);

    QString title() const override { return m_document->title(); }
    QString file() const override { return m_document->file(); }
    bool queryClose() override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override { return m_actions.of(menu); }
    std::vector<std::vector<engine::Note>> notes() const override { return {m_notes->notes()}; }
    int exportedIteration() const override;
    std::optional<engine::Window> exportedRange() const override { return m_range->marked(); }
    QList<QAction*> foundActions(const QString& text) override { return m_palette->find(text); }
    const RunDocument* document() const override { return m_document.get(); }
    QJsonObject state() const override;
    void restoreState(const QJsonObject& state) override;
    LinkController& link() { return *m_link; }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectActions();
    void connectFind();
    void connectNotes();
    void connectTimeline();
    void connectDock();
    void connectReaders();
    void connectDocument();

    void showRun();
    void showView(const RunViewPointer& view);
    void showState();
    void showWaiting();
    void showProgress();
    void showEnd();
    void askForMore();
    void showKernels(const KernelViewPointer& kernels, const QString& reason);
    void showIteration(int iteration);
    void select(const Selection& selection);
    RunStateView::Facts facts() const;
    const RunViewPointer& view() const; // view of timeline, details and tables; may be nullptr
    void runAgain();

    const ThemeController& m_theme;
    RunLibrary& m_library;
    std::shared_ptr<RunDocument> m_document;
    RunAnalysis m_analysis;
    ViewPreparation m_views;
    KernelLoader m_kernels;
    profiler::RunMetrics m_metrics;
    bool m_hasEnded = false; // whether the end of the run was shown
    QTimer m_progressLater;  // updates all parts together, so that they show the same progress

    RunActions m_actions;
    RunsDock* m_runs;
    RunToolbar* m_toolbar;
    TimelineWidget* m_timeline;
    RunStateView* m_state; // contains the timeline
    RunPanels* m_panels;
    DetailsPanel* m_details;
    FindBar* m_findBar;
    FindController* m_find;
    NoteController* m_notes;
    RunRange* m_range;
    RunPrediction* m_prediction;
    RunLanes* m_lanes;
    RunPalette* m_palette;
    RunSaver* m_saver;
    WhyController* m_why;
    LinkController* m_link;
    RunFrame* m_frame = nullptr; // contains all parts
};

} // namespace app
