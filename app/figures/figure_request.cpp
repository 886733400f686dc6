#include "app/figures/figure_request.h"

#include "app/figures/write_figure.h"

#include <QCommandLineParser>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;
using profiler::BubbleStyle;

QCommandLineOption option(const char* name, const char* value = nullptr)
{
    QCommandLineOption result(QString::fromLatin1(name));
    if (value)
        result.setValueName(QString::fromLatin1(value));
    return result;
}

// One line for each option that only leaves something out, or adds it.
struct Switch
{
    const char* name;
    bool profiler::FigureOptions::*field;
    bool value;
};
constexpr std::array kSwitches{
    Switch{"no-numbers", &profiler::FigureOptions::microBatches, false},
    Switch{"no-direction", &profiler::FigureOptions::directionMark, false},
    Switch{"no-shares", &profiler::FigureOptions::bubbleShare, false},
    Switch{"no-axis", &profiler::FigureOptions::timeAxis, false},
    Switch{"no-legend", &profiler::FigureOptions::legend, false},
    Switch{"memory", &profiler::FigureOptions::memory, true},
    Switch{"title", &profiler::FigureOptions::title, true},
    Switch{"notes", &profiler::FigureOptions::notes, true},
};

void addOptions(QCommandLineParser& parser)
{
    QCommandLineOption output(QStringList{QStringLiteral("o"), QStringLiteral("output")});
    output.setValueName(QStringLiteral("FILE"));
    parser.addOption(output);
    parser.addOption(QCommandLineOption(QStringList{QStringLiteral("h"), QStringLiteral("help")}));
    for (const char* name : {"preset", "width", "font-size", "font", "palette", "iteration",
                             "times", "rows", "bubbles", "dpi"})
        parser.addOption(option(name, "VALUE"));
    for (const Switch& s : kSwitches)
        parser.addOption(option(s.name));
}

// Reads option values; the first that is wrong is kept.
class OptionReader
{
public:
    explicit OptionReader(const QCommandLineParser& parser)
        : m_parser(parser)
    { }

    QString text(const char* name) const { return m_parser.value(QString::fromLatin1(name)); }

    void number(const char* name, double factor, double& target)
    {
        if (!isSet(name))
            return;
        bool good = false;
        const double value = text(name).toDouble(&good);
        if (good)
            target = value * factor;
        else
            note(name, "is not a number");
    }
    void integer(const char* name, int& target)
    {
        if (!isSet(name))
            return;
        bool good = false;
        const int value = text(name).toInt(&good);
        if (good && value >= 0)
            target = value;
        else
            note(name, "is not a whole number from 0");
    }
    // The place of the value among `words`; 0 where the option is not given.
    std::size_t choice(const char* name, const std::vector<std::string>& words)
    {
        if (!isSet(name))
            return 0;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (text(name).toStdString() == words[i])
                return i;
        note(name, fmt::format("is none of {}", fmt::join(words, ", ")));
        return 0;
    }
    void keep(const Error& error)
    {
        if (m_error.empty())
            m_error = error.message;
    }
    bool isSet(const char* name) const { return m_parser.isSet(QString::fromLatin1(name)); }
    const std::string& error() const { return m_error; }

private:
    void note(const char* name, std::string_view what)
    {
        keep({Error::Code::InvalidArgument,
              fmt::format("--{} {} {}", name, text(name).toStdString(), what)});
    }

    const QCommandLineParser& m_parser;
    std::string m_error;
};

void readSize(OptionReader& reader, profiler::FigureOptions& options)
{
    if (reader.isSet("preset")) {
        const auto preset = profiler::findFigurePreset(reader.text("preset").toStdString());
        if (!preset)
            return reader.keep(preset.error());
        options.width = preset->inches * profiler::kPointsPerInch;
        options.fontSize = preset->fontSize;
    }
    reader.number("width", profiler::kPointsPerInch, options.width);
    reader.number("font-size", 1, options.fontSize);
}

FigureRequest readRequest(OptionReader& reader, const QCommandLineParser& parser)
{
    FigureRequest request;
    profiler::FigureOptions& options = request.options;
    request.runs = parser.positionalArguments();
    request.outputs = parser.values(QStringLiteral("o"));
    request.help = parser.isSet(QStringLiteral("help"));
    readSize(reader, options);
    options.font = reader.text("font").toStdString();
    options.palette = profiler::paletteNames()[reader.choice("palette", profiler::paletteNames())];
    reader.integer("iteration", options.iteration);
    reader.integer("dpi", request.dpi);
    request.times = FigureTimes(reader.choice("times", {"measured", "schematic"}));
    options.bubbles = BubbleStyle(reader.choice("bubbles", {"hatched", "blank", "cause"}));
    if (auto rows = parseRows(reader.text("rows")))
        options.devices = *rows;
    else
        reader.keep(rows.error());
    for (const Switch& s : kSwitches)
        if (reader.isSet(s.name))
            options.*s.field = s.value;
    return request;
}

Result<void> checkFiles(const FigureRequest& request)
{
    const auto invalid
        = [](std::string what) { return fail(Error::Code::InvalidArgument, std::move(what)); };
    if (request.runs.isEmpty())
        return invalid("name the run to draw: bubblescope figure RUN.sqlite -o figure.pdf");
    if (request.outputs.isEmpty())
        return invalid("say where the figure goes: -o figure.pdf (or .svg, .tex, .png)");
    if (request.options.notes && request.times == FigureTimes::Schematic)
        return invalid("notes are of the times that were recorded; leave out --notes or --times "
                       "schematic");
    if (request.options.memory && request.times == FigureTimes::Schematic)
        return invalid("memory is of the times that were recorded; leave out --memory or --times "
                       "schematic");
    for (const QString& file : request.outputs)
        if (!figureFormat(file))
            return invalid(fmt::format("{} has no known format; end it in .pdf, .svg, .tex or .png",
                                       file.toStdString()));
    return {};
}

} // namespace

Result<std::vector<int>> parseRows(const QString& text)
{
    std::vector<int> rows;
    if (text.isEmpty() || text == QLatin1String("all"))
        return rows;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const auto ends = part.split(QLatin1Char('-'));
        bool first = false, last = false;
        const int from = ends.front().toInt(&first), to = ends.back().toInt(&last);
        if (!first || !last || ends.size() > 2 || from < 0 || to < from || to - from > 100'000)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("rows {} name no devices; write them as 0,2-3 or all",
                                    text.toStdString()));
        for (int device = from; device <= to; ++device)
            rows.push_back(device);
    }
    return rows;
}

Result<FigureRequest> parseFigureRequest(const QStringList& arguments)
{
    QCommandLineParser parser;
    addOptions(parser);
    // The parser takes the first argument for the program's name.
    if (!parser.parse(QStringList{QStringLiteral("figure")} + arguments))
        return fail(Error::Code::InvalidArgument,
                    parser.errorText().remove(QLatin1Char('\n')).toStdString()
                        + " See bubblescope figure --help");
    OptionReader reader(parser);
    const FigureRequest request = readRequest(reader, parser);
    if (request.help)
        return request;
    if (!reader.error().empty())
        return fail(Error::Code::InvalidArgument, reader.error());
    if (auto good = checkFiles(request); !good)
        return tl::unexpected(good.error());
    return request;
}

QString figureHelp()
{
    QString presets;
    for (const auto& preset : profiler::figurePresets())
        presets
            += QStringLiteral("                     %1 %2 in, %3 pt   %4\n")
                   .arg(QString::fromUtf8(preset.name.data(), qsizetype(preset.name.size())), -12)
                   .arg(preset.inches, 5, 'f', 2)
                   .arg(preset.fontSize, 4)
                   .arg(QString::fromUtf8(preset.title.data(), qsizetype(preset.title.size())));
    const auto palettes
        = QString::fromStdString(fmt::format("{}", fmt::join(profiler::paletteNames(), ", ")));
    return QStringLiteral(
               R"(Draw runs as a figure for print. Several runs stand on one time axis; the first is the baseline.

  bubblescope figure RUN.sqlite... -o FILE [options]

  -o FILE            .pdf, .svg, .tex (TikZ) or .png; may be given several times
  --preset NAME      width and type of a publication (first one is the default):
%1  --width INCHES     instead of the preset's
  --font-size PT     instead of the preset's, at least 5
  --font FAMILY      Roboto where it is installed
  --palette NAME     %2
  --iteration K      index of the iteration; without it the median replay, or the last measured
  --times WHICH      measured, or schematic: F = 1, B = 2, everything else free
  --rows DEVICES     0,2-3: these devices, in this order
  --bubbles STYLE    hatched, blank, cause
  --memory           a strip of memory under every row
  --notes            the notes that people made in the iteration
  --title            the run's name above its rows (always with several runs)
  --no-numbers  --no-direction  --no-shares  --no-axis  --no-legend
  --dpi N            of PNG: 600

example:
  bubblescope figure 1f1b.sqlite bitpipe.sqlite --preset acm-column -o compare.pdf -o compare.svg
)")
        .arg(presets, palettes);
}

} // namespace app
