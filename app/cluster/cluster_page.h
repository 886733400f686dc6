#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/cluster/results_panel.h"
#include "app/shell/page.h"
#include "app/ui/latest.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"

#include <QTimer>

#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace app {

class DataTable;
class SegmentControl;
class SpinField;

// Runs an experiment on a cluster: writes a kit, checks it, and imports the results to compare them
// with the prediction and with a run of this machine. Nothing is written or copied while the kit of
// a changed plan is being made, because it would be the kit of the earlier plan.
class ClusterPage : public Page
{
    Q_OBJECT

public:
    // Opens the page for `plan`, the plan of a set-up, or for `emulated`, a run that recorded its
    // experiment.
    ClusterPage(const ThemeController& theme, RunLibrary& library, const ClusterPlan& plan,
                QWidget* parent = nullptr);
    ClusterPage(const ThemeController& theme, RunLibrary& library,
                std::shared_ptr<RunDocument> emulated, QWidget* parent = nullptr);
    ~ClusterPage() override;

    QString title() const override { return tr("Run on a cluster"); }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;

    void writeTo(const QString& folder, engine::IfExists ifExists);
    void takeResults(const QStringList& paths) { m_results->take(paths); }
    // nullptr: opened for a set-up
    const RunDocument* document() const override { return m_emulated.get(); }
    const ClusterOutlook* outlook() const { return m_outlook.get(); }
    ResultWatcher& watcher() { return m_results->watcher(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Writing; // of a kit, shared with its thread

    ClusterPage(const ThemeController& theme, RunLibrary& library, QWidget* parent);
    void makeActions();
    void makeFields();
    QWidget* makeKit();
    QWidget* makeCentre();
    QWidget* makeDock();
    void takeDocument();
    void setPlan(const ClusterPlan& plan);
    void edited(); // the plan changed
    void ask();    // for the outlook of the plan
    // Returns true if m_outlook is the outlook of the current plan.
    bool isCurrent() const { return m_outlook != nullptr && !m_outlooks.isBusy(); }
    void enableActions();
    void take(engine::Result<ClusterOutlook> outlook);
    void showOutlook();
    void showKit();
    void showPrediction();
    void askForKitFolder();
    void askForArchive();
    QString kitName() const; // proposed name of the folder or archive
    void kitWritten(const QString& folder);

    const ThemeController& m_theme;
    Latest<ClusterPlan, engine::Result<ClusterOutlook>> m_outlooks{
        this, [](const ClusterPlan& plan, const auto&) { return outlookOf(plan); },
        [this](engine::Result<ClusterOutlook> outlook) { take(std::move(outlook)); }};
    Background m_background{this};
    std::shared_ptr<Writing> m_writing; // nullptr: no kit is being written
    QTimer m_progress;
    ClusterPlan m_plan;
    std::shared_ptr<const ClusterOutlook> m_outlook; // nullptr: not computed yet, or failed
    QString m_problem;                               // why there is no outlook
    bool m_isShowing = false;                        // setPlan() is setting the fields
    bool m_isOutdated = false;   // the plan has changed since the last kit began to be written
    QString m_source, m_written; // m_written: folder or archive of the plan's kit; "": none
    std::shared_ptr<RunDocument> m_emulated;
    TableModel<ClusterCheck> m_checks;
    TableModel<engine::KitFile> m_files;

    QAction *m_write, *m_archive, *m_watch, *m_compare, *m_copy;
    QLabel *m_run, *m_ranks, *m_hint, *m_writtenText, *m_contents, *m_checkNote;
    SegmentControl* m_launcher;
    SpinField *m_gpus, *m_port;
    QLineEdit *m_first, *m_command;
    QComboBox* m_hardware;
    DataTable *m_checkTable, *m_fileTable;
    QPushButton* m_cancel;
    ResultsPanel* m_results;
    QScrollArea* m_facts; // of the prediction
    QWidget* m_dock;
};

} // namespace app
