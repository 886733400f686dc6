#pragma once

#include "app/figures/figure_draft.h"
#include "app/models/theme.h"

#include <QDialog>

#include <memory>
#include <vector>

class QLabel;
class QPushButton;
class QTimer;

namespace app {

class FigureOptionsPanel;
class FigurePreview;

// Exports one run, or several on one axis, as a figure for print. Preview and files are drawn from
// the same scene. The last settings are stored.
class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    ExportDialog(const ThemeController& theme, std::vector<std::shared_ptr<const engine::Run>> runs,
                 QWidget* parent = nullptr);
    ~ExportDialog() override;

    void setFile(const QString& base); // path without extension
    // The iteration to draw with recorded times; -1 (default): the reported iteration of each run.
    void setIteration(int iteration);
    void setNotes(std::vector<std::vector<engine::Note>> notes); // [run]
    const profiler::Scene& scene() const;
    const std::vector<profiler::FigureCheck>& checks() const;

Q_SIGNALS:
    void exported(const QStringList& files);

private:
    QWidget* makeButtons();
    void loadSettings();
    void refresh(); // lays out, checks and shows the figure
    void followPreset();
    void saveOrRemovePreset();
    void showFiles(); // shows the number of files, and problems with their names
    void refuse(const QString& message);
    void browse();
    void exportFiles();
    bool mayReplace(const QString& what, const QString& consequence);

    std::vector<std::shared_ptr<const engine::Run>> m_runs;
    std::vector<std::vector<engine::Note>> m_notes; // [run]
    int m_iteration = -1;
    ExportSettings m_settings;

    QLabel* m_subtitle;
    FigurePreview* m_preview;
    FigureOptionsPanel* m_options;
    QPushButton *m_export, *m_savePreset;
    QTimer* m_timer;
};

} // namespace app
