#pragma once

#include "app/figures/export_settings.h"
#include "app/models/theme.h"

#include <QWidget>

#include <array>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QSpinBox;
class QVBoxLayout;

namespace app {

class SegmentControl;

// The right column of the export dialog: size, palette, contents, output. It shows and returns
// settings, and only knows which contents the runs support.
class FigureOptionsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit FigureOptionsPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const ExportSettings& settings);
    // The values of all controls, including disabled ones. Returns InvalidArgument if the rows
    // cannot be parsed.
    engine::Result<ExportSettings> settings() const;
    // Removes the contents that these runs lack or cannot show together.
    ExportSettings drawable(ExportSettings settings) const;

    void setOwnPresets(const QStringList& names);
    void setPreset(const std::string& preset); // only selects it; "": no preset
    void setHeight(double points);             // of the figure; shown next to its width
    void setMemoryRecorded(bool recorded);
    void setHasNotes(bool has);
    void setRunsComparable(bool comparable); // false: only a schematic can show them

Q_SIGNALS:
    void changed();
    void ownPresetChosen(const QString& preset);
    void browseRequested();

private:
    QVBoxLayout* addSection(const QString& title);
    void addSize();
    void addPalettes();
    void addContents();
    void addOutput();
    QLayout* makeFormats();
    QLayout* makeFile();
    QLayout* makeLatex();
    void choosePreset(int index);
    void markCustom();
    void showOutput();
    void showPossible(); // enables contents that need recorded times

    const ThemeController& m_theme;
    QVBoxLayout* m_layout;
    QComboBox *m_preset, *m_font;
    QDoubleSpinBox *m_width, *m_size;
    QLineEdit *m_height, *m_rows, *m_base, *m_latex;
    std::vector<QRadioButton*> m_palettes; // in the order of profiler::paletteNames()
    std::array<QCheckBox*, 8> m_contents{};
    std::array<QCheckBox*, 4> m_outputs{}; // [FigureFormat]
    QSpinBox* m_dpi;
    SegmentControl *m_times, *m_bubbles;
    FigureTimes m_wantedTimes = FigureTimes::Measured; // restored when possible again
    bool m_isMemoryRecorded = false, m_hasNotes = false;
    bool m_quiet = false; // while show() sets the controls
};

} // namespace app
