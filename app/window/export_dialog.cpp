#include "app/window/export_dialog.h"

#include "app/figures/export_panels.h"
#include "app/range/range_text.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/setting_table.h"
#include "app/ui/text.h"

#include <QBoxLayout>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kSettleMs = 60; // so that typing a number lays out once and not per digit
constexpr int kSideWidth = 404;

std::unique_ptr<QSettings> openSettings()
{
    return std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                       QStringLiteral("bubblescope"),
                                       QStringLiteral("bubblescope"));
}

} // namespace

ExportDialog::ExportDialog(const ThemeController& theme,
                           std::vector<std::shared_ptr<const engine::Run>> runs, QWidget* parent)
    : QDialog(parent)
    , m_runs{std::move(runs), {}}
    , m_subtitle(named(makeLabel(figureTitle(m_runs.runs, m_iteration), "small"), "figureSubtitle"))
    , m_preview(new FigurePreview(theme))
    , m_options(new FigureOptionsPanel(theme))
    , m_export(makeButton({}, QStringLiteral("figureExport"), "primary"))
    , m_savePreset(makeButton({}, QStringLiteral("figureSavePreset")))
    , m_timer(named(new QTimer(this), "figureTyping"))
{
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export figure"));
    auto* side = new QWidget;
    side->setFixedWidth(kSideWidth);
    spaced(new QVBoxLayout(side), {}, 0,
           {{makeScroll(m_options), 1}, makeLine(Qt::Horizontal), makeButtons()});
    auto* title = spaced(new QHBoxLayout, {16, 9, 16, 9}, 10,
                         {makeLabel(tr("Export figure"), "section"), {m_subtitle, 1}});
    auto* body = spaced(new QHBoxLayout, {}, 0, {{m_preview, 1}, makeLine(Qt::Vertical), side});
    spaced(new QVBoxLayout(this), {}, 0, {title, makeLine(Qt::Horizontal), {body, 1}});
    m_timer->setSingleShot(true);
    m_timer->setInterval(kSettleMs);
    connect(m_timer, &QTimer::timeout, this, &ExportDialog::refresh);
    connect(m_options, &FigureOptionsPanel::changed, m_timer, qOverload<>(&QTimer::start));
    connect(m_options, &FigureOptionsPanel::browseRequested, this, &ExportDialog::browse);
    connect(m_options, &FigureOptionsPanel::ownPresetChosen, this, [this](const QString& preset) {
        m_options->show(loadOwnPreset(*openSettings(), preset, m_settings.base));
    });
    resize(1300, 876);
    loadSettings();
    m_export->setFocus();
}

ExportDialog::~ExportDialog()
{
    if (m_isCancelled)
        *m_isCancelled = true;
}

const profiler::Scene& ExportDialog::scene() const
{
    return m_preview->draft().scene;
}

const std::vector<profiler::FigureCheck>& ExportDialog::checks() const
{
    return m_preview->draft().checks;
}

QWidget* ExportDialog::makeButtons()
{
    QWidget* buttons = makeSurface("alt");
    auto* cancel = makeButton(tr("Cancel"), QStringLiteral("figureCancel"));
    m_export->setDefault(true);
    cancel->setAutoDefault(false);
    m_savePreset->setAutoDefault(false);
    spaced(new QHBoxLayout(buttons), {18, 12, 18, 12}, 8,
           {m_savePreset, kStretch, cancel, m_export});
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_savePreset, &QPushButton::clicked, this, &ExportDialog::saveOrRemovePreset);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::exportFiles);
    return buttons;
}

void ExportDialog::loadSettings()
{
    m_settings = loadExportSettings(*openSettings());
    const QString chosen = chosenFolder(key::kExports);
    QString folder = chosen.isEmpty() ? m_settings.base : chosen;
    if (folder.isEmpty() || !QFileInfo(folder).isDir())
        folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    if (!QFileInfo(folder).isDir())
        folder = QDir::homePath();
    m_settings.base = QDir(folder).filePath(figureName(m_runs.runs));
    m_options->setOwnPresets(ownPresets(*openSettings()));
    m_options->show(m_settings);
    const bool inUnits = m_runs.runs.front()->info.inUnits();
    setAvailable([&](FigureOptionsPanel::Available& available) {
        available.hasMemory = std::ranges::all_of(
            m_runs.runs, [](const auto& run) { return !run->timeline.memory.empty(); });
        available.isComparable = std::ranges::all_of(
            m_runs.runs, [&](const auto& run) { return run->info.inUnits() == inUnits; });
    });
}

void ExportDialog::setAvailable(const std::function<void(FigureOptionsPanel::Available&)>& change)
{
    FigureOptionsPanel::Available available = m_options->available();
    change(available);
    m_options->setAvailable(available);
    refresh();
}

void ExportDialog::setFile(const QString& base)
{
    m_settings.base = base;
    m_options->show(m_settings);
    refresh();
}

void ExportDialog::setIteration(int iteration)
{
    m_iteration = iteration;
    m_subtitle->setText(figureTitle(m_runs.runs, iteration));
    refresh();
}

void ExportDialog::setNotes(std::vector<std::vector<engine::Note>> notes)
{
    m_notes = std::move(notes);
    setAvailable([this](FigureOptionsPanel::Available& available) {
        available.hasNotes
            = std::ranges::any_of(m_notes, [](const auto& of) { return !of.empty(); });
    });
}

void ExportDialog::setRange(engine::Window marked)
{
    const engine::Run& run = *m_runs.runs.front();
    m_rangeIteration = iterationOf(run.timeline, marked.begin);
    const engine::Window whole
        = run.timeline.iterations[static_cast<std::size_t>(m_rangeIteration)].window;
    const engine::Window part{std::max(marked.begin, whole.begin), std::min(marked.end, whole.end)};
    if (part.duration() <= 0)
        return;
    const double ticks = run.info.inUnits() ? static_cast<double>(run.info.ticksPerUnit)
                                            : scaleIn(Unit::Millisecond).perUnit();
    const auto time
        = [&](std::int64_t tick) { return static_cast<double>(tick - whole.begin) / ticks; };
    setAvailable([&](FigureOptionsPanel::Available& available) {
        available.marked = {time(part.begin), time(part.end)};
        available.markedText = rangeName(run, part);
    });
}

void ExportDialog::setFiles(const QStringList& files)
{
    m_runs.files = files;
    setAvailable([&](FigureOptionsPanel::Available& available) {
        available.hasFiles = static_cast<std::size_t>(files.size()) == m_runs.runs.size();
    });
}

ExportSettings ExportDialog::drawnSettings() const
{
    ExportSettings drawn = m_options->drawable(m_settings);
    if (drawn.times == FigureTimes::Measured) // a schematic has one iteration
        drawn.options.iteration = drawn.options.range.isWhole() ? m_iteration : m_rangeIteration;
    return drawn;
}

void ExportDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    refresh();
}

// Does nothing before the dialog is shown, because drawing a large figure takes about 100 ms and
// all settings made until then need only one drawing.
void ExportDialog::refresh()
{
    if (!isVisible())
        return;
    m_timer->stop();
    const auto settings = m_options->settings();
    if (!settings)
        return refuse(settings.error());
    m_settings = *settings;
    followPreset();
    auto draft = draftFigure(m_runs.runs, drawnSettings(), m_notes);
    if (!draft)
        return refuse(draft.error());
    m_preview->show(*std::move(draft));
    m_options->setHeight(scene().height);
    showFiles();
    m_pdfChecks.ask({scene(), m_settings.dpi});
}

void ExportDialog::showChecks(const Checks& checks)
{
    if (checks)
        m_preview->addChecks(*checks);
    else
        refuse(checks.error());
}

void ExportDialog::showFiles()
{
    const auto files = exportedFiles(drawnSettings()).size();
    m_export->setText(files == 1 ? tr("Export 1 file") : tr("Export %1 files").arg(files));
    const bool isNamed = !m_settings.base.isEmpty() && !m_settings.base.endsWith(u'/');
    m_export->setEnabled(files > 0 && isNamed);
    m_preview->band().setVisible(!m_export->isEnabled());
    if (files == 0)
        m_preview->band().show(Band::Kind::Warning, tr("No file:"),
                               tr("choose a format under Output"));
    else if (!isNamed)
        m_preview->band().show(Band::Kind::Warning, tr("No file:"),
                               tr("enter a name under Output"));
}

// Deselects the user's preset as soon as a setting differs from it.
void ExportDialog::followPreset()
{
    const QString preset = QString::fromStdString(m_settings.preset);
    if (isOwnPreset(preset)) {
        ExportSettings saved = loadOwnPreset(*openSettings(), preset, m_settings.base);
        // Ignores devices and range, which belong to the runs of this dialog and not to the preset.
        saved.options.devices = m_settings.options.devices;
        saved.options.range = m_settings.options.range;
        if (!(saved == m_settings)) {
            m_settings.preset.clear();
            m_options->setPreset({});
        }
    }
    m_savePreset->setText(isOwnPreset(QString::fromStdString(m_settings.preset))
                              ? tr("Remove preset")
                              : tr("Save as preset"));
}

void ExportDialog::saveOrRemovePreset()
{
    refresh();
    const auto stored = openSettings();
    if (const QString preset = QString::fromStdString(m_settings.preset); isOwnPreset(preset)) {
        removeOwnPreset(*stored, preset);
        m_settings.preset.clear();
    } else {
        const QScopedValueRollback asking(m_isAsking, true);
        bool isGiven = false;
        const QString name = QInputDialog::getText(
                                 this, tr("Save as preset"),
                                 tr("Preset name (for size, font, palette, contents and output):"),
                                 QLineEdit::Normal, {}, &isGiven)
                                 .trimmed();
        if (!isGiven || name.isEmpty())
            return;
        if (ownPresets(*stored).contains(name)
            && !mayReplace(tr("The preset %1 exists already.").arg(name),
                           tr("The current settings replace it.")))
            return;
        m_settings.preset = ownPreset(name).toStdString();
        saveOwnPreset(*stored, name, m_settings);
    }
    m_options->setOwnPresets(ownPresets(*stored));
    m_options->setPreset(m_settings.preset);
    refresh();
}

// A figure that is too large for a page is made smaller in the field Rows.
void ExportDialog::refuse(const engine::Error& error)
{
    const QString message = fromUtf8(error.message);
    const bool isTooLarge = error.code == engine::Error::Code::Unsupported;
    m_pdfChecks.drop();
    m_preview->show(FigureDraft());
    m_options->setHeight(0);
    m_preview->band().show(Band::Kind::Error, tr("No figure:"),
                           isTooLarge ? tr("%1: enter fewer devices under Rows")
                                            .arg(message.section(QLatin1String(": "), 0, -2))
                                      : message);
    m_export->setText(tr("Export"));
    m_export->setEnabled(false);
    if (isTooLarge)
        m_options->chooseRows();
}

// Stays open while a dialog that it opened is open. If the user presses Esc twice to close the
// inner dialog, the second Esc may arrive here.
void ExportDialog::done(int result)
{
    if (m_isAsking)
        return;
    if (m_isCancelled)
        *m_isCancelled = true;
    QDialog::done(result);
}

void ExportDialog::browse()
{
    const QScopedValueRollback asking(m_isAsking, true);
    const QString file = QFileDialog::getSaveFileName(this, tr("Figure"), m_settings.base, {},
                                                      nullptr, QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty())
        return;
    setFile(figureBase(file));
}

bool ExportDialog::mayReplace(const QString& what, const QString& consequence)
{
    const QScopedValueRollback asking(m_isAsking, true);
    QMessageBox box(QMessageBox::NoIcon, windowTitle(), what, QMessageBox::Cancel, this);
    box.setInformativeText(consequence);
    auto* replace = box.addButton(tr("Replace"), QMessageBox::AcceptRole);
    replace->setObjectName(QStringLiteral("figureReplace"));
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == replace;
}

void ExportDialog::exportFiles()
{
    if (m_timer->isActive()) // the last typed value is still pending
        refresh();
    if (!m_export->isEnabled())
        return;
    QStringList existing;
    for (const QString& file : exportedFiles(drawnSettings()))
        if (QFileInfo::exists(file))
            existing << QFileInfo(file).fileName();
    if (!existing.isEmpty()
        && !mayReplace(existing.size() == 1
                           ? tr("%1 exists already.").arg(existing.front())
                           : tr("%1 exist already.").arg(existing.join(QStringLiteral(", "))),
                       tr("The new figure replaces it.")))
        return;
    const QPointer<QWidget> focused = focusWidget(); // setExporting() disables it
    setExporting(true);
    m_background.run(
        [scene = scene(), settings = drawnSettings(), runs = m_runs, isCancelled = m_isCancelled] {
            return exportFigure(scene, settings, runs, *isCancelled);
        },
        [this, focused](const engine::Result<QStringList>& files) {
            const bool isClosed = *m_isCancelled;
            setExporting(false);
            // After an error the user can retry, because creating a folder or freeing space may
            // solve the problem.
            if (!files && !isClosed) {
                m_preview->band().show(Band::Kind::Error, tr("Not written:"),
                                       fromUtf8(files.error().message));
                if (focused)
                    focused->setFocus();
            }
            if (!files)
                return;
            saveExportSettings(*openSettings(), m_settings);
            Q_EMIT exported(*files);
            accept();
        });
}

// Disables all settings during an export, so that the shown figure is the one that is written.
void ExportDialog::setExporting(bool isExporting)
{
    m_isCancelled = isExporting ? std::make_shared<std::atomic<bool>>(false) : nullptr;
    m_options->setEnabled(!isExporting);
    m_savePreset->setEnabled(!isExporting);
    showFiles();
    if (isExporting) {
        m_export->setEnabled(false);
        m_export->setText(tr("Exporting…"));
    }
}

} // namespace app
