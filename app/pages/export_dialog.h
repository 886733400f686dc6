#pragma once

#include "app/figures/figure_draft.h"
#include "app/models/theme.h"
#include "profiler/figure/sight.h"

#include <QDialog>

#include <memory>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QResizeEvent;
class QScrollArea;
class QTimer;

namespace app {

class Band;
class FigureOptionsPanel;
class FigurePageView;
class FigureZoomView;

// Exports one run, or several on one axis, as a figure for print. Preview and files are drawn from
// the same scene. The last settings are stored.
class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    ExportDialog(const ThemeController& theme, std::vector<std::shared_ptr<const engine::Run>> runs,
                 QWidget* parent = nullptr);
    ~ExportDialog() override;

    void setFile(const QString& base); // without extension
    // For recorded times; -1 (default): the reported iteration of each run.
    void setIteration(int iteration);
    void setNotes(std::vector<std::vector<engine::Note>> notes); // [run]
    const profiler::Scene& scene() const { return m_draft.scene; }
    const std::vector<profiler::FigureCheck>& checks() const { return m_draft.checks; }

protected:
    void resizeEvent(QResizeEvent* event) override;

Q_SIGNALS:
    void exported(const QStringList& files);

private:
    QWidget* makePreview(); // export_dialog_layout.cpp, like the other makers
    QWidget* makePageHeader();
    QWidget* makeZoomHeader();
    QWidget* makeButtons();
    void loadSettings();
    void refresh(); // lays out, checks and shows the figure
    void followPreset();
    void saveOrRemovePreset();
    void showDraft();
    void showChecks();
    void showFiles(); // shows the number of files, and problems with them
    void refuse(const QString& message);
    void setZoom(double zoom);
    void browse();
    void exportFiles();
    bool mayReplace(const QString& what, const QString& consequence);

    static constexpr int kPreviewMargin = 24;

    const ThemeController& m_theme;
    std::vector<std::shared_ptr<const engine::Run>> m_runs;
    std::vector<std::vector<engine::Note>> m_notes; // [run]
    int m_iteration = -1;
    ExportSettings m_settings;
    FigureDraft m_draft;
    profiler::Sight m_sight = profiler::Sight::Colour;
    bool m_zoomed = false; // set by the user, so no longer fitted to the width

    FigurePageView* m_page;
    FigureZoomView* m_zoom;
    QScrollArea* m_zoomArea;
    QLabel *m_subtitle, *m_pageText, *m_zoomText;
    QHBoxLayout* m_checks;
    Band* m_problem;
    FigureOptionsPanel* m_options;
    QPushButton *m_export, *m_savePreset;
    QTimer* m_timer;
};

} // namespace app
