#pragma once

#include "app/jobs/kernel_loader.h"
#include "app/jobs/run_analysis.h"
#include "app/jobs/run_library.h"
#include "app/jobs/run_notes.h"
#include "app/jobs/view_preparation.h"
#include "app/models/theme.h"
#include "app/timeline/view/selection.h"
#include "app/widgets/controls/page.h"

#include <memory>
#include <optional>

class QAction;
class QSplitter;
class QStackedWidget;

namespace app {

class Band;
class DetailsPanel;
class RunPanels;
class RunsDock;
class RunToolbar;
class TimelineWidget;

// One run, from the start of its worker to the last reading of its file: timeline, details, tables,
// loss, log (mockups timeline-light.png, running.png, narrow.png).
class RunPage : public Page
{
    Q_OBJECT

public:
    RunPage(const ThemeController& theme, RunLibrary& library,
            std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);
    ~RunPage() override;

    QString title() const override { return m_document->title(); }
    QString file() const override { return m_document->file(); }
    bool queryClose() override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    std::vector<std::vector<engine::Note>> notes() const override { return {m_notes.notes()}; }
    int exportedIteration() const override;
    const RunDocument& document() const { return *m_document; }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Parts;

    void makeActions();
    void buildLayout();
    QWidget* makeCentre();
    void connectActions();
    void connectLook();
    void connectFind();
    void connectTimeline();
    void connectDocument();

    void showRun();
    void showView(const RunViewPointer& view);
    void showState();
    void showWaiting();
    void reportFinished();
    void showNotice();
    void showFailure(bool isFailed);
    void askForKernels();
    void showKernels(const KernelViewPointer& kernels, const QString& failure);
    void setKernelsShown(bool shown);
    void showIteration(int iteration);
    void select(const Selection& selection);
    void setDetailsVisible(bool visible);
    bool isExplainedInPlace() const;
    void showPopover();
    void askForNotes();
    void connectNotes();
    void showNotes();
    QString whyNoNotes() const; // "": notes can be made
    bool prepareNote();
    void beginNote();
    void addNote(const QString& words);
    void refuseNote(const engine::Note& note, const QString& reason);
    void askForCopy(const std::optional<engine::Note>& note); // which the copy shall have
    void search();
    void stepHit(int by);
    void endSearch();
    QString hitText() const;
    QString hitName(const Selection& hit) const;
    void fold();
    void runAgain();

    const ThemeController& m_theme;
    RunLibrary& m_library;
    std::shared_ptr<RunDocument> m_document;
    RunAnalysis m_analysis;
    ViewPreparation m_views;
    KernelLoader m_kernels;
    RunNotes m_notes;
    std::optional<engine::Note> m_refusedNote; // for a copy of the run
    Background m_copying{this};
    RunPointer m_kernelsOf; // for which they were asked
    RunViewPointer m_view;  // shown by timeline, details and tables; null: none yet
    std::unique_ptr<Parts> m;
    bool m_isReported = false; // runOpened() was sent
    profiler::RunMetrics m_metrics;
};

} // namespace app
