#include "app/ui/table_text.h"

#include "app/ui/table_roles.h"
#include "app/ui/text.h"

#include <QAbstractItemModel>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace app {
namespace {

// The cells of a row; row -1: the header.
QStringList cellsOf(const QAbstractItemModel& model, int row)
{
    QStringList cells;
    for (int i = 0; i < model.columnCount(); ++i) {
        const QModelIndex cell = model.index(row, i);
        const QString difference = cell.data(kDifferenceRole).toString();
        cells.append(row < 0 ? model.headerData(i, Qt::Horizontal).toString()
                         : difference.isEmpty()
                         ? cell.data().toString()
                         : cell.data().toString() + QLatin1Char(' ') + difference);
    }
    return cells;
}

QString latexText(const QString& text)
{
    static const std::pair<QChar, const char*> kCommands[] = {{u'\\', "\\textbackslash{}"},
                                                              {u'~', "\\textasciitilde{}"},
                                                              {u'^', "\\textasciicircum{}"},
                                                              {u'−', "$-$"},
                                                              {u'±', "$\\pm$"},
                                                              {u'×', "$\\times$"},
                                                              {u'µ', "$\\mu$"},
                                                              {u'–', "--"},
                                                              {u'…', "\\ldots{}"},
                                                              {u'ₐ', "$_a$"},
                                                              {u'θ', "$\\theta$"},
                                                              {u'→', "$\\to$"},
                                                              {u'\u202F', "\\,"},
                                                              {u'\u00A0', "~"}};
    QString latex;
    for (const QChar character : text) {
        const auto* found
            = std::ranges::find(kCommands, character, [](const auto& each) { return each.first; });
        if (found != std::end(kCommands))
            latex += QLatin1String(found->second);
        else if (QStringLiteral("&%$#_{}").contains(character))
            latex += QLatin1Char('\\') + QString(character);
        else
            latex += character;
    }
    return latex;
}

} // namespace

QString csvOf(const QAbstractItemModel& model)
{
    QString all;
    for (int row = -1; row < model.rowCount(); ++row) {
        QStringList cells = cellsOf(model, row);
        std::ranges::transform(cells, cells.begin(), quotedCell);
        all += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return all;
}

QString latexOf(const QAbstractItemModel& model)
{
    QString columns, all;
    for (int i = 0; i < model.columnCount(); ++i) {
        const auto alignment = model.index(0, i).data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        columns += QLatin1Char((alignment & Qt::AlignRight) != 0 ? 'r' : 'l');
    }
    for (int row = -1; row < model.rowCount(); ++row) {
        QStringList cells = cellsOf(model, row);
        std::ranges::transform(cells, cells.begin(), latexText);
        all += QStringLiteral("  %1 \\\\\n").arg(cells.join(QStringLiteral(" & ")));
        if (row < 0)
            all += QStringLiteral("  \\hline\n");
    }
    return QStringLiteral("\\begin{tabular}{%1}\n%2\\end{tabular}\n").arg(columns, all);
}

} // namespace app
