#include "app/window/command_line.h"

#include "app/timeline/details/view_link.h"
#include "app/ui/text.h"
#include "engine/base/version.h"

#include <QFont>
#include <QRawFont>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace app {
namespace {

constexpr const char* kHelp
    = "bubblescope [RUN.sqlite ...]       the window; several files open side by side\n"
      "bubblescope TRACE ...              traces of another program, imported as one run: files\n"
      "                                   or a folder\n"
      "bubblescope SCHEDULE.csv           a schedule file, edited op by op\n"
      "bubblescope STUDY.toml             a grid of simulations with its charts\n"
      "bubblescope LINK                   a view of a run, as copied with Copy a link to this "
      "view\n"
      "bubblescope figure RUN.sqlite ... -o FILE.(pdf|svg|tex|png)\n"
      "                                   a figure for a paper; needs no screen (figure --help)\n"
      "bubblescope --screenshot FILE.png [RUN.sqlite ...]\n"
      "                                   a screenshot of the window\n"
      "bubblescope --version | --help\n"
      "\n"
      "  --theme light|dark  --size WxH     theme and size of the window\n"
      "  --page setup|scheme|mapping|editor|estimator|study|runs|settings|devices\n"
      "  --page keys|commands               the page or dialog to open\n"
      "  --page whatif|why|memory|query|report|rules|cluster   the page to open about the run\n"
      "  --no-restore                       do not open the tabs of the last session\n"
      "  --force                            replace the screenshot's file if it exists\n"
      "\n"
      "Example: bubblescope 1f1b.sqlite bitpipe.sqlite\n"
      "Without a screen: bubblescope figure, and bscope for everything else (bscope --help).\n";

constexpr const char* kNoDisplay
    = "bubblescope: no display is available; set DISPLAY or WAYLAND_DISPLAY, or use "
      "`bubblescope figure RUN.sqlite -o FIGURE.pdf` and `bscope`, which need no display\n";

const QStringList kPages{
    QStringLiteral("setup"),     QStringLiteral("scheme"),   QStringLiteral("editor"),
    QStringLiteral("keys"),      QStringLiteral("commands"), QStringLiteral("whatif"),
    QStringLiteral("query"),     QStringLiteral("report"),   QStringLiteral("rules"),
    QStringLiteral("estimator"), QStringLiteral("runs"),     QStringLiteral("study"),
    QStringLiteral("mapping"),   QStringLiteral("cluster"),  QStringLiteral("memory"),
    QStringLiteral("settings"),  QStringLiteral("devices"),  QStringLiteral("why")};

// Pages that need a run on the command line.
const QStringList kPagesOfRuns{QStringLiteral("whatif"), QStringLiteral("why"),
                               QStringLiteral("query"),  QStringLiteral("report"),
                               QStringLiteral("rules"),  QStringLiteral("memory")};

QString wrong(const QString& what)
{
    return QStringLiteral("bubblescope: %1; see bubblescope --help").arg(what);
}

QtMessageHandler previousHandler = nullptr; // used only before there is a second thread

void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    const bool isOfPlatform
        = QString::fromUtf8(context.category).startsWith(QStringLiteral("qt.qpa"));
    if (type == QtFatalMsg) {
        std::fputs(kNoDisplay, stderr);
        std::_Exit(1);
    }
    // Drops Qt's warning about XDG_RUNTIME_DIR, which appears for root and in containers and needs
    // no action by the user.
    const bool isOfSession
        = text.startsWith(QStringLiteral("QStandardPaths: XDG_RUNTIME_DIR not set"));
    if (!isOfPlatform && !isOfSession && previousHandler != nullptr)
        previousHandler(type, context, text);
}

// Stores `value` in `chosen`. Returns what is wrong with it; "" if it is one of `choices`.
QString takeChoice(QString& chosen, const QString& value, const QStringList& choices)
{
    chosen = value;
    return choices.contains(value)
        ? QString()
        : QStringLiteral("is not one of ") + choices.join(QLatin1String(", "));
}

QString takeSize(std::optional<QSize>& size, const QString& value)
{
    constexpr int kLeast = 100, kMost = 16384; // pixels, within what Qt can paint
    const QStringList sides = value.split(QLatin1Char('x'));
    const int width = sides.value(0).toInt(), height = sides.value(1).toInt();
    size = QSize(width, height);
    const bool fits = sides.size() == 2 && std::min(width, height) >= kLeast
        && std::max(width, height) <= kMost;
    return fits ? QString()
                : QStringLiteral("is not a size from %1x%1 to %2x%2, such as 1600x1000")
                      .arg(kLeast)
                      .arg(kMost);
}

QString takeValue(CommandLine& result, const QString& option, const QString& value)
{
    if (option == QStringLiteral("--page"))
        return takeChoice(result.page, value, kPages);
    if (option == QStringLiteral("--theme"))
        return takeChoice(result.theme, value, {QStringLiteral("light"), QStringLiteral("dark")});
    if (option == QStringLiteral("--size"))
        return takeSize(result.size, value);
    result.screenshot = value;
    return value.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive)
        ? QString()
        : QStringLiteral("does not end in .png");
}

} // namespace

CommandLine parseCommandLine(const QStringList& arguments)
{
    const QStringList withValue = {QStringLiteral("--screenshot"), QStringLiteral("--page"),
                                   QStringLiteral("--theme"), QStringLiteral("--size")};
    CommandLine result;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QString& argument = arguments.at(i);
        if (argument == QStringLiteral("--help") || argument == QStringLiteral("-h"))
            result.print = QString::fromUtf8(kHelp);
        else if (argument == QStringLiteral("--version"))
            result.print
                = QStringLiteral("bubblescope ") + fromUtf8(engine::version()) + QLatin1Char('\n');
        else if (argument == QStringLiteral("--force"))
            result.force = true;
        else if (argument == QStringLiteral("--no-restore"))
            result.restore = false;
        else if (withValue.contains(argument) && i + 1 == arguments.size())
            result.error = wrong(argument + QStringLiteral(" needs a value"));
        else if (withValue.contains(argument)) {
            const QString& value = arguments.at(++i);
            if (const QString problem = takeValue(result, argument, value); !problem.isEmpty())
                result.error = wrong(QStringLiteral("%1 %2: %2 %3").arg(argument, value, problem));
        } else if (argument.startsWith(QLatin1Char('-')) && argument.size() > 1)
            result.error = wrong(argument + QStringLiteral(" is not an option"));
        else
            (isViewLink(argument) ? result.links : result.files).append(argument);
    }
    if (result.error.isEmpty() && result.files.isEmpty() && kPagesOfRuns.contains(result.page))
        result.error
            = wrong(QStringLiteral("--page %1 needs a run: bubblescope --page %1 RUN.sqlite")
                        .arg(result.page));
    return result;
}

DisplayGuard::DisplayGuard()
{
    previousHandler = qInstallMessageHandler(onMessage);
}

DisplayGuard::~DisplayGuard()
{
    qInstallMessageHandler(previousHandler);
}

QString fontProblem()
{
    // Without a font, Qt draws every letter as the same box, so all letters have the same glyph.
    const QList<quint32> glyphs
        = QRawFont::fromFont(QFont()).glyphIndexesForString(QStringLiteral("ab"));
    if (glyphs.size() == 2 && glyphs.front() != glyphs.back())
        return {};
    return QStringLiteral(
        "bubblescope: no font is installed, so no text can be shown; install one: "
        "apt install fonts-roboto-unhinted");
}

} // namespace app
