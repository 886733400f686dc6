#include "app/pages/command_line.h"

#include "app/models/text.h"
#include "engine/base/version.h"

#include <QFont>
#include <QRawFont>

#include <cstdio>
#include <cstdlib>

namespace app {
namespace {

constexpr const char* kHelp
    = "bubblescope [RUN.sqlite ...]       the window; several files open side by side\n"
      "bubblescope SCHEDULE.csv           a schedule file, edited op by op\n"
      "bubblescope figure RUN.sqlite ... -o FILE.(pdf|svg|tex|png)\n"
      "                                   a figure for a paper; needs no screen (figure --help)\n"
      "bubblescope --screenshot FILE.png [RUN.sqlite ...]\n"
      "                                   the window as a picture, and no more\n"
      "bubblescope --version | --help\n"
      "\n"
      "  --theme light|dark  --size WxH     of the window\n"
      "  --page setup|scheme|editor|keys|commands   what it opens with\n"
      "\n"
      "Example: bubblescope 1f1b.sqlite bitpipe.sqlite\n"
      "Without a screen: bubblescope figure, and bscope for everything else (bscope --help).\n";

constexpr const char* kNoDisplay
    = "bubblescope: there is no display to open a window on; set DISPLAY or WAYLAND_DISPLAY, or "
      "use "
      "`bubblescope figure RUN.sqlite -o FIGURE.pdf` and `bscope`, which need none\n";

QtMessageHandler previousHandler
    = nullptr; // the guard is used once, before there is a second thread

void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    const bool isOfPlatform
        = QString::fromUtf8(context.category).startsWith(QStringLiteral("qt.qpa"));
    if (type == QtFatalMsg) {
        std::fputs(kNoDisplay, stderr);
        std::_Exit(1);
    }
    // A message for root and containers, which needs no action.
    const bool isOfSession
        = text.startsWith(QStringLiteral("QStandardPaths: XDG_RUNTIME_DIR not set"));
    if (!isOfPlatform && !isOfSession && previousHandler != nullptr)
        previousHandler(type, context, text);
}

void takeValue(CommandLine& result, const QString& option, const QString& value)
{
    if (option == QStringLiteral("--screenshot"))
        result.screenshot = value;
    else if (option == QStringLiteral("--page"))
        result.page = value;
    else if (option == QStringLiteral("--theme"))
        result.theme = value;
    else
        result.size = {value.section(QLatin1Char('x'), 0, 0).toInt(),
                       value.section(QLatin1Char('x'), 1, 1).toInt()};
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
                = QStringLiteral("bubblescope ") + fromUtf8(engine::buildId()) + QLatin1Char('\n');
        else if (withValue.contains(argument) && i + 1 < arguments.size())
            takeValue(result, argument, arguments.at(++i));
        else if (argument.startsWith(QLatin1Char('-')) && argument.size() > 1)
            result.error
                = QStringLiteral("bubblescope: %1 is not an option; `bubblescope --help` lists "
                                 "the options")
                      .arg(argument);
        else
            result.files.append(argument);
    }
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
    // Without a font, Qt draws every letter as the same box.
    const QList<quint32> glyphs
        = QRawFont::fromFont(QFont()).glyphIndexesForString(QStringLiteral("ab"));
    if (glyphs.size() == 2 && glyphs.front() != glyphs.back())
        return {};
    return QStringLiteral(
        "bubblescope: no font is installed, so no text can be shown; install one: "
        "apt install fonts-roboto-unhinted");
}

} // namespace app
