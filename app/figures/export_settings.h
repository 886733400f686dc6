#pragma once

#include "app/figures/write_figure.h"
#include "engine/base/field.h"
#include "profiler/figure/layout.h"

#include <QString>

#include <memory>
#include <vector>

class QSettings;

namespace app {

// The TOML table with the fields that the export dialog stores.
constexpr std::string_view kFigureTable = "figure";

enum class FigureTimes : std::uint8_t { Measured, Schematic };

// The settings for the appearance of a figure, shared by the command line and the export dialog.
struct FigureSettings
{
    profiler::FigureOptions options;
    // Measured: the figure shows recorded times. Schematic: a forward takes 1 unit, a backward 2.
    FigureTimes times = FigureTimes::Measured;
    int dpi = 600; // resolution of PNG
    int chart = 1; // of a study, from 1

    friend bool operator==(const FigureSettings&, const FigureSettings&) = default;
};

// Returns all settings of a figure. A field with a flag is an option of `bubblescope figure`, with
// its help. A field with a key is stored by the export dialog. If two options conflict, the later
// one applies.
engine::Fields<FigureSettings> figureFields();

// Parses a list of rows: "0,2-3" gives {0, 2, 3}. "all" and "" give an empty list, which means all
// rows.
engine::Result<std::vector<int>> parseRows(std::string_view text);

// The settings that the export dialog shows and stores, for the figure, the publication and the
// output files.
struct ExportSettings : FigureSettings
{
    std::string preset = "acm-column"; // "own/NAME": a preset of the user; "": no preset
    bool pdf = true, svg = true, png = false, tikz = false;
    bool recipe = false; // whether to write a FigureRecipe beside the figure
    QString base;        // path without extension: "/home/me/figures/bitpipe-d4-n4"

    std::vector<FigureFormat> formats() const;
    QString file(FigureFormat format) const; // adds the extension of the format to `base`

    friend bool operator==(const ExportSettings&, const ExportSettings&) = default;
};

// Returns the ExportSettings::base for a chosen file: the path without the extension of a figure
// format.
QString figureBase(const QString& file);

// Returns the fields of figureFields(), followed by the fields for the publication and the files.
// Only fields with a key are stored.
engine::Fields<ExportSettings> exportFields();

// Loads and saves the stored fields. Rows, range and iteration are not stored, because they belong
// to one run. Missing and invalid values are set to their defaults.
ExportSettings loadExportSettings(const QSettings& settings);
void saveExportSettings(QSettings& settings, const ExportSettings& exported);

// The user's own presets. A preset has all settings except the files, and is stored under a name in
// the program's settings.
QString ownPreset(const QString& name); // "own/NAME", as in ExportSettings::preset
bool isOwnPreset(const QString& preset);
QStringList ownPresets(QSettings& settings); // all names, sorted
void saveOwnPreset(QSettings& settings, const QString& name, const ExportSettings& exported);
ExportSettings loadOwnPreset(QSettings& settings, const QString& preset, const QString& base);
void removeOwnPreset(QSettings& settings, const QString& preset);

// Returns a file name for figures of these runs: "bitpipe-d4-n8", "1f1b-bitpipe".
QString figureName(const std::vector<std::shared_ptr<const engine::Run>>& runs);
// Describes what a figure shows: "BitPipe, D 4, N 8, iteration 2". If `iteration` is -1, the figure
// shows the reported iteration of each run, which is not mentioned.
QString figureTitle(const std::vector<std::shared_ptr<const engine::Run>>& runs, int iteration);

} // namespace app
