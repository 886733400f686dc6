#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/cluster/results_panel.h"
#include "app/shell/page.h"
#include "app/ui/latest.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QGridLayout;

namespace app {

class SegmentControl;
class SpinField;

// The set-up of a cluster run: launcher, nodes, command, and the contents of the kit.
class KitPanel : public QWidget
{
    Q_OBJECT

public:
    explicit KitPanel(const ThemeController& theme, QWidget* parent = nullptr);

    const ClusterPlan& plan() const { return m_plan; }
    // `source` names the run or the set-up that the plan comes from.
    void setPlan(const ClusterPlan& plan, const QString& source);
    // Predicts with measured links until the user chooses other hardware.
    void useLinks(const ClusterPlan& plan);
    void awaitOutlook(); // plan() changed: nothing is written or copied until showOutlook()
    void showOutlook(const engine::Result<ClusterOutlook>& outlook);
    void showWritten(const QString& text); // shows `text` beside the button
    void setWriting(bool isWriting);       // no other kit can be written meanwhile

Q_SIGNALS:
    void edited();         // plan() changed
    void writeRequested(); // to a folder
    void archiveRequested();
    void copyRequested(const QString& command);

private:
    void makeFields();
    QWidget* makeCommand();
    void showContents(const ClusterOutlook& outlook);
    void changed();
    void enableButtons();

    ClusterPlan m_plan;
    bool m_isShowing = false, m_isWriting = false, m_canWrite = false;
    QLabel *m_run, *m_model, *m_ranks, *m_hint, *m_written, *m_contents;
    SegmentControl* m_launcher;
    SpinField *m_gpus, *m_port;
    QLineEdit *m_first, *m_command;
    QComboBox* m_hardware;
    QPushButton *m_write, *m_archive, *m_copy;
};

// Runs an experiment on a cluster: writes a kit, checks it, and imports the results to compare them
// with the prediction and with a run of this machine.
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
    ClusterPage(const ThemeController& theme, RunLibrary& library, QWidget* parent);
    void makeActions();
    QWidget* makeCentre();
    QWidget* makeDock();
    void connectAll();
    void takeDocument();
    void ask(); // for the outlook of the plan
    // Returns true if m_outlook is the outlook of the current plan.
    bool isCurrent() const { return m_outlook != nullptr && !m_outlooks.isBusy(); }
    void enableActions();
    void take(engine::Result<ClusterOutlook> outlook);
    void showOutlook();
    void showChecks(const std::vector<ClusterCheck>& checks);
    void showPrediction();
    void askForKitFolder();
    void askForArchive();
    QString kitName() const; // proposed name of the folder or archive
    void kitWritten(const QString& folder);

    const ThemeController& m_theme;
    Latest<ClusterPlan, engine::Result<ClusterOutlook>> m_outlooks{
        this, [](const ClusterPlan& plan, const auto&) { return outlookOf(plan); },
        [this](engine::Result<ClusterOutlook> outlook) { take(std::move(outlook)); }};
    Background m_writing{this};
    bool m_isWriting = false;
    std::shared_ptr<const ClusterOutlook> m_outlook; // nullptr: not computed yet, or failed
    QString m_problem;                               // why there is no outlook
    bool m_isOutdated = false;   // the plan has changed since the last kit began to be written
    QString m_source, m_written; // m_written: folder or archive of the plan's kit; "": none
    std::shared_ptr<RunDocument> m_emulated;

    QAction *m_write, *m_archive, *m_watch, *m_compare, *m_copy;
    KitPanel* m_kit;
    ResultsPanel* m_results;
    QGridLayout *m_checks, *m_facts; // m_facts: of the prediction
    QWidget *m_checkList, *m_dock;
    QLabel *m_kitNote, *m_checkNote;
};

} // namespace app
