#include "app/widgets/figure/figure_options_panel.h"

#include "app/models/text.h"
#include "app/widgets/controls/segment_control.h"
#include "app/widgets/figure/figure_contents.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QRadioButton>
#include <QSpinBox>

namespace app {

using profiler::FigureOptions;

void FigureOptionsPanel::choosePreset(int index)
{
    const auto presets = profiler::figurePresets();
    if (index < static_cast<int>(presets.size())) {
        m_quiet = true;
        m_width->setValue(presets[static_cast<std::size_t>(index)].inches);
        m_size->setValue(presets[static_cast<std::size_t>(index)].fontSize);
        m_quiet = false;
    }
    if (const QString preset = m_preset->currentData().toString(); isOwnPreset(preset))
        Q_EMIT ownPresetChosen(preset);
    showOutput();
    Q_EMIT changed();
}

// The user's own presets follow those of publishers. Their `name` is "own/" and the name.
void FigureOptionsPanel::setOwnPresets(const QStringList& names)
{
    const QString current = m_preset->currentData().toString();
    for (int i = m_preset->count() - 1; i >= 0; --i)
        if (isOwnPreset(m_preset->itemData(i).toString()))
            m_preset->removeItem(i);
    for (const QString& name : names)
        m_preset->insertItem(m_preset->count() - 1, name, ownPreset(name));
    const int kept = m_preset->findData(current);
    m_preset->setCurrentIndex(kept < 0 ? m_preset->count() - 1 : kept);
}

// Changing the width or the font size deselects the preset.
void FigureOptionsPanel::markCustom()
{
    if (m_quiet)
        return;
    m_preset->setCurrentIndex(m_preset->count() - 1);
    showOutput();
    Q_EMIT changed();
}

void FigureOptionsPanel::showOutput()
{
    m_dpi->setEnabled(m_outputs[2]->isChecked());
    const auto preset
        = profiler::findFigurePreset(m_preset->currentData().toString().toStdString());
    const QString width = preset ? fromUtf8(preset->latexWidth)
                                 : QStringLiteral("%1in").arg(m_width->value(), 0, 'f', 2);
    const QString file = QFileInfo(figureBase(m_base->text())).fileName();
    const auto isChosen
        = [this](FigureFormat of) { return m_outputs[static_cast<std::size_t>(of)]->isChecked(); };
    const bool isPicture = isChosen(FigureFormat::Pdf) || isChosen(FigureFormat::Png);
    if (isChosen(FigureFormat::Tikz) && !isChosen(FigureFormat::Pdf))
        m_latex->setText(QStringLiteral("\\input{%1}").arg(file));
    else if (isChosen(FigureFormat::Svg) && !isPicture) // needs the LaTeX package svg
        m_latex->setText(QStringLiteral("\\includesvg[width=%1]{%2}").arg(width, file));
    else
        m_latex->setText(QStringLiteral("\\includegraphics[width=%1]{%2}").arg(width, file));
    m_latex->setCursorPosition(0);
}

void FigureOptionsPanel::show(const ExportSettings& settings)
{
    m_quiet = true;
    const FigureOptions& options = settings.options;
    setPreset(settings.preset);
    m_width->setValue(options.width / profiler::kPointsPerInch);
    m_size->setValue(options.fontSize);
    m_font->setCurrentIndex(std::max(0, m_font->findText(QString::fromStdString(options.font))));
    const auto palettes = profiler::paletteNames();
    for (std::size_t p = 0; p < palettes.size(); ++p)
        m_palettes[p]->setChecked(palettes[p] == options.palette);
    for (std::size_t c = 0; c < kFigureContents.size(); ++c)
        m_contents[c]->setChecked(options.*kFigureContents[c].field);
    m_wantedTimes = settings.times;
    m_times->setCurrent(static_cast<int>(drawable(settings).times));
    m_bubbles->setCurrent(static_cast<int>(options.bubbles));
    const bool formats[] = {settings.pdf, settings.svg, settings.png, settings.tikz};
    for (std::size_t f = 0; f < m_outputs.size(); ++f)
        m_outputs[f]->setChecked(formats[f]);
    m_dpi->setValue(settings.dpi);
    m_base->setText(settings.base);
    showOutput();
    showPossible();
    m_quiet = false;
}

engine::Result<ExportSettings> FigureOptionsPanel::settings() const
{
    ExportSettings settings;
    FigureOptions& options = settings.options;
    settings.preset = m_preset->currentData().toString().toStdString();
    options.width = m_width->value() * profiler::kPointsPerInch;
    options.fontSize = m_size->value();
    options.font = m_font->currentText().toStdString();
    const auto palettes = profiler::paletteNames();
    for (std::size_t p = 0; p < palettes.size(); ++p)
        if (m_palettes[p]->isChecked())
            options.palette = palettes[p];
    for (std::size_t c = 0; c < kFigureContents.size(); ++c)
        options.*kFigureContents[c].field = m_contents[c]->isChecked();
    auto rows = parseRows(m_rows->text().simplified().toStdString());
    if (!rows)
        return tl::unexpected(rows.error());
    options.devices = *std::move(rows);
    settings.times = m_wantedTimes;
    options.bubbles = profiler::BubbleStyle(m_bubbles->current());
    settings.pdf = m_outputs[0]->isChecked();
    settings.svg = m_outputs[1]->isChecked();
    settings.png = m_outputs[2]->isChecked();
    settings.tikz = m_outputs[3]->isChecked();
    settings.dpi = m_dpi->value();
    settings.base = figureBase(m_base->text());
    return settings;
}

ExportSettings FigureOptionsPanel::drawable(ExportSettings settings) const
{
    for (std::size_t c = 0; c < kFigureContents.size(); ++c)
        if (!m_contents[c]->isEnabled())
            settings.options.*kFigureContents[c].field = false;
    if (!m_times->isEnabled())
        settings.times = FigureTimes::Schematic;
    return settings;
}

void FigureOptionsPanel::setPreset(const std::string& preset)
{
    const int at = m_preset->findData(QString::fromStdString(preset));
    m_preset->setCurrentIndex(at < 0 ? m_preset->count() - 1 : at);
}

void FigureOptionsPanel::setHeight(double points)
{
    m_height->setText(tr("%1 in, auto").arg(points / profiler::kPointsPerInch, 0, 'f', 2));
}

void FigureOptionsPanel::setMemoryRecorded(bool recorded)
{
    m_isMemoryRecorded = recorded;
    showPossible();
}

void FigureOptionsPanel::setHasNotes(bool has)
{
    m_hasNotes = has;
    showPossible();
}

void FigureOptionsPanel::showPossible()
{
    const bool isMeasured = m_times->current() == static_cast<int>(FigureTimes::Measured);
    const auto set = [&](std::size_t content, bool isThere, const QString& absent) {
        m_contents[content]->setEnabled(isThere && isMeasured);
        m_contents[content]->setToolTip(!isThere ? absent
                                            : isMeasured
                                            ? QString()
                                            : tr("Not available in a schematic: select measured"));
    };
    set(kFigureMemory, m_isMemoryRecorded, tr("These runs have no recorded memory"));
    set(kFigureNotes, m_hasNotes, tr("These runs have no notes"));
}

void FigureOptionsPanel::setRunsComparable(bool comparable)
{
    m_quiet = true;
    m_times->setEnabled(comparable);
    m_times->setCurrent(static_cast<int>(comparable ? m_wantedTimes : FigureTimes::Schematic));
    m_quiet = false;
    showPossible();
    m_times->setToolTip(comparable ? QString()
                                   : tr("Abstract units and milliseconds cannot share an axis"));
}

} // namespace app
