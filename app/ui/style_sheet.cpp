#include "app/ui/style_sheet.h"

#include "engine/base/check.h"
#include "resources/resources.h"

#include <QHash>
#include <QPalette>
#include <QRegularExpression>

namespace app {
namespace {

QHash<QString, QString> tokens(const Chrome& c)
{
    const std::pair<const char*, QColor> colours[] = {{"window", c.window},
                                                      {"surface", c.surface},
                                                      {"surface-alt", c.surfaceAlt},
                                                      {"line", c.line},
                                                      {"line-strong", c.lineStrong},
                                                      {"grid", c.grid},
                                                      {"text", c.text},
                                                      {"text-2", c.text2},
                                                      {"text-3", c.text3},
                                                      {"hover", c.hover},
                                                      {"selected", c.selected},
                                                      {"pressed", c.pressed},
                                                      {"primary", c.primary},
                                                      {"primary-text", c.primaryText},
                                                      {"ok", c.ok},
                                                      {"warning", c.warning},
                                                      {"error", c.error},
                                                      {"ok-tint", c.okTint},
                                                      {"warning-tint", c.warningTint},
                                                      {"error-tint", c.errorTint}};
    QHash<QString, QString> result;
    for (const auto& [name, colour] : colours)
        result.insert(QString::fromLatin1(name), colour.name());
    return result;
}

bool isTokenCharacter(QChar c)
{
    return c.isLetterOrNumber() || c == QLatin1Char('-');
}

// Multiplies each "font-size: 13px" by the text scale of the theme.
QString withTextScale(const QString& sheet, double scale)
{
    static const QRegularExpression kSize(QStringLiteral("font-size: (\\d+)px"));
    QString result;
    qsizetype end = 0;
    for (auto at = kSize.globalMatch(sheet); at.hasNext();) {
        const QRegularExpressionMatch size = at.next();
        result += sheet.mid(end, size.capturedStart() - end)
            + QStringLiteral("font-size: %1px").arg(qRound(size.captured(1).toInt() * scale));
        end = size.capturedEnd();
    }
    return result + sheet.mid(end);
}

} // namespace

QString styleSheet(const Theme& theme)
{
    const std::string_view text = resources::find("style/window.qss");
    const QString source = withTextScale(
        QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())), theme.textScale);
    const QHash<QString, QString> values = tokens(theme.chrome);
    QString result;
    for (qsizetype i = 0; i < source.size();) {
        if (source[i] != QLatin1Char('@')) {
            result += source[i++];
            continue;
        }
        qsizetype end = i + 1;
        while (end < source.size() && isTokenCharacter(source[end]))
            ++end;
        const auto value = values.constFind(source.mid(i + 1, end - i - 1));
        CHECK(value != values.constEnd()); // fails if the sheet has an unknown token
        result += *value;
        i = end;
    }
    return result;
}

QPalette chromePalette(const Theme& theme)
{
    const Chrome& c = theme.chrome;
    QPalette palette(c.surface, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.surface);
    palette.setColor(QPalette::AlternateBase, c.surfaceAlt);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::Button, c.surface);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::PlaceholderText, c.text3);
    palette.setColor(QPalette::ToolTipBase, c.surface);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Highlight, c.primary);
    palette.setColor(QPalette::HighlightedText, c.primaryText);
    palette.setColor(QPalette::Link, c.text);
    palette.setColor(QPalette::LinkVisited, c.text);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, c.text3);
    return palette;
}

} // namespace app
