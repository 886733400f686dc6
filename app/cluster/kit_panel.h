#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/ui/theme.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

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

} // namespace app
