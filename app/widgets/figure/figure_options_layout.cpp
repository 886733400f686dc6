// Creates the controls in the right column of the export dialog.
#include "app/models/text.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/segment_control.h"
#include "app/widgets/figure/figure_contents.h"
#include "app/widgets/figure/figure_options_panel.h"
#include "profiler/figure/font_metrics.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPainter>
#include <QRadioButton>
#include <QSpinBox>

namespace app {
namespace {

// The hint at the right of a palette's name.
QString remark(const std::string& palette)
{
    if (palette == "default")
        return FigureOptionsPanel::tr("safe for colour-blind readers");
    if (palette == "grey")
        return FigureOptionsPanel::tr("prints without colour");
    if (palette == "dualpipe")
        return FigureOptionsPanel::tr("F and B close, deuteranopia");
    return {};
}

QIcon swatches(const profiler::Palette& palette)
{
    const profiler::Colour colours[] = {palette.forward, palette.backward, palette.weight,
                                        palette.communication, palette.optimizer};
    QPixmap pixmap(56, 11);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    for (int i = 0; i < 5; ++i) {
        painter.fillRect(11 * i, 0, 11, 11, toQt(colours[i]));
        painter.setPen(QColor(0x8B, 0x95, 0xA4));
        painter.drawRect(11 * i, 0, 11, 10);
    }
    return {pixmap};
}

QHBoxLayout* row(QWidget* label, QWidget* field)
{
    auto* layout = new QHBoxLayout;
    layout->setSpacing(8);
    layout->addWidget(label);
    layout->addStretch();
    layout->addWidget(field);
    return layout;
}

} // namespace

FigureOptionsPanel::FigureOptionsPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(18, 14, 18, 14);
    m_layout->setSpacing(10);
    addSize();
    addPalettes();
    addContents();
    addOutput();
    m_layout->addStretch();
}

QVBoxLayout* FigureOptionsPanel::addSection(const QString& title)
{
    if (m_layout->count() > 0)
        m_layout->addWidget(makeLine(Qt::Horizontal));
    auto* section = new QVBoxLayout;
    section->setSpacing(8);
    section->addWidget(makeLabel(title, "section"));
    m_layout->addLayout(section);
    return section;
}

void FigureOptionsPanel::addSize()
{
    auto* section = addSection(tr("Size"));
    m_preset = new QComboBox;
    m_preset->setObjectName(QStringLiteral("figurePreset"));
    m_preset->setAccessibleName(tr("Preset"));
    for (const auto& preset : profiler::figurePresets())
        m_preset->addItem(fromUtf8(preset.title), fromUtf8(preset.name));
    m_preset->addItem(tr("Other"), QString());
    m_preset->setFixedWidth(210);
    m_preset->setMaxVisibleItems(20);
    section->addLayout(row(makeLabel(tr("Preset")), m_preset));

    m_width = new QDoubleSpinBox;
    m_width->setObjectName(QStringLiteral("figureWidth"));
    m_width->setAccessibleName(tr("Width"));
    m_width->setRange(1, 100);
    m_width->setSingleStep(0.05);
    m_width->setSuffix(tr(" in"));
    m_height = new QLineEdit;
    m_height->setReadOnly(true);
    m_height->setFocusPolicy(Qt::NoFocus);
    auto* size = new QWidget;
    auto* sizeLayout = spaced(new QHBoxLayout(size), {}, 6);
    m_width->setFixedWidth(92);
    m_height->setFixedWidth(104); // "12.90 in, auto"
    sizeLayout->addWidget(m_width);
    sizeLayout->addWidget(makeLabel(QStringLiteral("\u00D7")));
    sizeLayout->addWidget(m_height);
    section->addLayout(row(makeLabel(tr("Width \u00D7 height")), size));

    m_font = new QComboBox;
    m_font->setObjectName(QStringLiteral("figureFont"));
    m_font->setAccessibleName(tr("Type"));
    for (const auto& family : profiler::installedFonts())
        m_font->addItem(QString::fromStdString(family));
    m_size = new QDoubleSpinBox;
    m_size->setObjectName(QStringLiteral("figureType"));
    m_size->setAccessibleName(tr("Font size"));
    m_size->setDecimals(1);
    m_size->setRange(profiler::kSmallestType, 72);
    m_size->setSingleStep(0.5);
    m_size->setSuffix(tr(" pt"));
    auto* type = new QWidget;
    auto* typeLayout = spaced(new QHBoxLayout(type), {}, 8);
    m_font->setFixedWidth(124);
    m_size->setFixedWidth(78);
    typeLayout->addWidget(m_font);
    typeLayout->addWidget(m_size);
    section->addLayout(row(makeLabel(tr("Type")), type));

    connect(m_preset, &QComboBox::activated, this, &FigureOptionsPanel::choosePreset);
    connect(m_width, &QDoubleSpinBox::valueChanged, this, &FigureOptionsPanel::markCustom);
    connect(m_size, &QDoubleSpinBox::valueChanged, this, &FigureOptionsPanel::markCustom);
    connect(m_font, &QComboBox::activated, this, &FigureOptionsPanel::changed);
}

void FigureOptionsPanel::addPalettes()
{
    auto* section = addSection(tr("Palette"));
    for (const auto& name : profiler::paletteNames()) {
        const auto palette = profiler::loadPalette(name, profiler::ThemeMode::Light);
        auto* radio = new QRadioButton(QString::fromStdString(palette->title));
        radio->setObjectName(QStringLiteral("palette-") + QString::fromStdString(name));
        radio->setIcon(swatches(*palette));
        radio->setIconSize({56, 11});
        section->addLayout(row(radio, makeLabel(remark(name), "hint")));
        m_palettes.push_back(radio);
        connect(radio, &QRadioButton::clicked, this, &FigureOptionsPanel::changed);
    }
}

void FigureOptionsPanel::addContents()
{
    auto* section = addSection(tr("Contents"));
    auto* grid = new QGridLayout;
    grid->setVerticalSpacing(8);
    for (std::size_t i = 0; i < kFigureContents.size(); ++i) {
        m_contents[i]
            = new QCheckBox(QCoreApplication::translate("Figure", kFigureContents[i].text));
        m_contents[i]->setObjectName(QStringLiteral("content-")
                                     + QLatin1String(kFigureContents[i].name));
        grid->addWidget(m_contents[i], static_cast<int>(i) / 2, static_cast<int>(i) % 2);
        connect(m_contents[i], &QCheckBox::clicked, this, &FigureOptionsPanel::changed);
    }
    section->addLayout(grid);

    m_rows = new QLineEdit;
    m_rows->setObjectName(QStringLiteral("figureRows"));
    m_rows->setAccessibleName(tr("Rows"));
    m_rows->setPlaceholderText(tr("all devices, or 0,2-3"));
    m_rows->setFixedWidth(170);
    section->addLayout(row(makeLabel(tr("Rows")), m_rows));
    m_times = new SegmentControl(m_theme, {tr("measured"), tr("schematic")});
    m_times->setObjectName(QStringLiteral("figureTimes"));
    m_times->setName(tr("Times"));
    section->addLayout(row(makeLabel(tr("Times")), m_times));
    m_bubbles = new SegmentControl(m_theme, {tr("hatched"), tr("blank"), tr("with cause")});
    m_bubbles->setObjectName(QStringLiteral("figureBubbles"));
    m_bubbles->setName(tr("Bubbles"));
    section->addLayout(row(makeLabel(tr("Bubbles")), m_bubbles));
    connect(m_rows, &QLineEdit::textChanged, this, [this] {
        if (!m_quiet)
            Q_EMIT changed();
    });
    connect(m_times, &SegmentControl::currentChanged, this, [this](int times) {
        if (m_quiet)
            return;
        m_wantedTimes = FigureTimes(times);
        showPossible();
        Q_EMIT changed();
    });
    connect(m_bubbles, &SegmentControl::currentChanged, this, [this] {
        if (!m_quiet)
            Q_EMIT changed();
    });
}

void FigureOptionsPanel::addOutput()
{
    auto* section = addSection(tr("Output"));
    section->addLayout(makeFormats());
    section->addLayout(makeFile());
    section->addLayout(makeLatex());
}

QLayout* FigureOptionsPanel::makeFormats()
{
    auto* formats = spaced(new QHBoxLayout, {}, 14);
    const std::array names{QStringLiteral("PDF"), QStringLiteral("SVG"), QStringLiteral("PNG"),
                           QStringLiteral("TikZ")}; // by FigureFormat
    for (std::size_t i = 0; i < names.size(); ++i) {
        m_outputs[i] = new QCheckBox(names[i]);
        m_outputs[i]->setObjectName(QStringLiteral("output-") + names[i].toLower());
    }
    for (const FigureFormat format :
         {FigureFormat::Pdf, FigureFormat::Svg, FigureFormat::Tikz, FigureFormat::Png}) {
        const auto i = static_cast<std::size_t>(format);
        formats->addWidget(m_outputs[i]);
        connect(m_outputs[i], &QCheckBox::clicked, this, [this] {
            showOutput();
            Q_EMIT changed();
        });
    }
    m_dpi = new QSpinBox;
    m_dpi->setObjectName(QStringLiteral("figureDpi"));
    m_dpi->setAccessibleName(tr("Resolution of the PNG"));
    m_dpi->setRange(72, 1200);
    m_dpi->setSingleStep(100);
    m_dpi->setSuffix(tr(" dpi"));
    m_dpi->setFixedWidth(96);
    formats->addStretch();
    formats->addWidget(m_dpi);
    connect(m_dpi, &QSpinBox::valueChanged, this, [this] {
        if (!m_quiet)
            Q_EMIT changed();
    });
    return formats;
}

QLayout* FigureOptionsPanel::makeFile()
{
    m_base = new QLineEdit;
    m_base->setObjectName(QStringLiteral("figureFile"));
    m_base->setAccessibleName(tr("File without extension"));
    auto* browse = makeButton(tr("Browse\u2026"), QStringLiteral("figureBrowse"));
    auto* file = spaced(new QHBoxLayout, {}, 8);
    file->addWidget(m_base);
    file->addWidget(browse);
    connect(m_base, &QLineEdit::textChanged, this, [this] {
        showOutput();
        if (!m_quiet)
            Q_EMIT changed();
    });
    connect(browse, &QPushButton::clicked, this, &FigureOptionsPanel::browseRequested);
    return file;
}

QLayout* FigureOptionsPanel::makeLatex()
{
    m_latex = new QLineEdit;
    m_latex->setObjectName(QStringLiteral("figureLatex"));
    m_latex->setAccessibleName(tr("Line for LaTeX"));
    m_latex->setReadOnly(true);
    m_latex->setFont(codeFont(10));
    auto* copy = makeButton({}, QStringLiteral("figureCopyLatex"));
    copy->setIcon(makeIcon(Icon::Copy, m_theme.theme().chrome.text2));
    copy->setFixedWidth(30);
    copy->setToolTip(tr("Copy"));
    copy->setAccessibleName(tr("Copy the line for LaTeX"));
    auto* latex = spaced(new QHBoxLayout, {}, 8);
    latex->addWidget(m_latex);
    latex->addWidget(copy);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_latex->text()); });
    return latex;
}

} // namespace app
