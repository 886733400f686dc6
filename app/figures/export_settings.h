#pragma once

#include "app/figures/figure_fields.h"
#include "app/figures/write_figure.h"

#include <QString>

#include <memory>
#include <vector>

class QSettings;

namespace app {

// What the export dialog asks and remembers: the figure, its publication, and the files to write.
struct ExportSettings : FigureSettings
{
    std::string preset = "acm-column"; // "own/NAME": the user's; "" when set by hand
    bool pdf = true, svg = true, png = false, tikz = false;
    QString base; // of the files, without the end: "/home/me/figures/bitpipe-d4-n4"

    std::vector<FigureFormat> formats() const;
    QString file(FigureFormat format) const; // base and ".pdf", ".svg", ".png", ".tex"

    friend bool operator==(const ExportSettings&, const ExportSettings&) = default;
};

// What somebody typed or chose as the file, as ExportSettings::base has it: an end that stands for
// a format is taken off.
QString figureBase(const QString& file);

// Rows and iteration belong to one run and are not kept. What is missing or out of range in the
// file keeps its default.
ExportSettings loadExportSettings(const QSettings& settings);
void saveExportSettings(QSettings& settings, const ExportSettings& exported);

// The user's own presets: all of the settings but the files, under a name. `settings` is where the
// program keeps its settings.
QString ownPreset(const QString& name); // "own/NAME", as ExportSettings::preset has it
bool isOwnPreset(const QString& preset);
QStringList ownPresets(QSettings& settings); // names, sorted
void saveOwnPreset(QSettings& settings, const QString& name, const ExportSettings& exported);
ExportSettings loadOwnPreset(QSettings& settings, const QString& preset, const QString& base);
void removeOwnPreset(QSettings& settings, const QString& preset);

// "bitpipe-d4-n8", "1f1b-bitpipe": a name for the files of these runs.
QString figureName(const std::vector<std::shared_ptr<const engine::Run>>& runs);

} // namespace app
