#pragma once

#include "app/figures/figure_fields.h"
#include "app/figures/write_figure.h"

#include <QString>

#include <memory>
#include <vector>

class QSettings;

namespace app {

// The settings that the export dialog shows and remembers: figure, publication, output files.
struct ExportSettings : FigureSettings
{
    std::string preset = "acm-column"; // "own/NAME": the user's; "" when set by hand
    bool pdf = true, svg = true, png = false, tikz = false;
    QString base; // path of the files without extension: "/home/me/figures/bitpipe-d4-n4"

    std::vector<FigureFormat> formats() const;
    QString file(FigureFormat format) const; // base and ".pdf", ".svg", ".png", ".tex"

    friend bool operator==(const ExportSettings&, const ExportSettings&) = default;
};

// The chosen file as ExportSettings::base: without the extension if it names a format.
QString figureBase(const QString& file);

// figureFields(), then the publication and the files. Fields with a key are stored.
engine::Fields<ExportSettings> exportFields();

// Omits rows and iteration, which belong to one run. Missing or invalid values keep their defaults.
ExportSettings loadExportSettings(const QSettings& settings);
void saveExportSettings(QSettings& settings, const ExportSettings& exported);

// The user's own presets: all settings except the files, under a name. Stored in the program's
// settings.
QString ownPreset(const QString& name); // "own/NAME", as ExportSettings::preset has it
bool isOwnPreset(const QString& preset);
QStringList ownPresets(QSettings& settings); // names, sorted
void saveOwnPreset(QSettings& settings, const QString& name, const ExportSettings& exported);
ExportSettings loadOwnPreset(QSettings& settings, const QString& preset, const QString& base);
void removeOwnPreset(QSettings& settings, const QString& preset);

// A file name for these runs: "bitpipe-d4-n8", "1f1b-bitpipe".
QString figureName(const std::vector<std::shared_ptr<const engine::Run>>& runs);

} // namespace app
