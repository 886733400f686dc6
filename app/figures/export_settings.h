#pragma once

#include "app/figures/figure_fields.h"
#include "app/figures/write_figure.h"

#include <QString>

#include <memory>
#include <vector>

class QSettings;

namespace app {

// The settings that the export dialog shows and stores: figure, publication, output files.
struct ExportSettings : FigureSettings
{
    std::string preset = "acm-column"; // "own/NAME": a preset of the user; "": no preset
    bool pdf = true, svg = true, png = false, tikz = false;
    bool recipe = false; // whether a FigureRecipe is written beside the figure
    QString base;        // path without extension: "/home/me/figures/bitpipe-d4-n4"

    std::vector<FigureFormat> formats() const;
    QString file(FigureFormat format) const; // `base` with ".pdf", ".svg", ".png" or ".tex"

    friend bool operator==(const ExportSettings&, const ExportSettings&) = default;
};

// Converts a chosen file to ExportSettings::base: removes the extension if it names a format.
QString figureBase(const QString& file);

// The fields of figureFields(), followed by those for the publication and the files. Fields with a
// key are stored.
engine::Fields<ExportSettings> exportFields();

// Rows, range and iteration are not stored, because they belong to one run. Missing and invalid
// values are set to their defaults.
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

} // namespace app
