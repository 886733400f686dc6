#pragma once

#include "app/figures/figure_recipe.h"
#include "app/ui/background.h"
#include "app/ui/form.h"
#include "app/ui/theme.h"
#include "profiler/figure/layout.h"

#include <QDialog>
#include <QWidget>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QTimer;
class QVBoxLayout;

namespace app {

class FigurePreview;
class SegmentControl;

// The right column of the export dialog: size, palette, contents, output. Shows the fields of
// exportFields() and disables contents that the runs do not support.
class FigureOptionsPanel : public QWidget
{
    Q_OBJECT

public:
    // The contents that a figure of the runs can have.
    struct Available
    {
        bool hasMemory = false, hasNotes = false, hasFiles = false;
        profiler::FigureRange marked = {}; // the range that is marked in the timeline, if any
        QString markedText = {};           // "12.0 – 48.0 ms"
        bool isComparable = true;          // false: some runs are in units, others in ns
    };

    explicit FigureOptionsPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const ExportSettings& settings);
    // The values of all fields, including disabled ones. Fails with Error::Code::InvalidArgument if
    // the text of a field is invalid.
    engine::Result<ExportSettings> settings() const;
    // Returns `settings` without the contents that these runs lack or cannot show together.
    ExportSettings drawable(const ExportSettings& settings) const;

    void setOwnPresets(const QStringList& names);
    // Selects the preset without applying it. "" selects no preset.
    void setPreset(const std::string& preset);
    void setHeight(double points); // height of the figure in points; shown next to its width
    void chooseRows(); // moves the keyboard focus to the field Rows, unless this panel has it
    void setAvailable(const Available& available);
    Available available() const { return m_available; }

Q_SIGNALS:
    void changed();
    void ownPresetChosen(const QString& preset);
    void browseRequested();

private:
    using Field = engine::Field<ExportSettings>;

    void limitFields();
    void limitRange();
    Field& field(std::string_view flag);
    QWidget* add(std::string_view flag, BoundFields::Look look = BoundFields::Look::ByKind);
    QWidget* addRow(QVBoxLayout& section, std::string_view flag, BoundFields::Look look);
    QVBoxLayout* addSection(const QString& title);
    void addSize();
    void addPalettes();
    void addContents();
    void addOutput();
    void choosePreset();
    void edited();
    void showOutput();

    const ThemeController& m_theme;
    ExportSettings m_settings;
    Available m_available;
    std::vector<Field> m_table; // exportFields(), limited to what is available
    BoundFields m_fields;
    QVBoxLayout* m_layout;
    QComboBox *m_preset, *m_font;
    QLineEdit *m_height, *m_rows, *m_base, *m_latex;
    SegmentControl* m_range;
    std::vector<QRadioButton*> m_palettes; // in the order of profiler::paletteNames()
};

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
        this, [](const Drawn& drawn) { return checkPdf(drawn.first, drawn.second); },
        [this](const Checks& checks) { showChecks(checks); }};
    bool m_isAsking = false; // a dialog that this one opened has not returned yet
    // Cancels the running export; nullptr if none runs.
    std::shared_ptr<std::atomic<bool>> m_isCancelled;
};

} // namespace app
