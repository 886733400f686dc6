#pragma once

#include "app/figures/export_settings.h"
#include "app/figures/figure_recipe.h"
#include "app/ui/bound_fields.h"
#include "app/ui/theme.h"
#include "profiler/figure/checks.h"
#include "profiler/figure/scene.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QRadioButton;
class QVBoxLayout;

namespace app {

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
    ExportSettings drawable(ExportSettings settings) const;

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

class Band;

class FigurePageView;
class FigureZoomView;

// Shows a figure at its true size and enlarged, in normal, grey or simulated colour-blind colours,
// with the results of the print checks.
class FigurePreview : public QWidget
{
    Q_OBJECT

public:
    explicit FigurePreview(const ThemeController& theme, QWidget* parent = nullptr);

    void show(FigureDraft draft);
    void addChecks(const std::vector<profiler::FigureCheck>& checks); // checks of the shown figure
    const FigureDraft& draft() const { return m_draft; }
    // The band that shows why there is no figure or no file; initially hidden.
    Band& band() { return *m_band; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makePageHeader();
    QWidget* makeZoomHeader();
    void showScene();
    void showChecks();
    void setZoom(double zoom);

    const ThemeController& m_theme;
    FigureDraft m_draft;
    profiler::Sight m_sight = profiler::Sight::Colour;
    bool m_isZoomed = false; // the user has zoomed, so the figure is no longer fitted
    FigurePageView* m_page;
    FigureZoomView* m_zoom;
    QLabel *m_pageText, *m_zoomText;
    Band* m_band;
    QGridLayout* m_checks;
};

} // namespace app
