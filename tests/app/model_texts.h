#pragma once

#include <QAbstractItemModelTester>
#include <QStringList>

// How the tests of item models check and read them.
namespace tests {

inline constexpr auto kStrict = QAbstractItemModelTester::FailureReportingMode::Fatal;

inline QStringList row(const QAbstractItemModel& model, int row)
{
    QStringList texts;
    for (int column = 0; column < model.columnCount(); ++column)
        texts.append(model.index(row, column).data().toString());
    return texts;
}

inline QStringList header(const QAbstractItemModel& model)
{
    QStringList texts;
    for (int column = 0; column < model.columnCount(); ++column)
        texts.append(model.headerData(column, Qt::Horizontal).toString());
    return texts;
}

} // namespace tests
