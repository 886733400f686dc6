#pragma once

#include "app/figures/write_figure.h"
#include "engine/base/field.h"
#include "profiler/figure/checks.h"
#include "profiler/figure/layout.h"

#include <QByteArray>
#include <QDir>
#include <QString>
#include <QStringList>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
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

// The ExportSettings::base for a chosen file: the path without the extension of a figure format.
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

// The parsed arguments of `bubblescope figure`.
struct FigureRequest : FigureSettings
{
    QStringList runs, outputs; // if `update` is set, `runs` has recipes and folders
    bool recipe = false;       // whether to write a FigureRecipe beside the first output
    bool update = false;       // whether to redraw the figures of the recipes in `runs`
    bool force = false, help = false;
};

// Parses the arguments after "figure". Fails with Error::Code::InvalidArgument; the message names
// the option.
engine::Result<FigureRequest> parseFigureRequest(const QStringList& arguments);
// Returns the options that parseFigureRequest() turns into these settings.
QStringList figureArguments(const FigureSettings& settings);
QString figureHelp(); // has lines of at most 100 columns

// The numbers that a run had when a figure of it was drawn.
struct DrawnRun
{
    std::string label;
    double iteration = 0; // iteration time in ticks of the run
    double bubble = 0;    // bubble ratio, from 0 to 1
    // Peak memory of the device with the highest peak, in bytes; nullopt if no memory was recorded.
    std::optional<double> peak;

    friend bool operator==(const DrawnRun&, const DrawnRun&) = default;
};

struct DrawnFigure
{
    double width = 0, height = 0;      // inches
    std::vector<std::string> warnings; // of its print checks; a chart of a study has none
    std::vector<QByteArray> files; // contents of the files, in the order of FigureRequest::outputs
    std::vector<DrawnRun> runs;
    // The run info of each run, which states the units of its numbers.
    std::vector<engine::RunInfo> infos;
};

// Returns the numbers of one iteration of a run. -1 stands for the reported iteration.
engine::Result<DrawnRun> numbersOf(const engine::Run& run, int iteration);

// Reads the runs and draws the figure in all formats, without writing a file. Needs a
// QGuiApplication, but no screen.
engine::Result<DrawnFigure> drawFigure(const FigureRequest& request);

// The settings of a figure, and the numbers of its runs when the figure was drawn. A recipe is a
// TOML file beside the figure. Its paths are relative to the recipe, so that a folder with runs and
// figures can be moved.
struct FigureRecipe
{
    FigureRequest request; // runs and outputs have absolute paths
    std::vector<DrawnRun> drawn;
};

constexpr const char* kRecipeEnding = ".figure.toml";
QString recipeOf(const QString& figure); // "compare.pdf" -> "compare.figure.toml"

// Fails with Error::Code::InvalidArgument if the file is not a recipe; the message names the key.
engine::Result<FigureRecipe> readRecipe(const QString& file);
engine::Result<void> saveRecipe(const QString& file, const FigureRecipe& recipe);

// Describes how the numbers of a run changed:
// "iteration 29.8 -> 28.1 ms (-5.7 %), bubble 30.6 -> 28.0 %". Returns "" if the shown digits are
// the same. `info` is the current info of the run, which states its units.
QString changeText(const DrawnRun& before, const DrawnRun& now, const engine::RunInfo& info);

// Redraws the figures of all recipes (FigureRecipe) in the given files and folders, replaces the
// figures whose bytes differ, and prints the changes. If a recipe fails, reports it and still draws
// the others. Returns the exit status: 0 if all figures could be drawn, otherwise 1.
int updateFigures(const QStringList& filesAndFolders);

// Runs `bubblescope figure RUN.sqlite... -o FILE...`, which exports figures without a window or a
// screen. argv[1] is "figure". Creates the QGuiApplication, so none may exist yet. Returns the exit
// status: 0 for success, 1 for a failure, 2 for wrong usage. Errors are one line on standard error.
int figureCommand(int argc, char** argv);

// A figure, and the results of its print checks.
struct FigureDraft
{
    profiler::Scene scene;
    std::vector<profiler::FigureCheck> checks;
};

// Draws a figure of the runs and makes the checks that do not depend on a file. `notes` has one
// list per run. The notes are drawn if the settings enable them and the figure shows measured
// times.
engine::Result<FigureDraft> draftFigure(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                                        const ExportSettings& settings,
                                        const std::vector<std::vector<engine::Note>>& notes = {});

// Renders the figure as PDF twice and checks that the font is embedded and that both files are
// equal. Takes up to a second for a large figure. Can be called in any thread.
engine::Result<std::vector<profiler::FigureCheck>> checkPdf(const profiler::Scene& scene, int dpi);

struct FigureRuns
{
    std::vector<std::shared_ptr<const engine::Run>> runs;
    // The file of each run, or "". If a run has no file, the figure cannot have a recipe.
    QStringList files;
};

// Returns the names of the files that an export writes: one for each chosen format, and the recipe.
QStringList exportedFiles(const ExportSettings& settings);
// Renders all chosen formats, then writes the files and returns their names. Stops at the first
// failure. If the export is cancelled before the first file is written, fails and changes no file.
// `scene` must be the figure of `runs` with these settings. Can be called in any thread.
engine::Result<QStringList> exportFigure(const profiler::Scene& scene,
                                         const ExportSettings& settings, const FigureRuns& runs,
                                         const std::atomic<bool>& isCancelled);

} // namespace app
