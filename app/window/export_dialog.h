#pragma once

#include "app/figures/export_panels.h"
#include "app/figures/figure_recipe.h"
#include "app/ui/latest.h"
#include "app/ui/theme.h"

#include <QDialog>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

class QLabel;
class QPushButton;
class QTimer;

namespace app {

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
    // Sets the iteration whose recorded times are drawn; -1 (default): the reported iteration of
    // each run.
    void setIteration(int iteration);
    void setNotes(std::vector<std::vector<engine::Note>> notes); // the notes of each run
    // Sets a range of the first run's timeline that can be drawn instead of a whole iteration. The
    // range is clipped to the iteration in which it begins.
    void setRange(engine::Window marked);
    // Sets the file of each run, in the order of the runs. Unless every run has a file, the figure
    // cannot have a recipe (the commands that recreate it).
    void setFiles(const QStringList& files);
    const profiler::Scene& scene() const;
    // The checks of the figure. The checks of its PDF file are added when the file is rendered.
    const std::vector<profiler::FigureCheck>& checks() const;
    void done(int result) override;

Q_SIGNALS:
    void exported(const QStringList& files);

protected:
    void showEvent(QShowEvent* event) override; // draws the figure for the first time

private:
    QWidget* makeButtons();
    void loadSettings();
    void setAvailable(const std::function<void(FigureOptionsPanel::Available&)>& change);
    ExportSettings drawnSettings() const;
    void refresh(); // lays out, checks and shows the figure
    using Checks = engine::Result<std::vector<profiler::FigureCheck>>; // of the PDF file
    void showChecks(const Checks& checks);
    void followPreset();
    void saveOrRemovePreset();
    void showFiles(); // shows the number of files, and problems with their names
    void refuse(const engine::Error& error);
    void browse();
    void exportFiles(); // runs in the background; done() cancels it
    void setExporting(bool isExporting);
    bool mayReplace(const QString& what, const QString& consequence);

    FigureRuns m_runs;
    std::vector<std::vector<engine::Note>> m_notes;
    int m_iteration = -1, m_rangeIteration = -1; // m_rangeIteration contains the marked range
    ExportSettings m_settings;

    QLabel* m_subtitle;
    FigurePreview* m_preview;
    FigureOptionsPanel* m_options;
    QPushButton *m_export, *m_savePreset;
    QTimer* m_timer;
    Background m_background{this};
    using Drawn = std::pair<profiler::Scene, int>; // and its resolution in dpi
    Latest<Drawn, Checks> m_pdfChecks{
        this, [](const Drawn& drawn, const auto&) { return checkPdf(drawn.first, drawn.second); },
        [this](const Checks& checks) { showChecks(checks); }};
    bool m_isAsking = false; // a dialog that this one opened has not returned yet
    // Cancels the running export; nullptr if none runs.
    std::shared_ptr<std::atomic<bool>> m_isCancelled;
};

} // namespace app
