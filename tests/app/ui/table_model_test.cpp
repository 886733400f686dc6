#include "app/ui/data_table.h"
#include "tests/catch.h"

#include <QAbstractItemModelTester>

using namespace app;

namespace {

struct City
{
    QString name;
    int people = 0; // thousands
    bool isCapital = false;
};

class Cities : public TableModel<City>
{
public:
    Cities()
    {
        reset(
            {TableColumn<City>(
                 QStringLiteral("City"), [](const City& city) { return city.name; }, Qt::AlignLeft)
                 .with(kStrongRole, [](const City& city) { return city.isCapital; }),
             TableColumn<City>(QStringLiteral("People"),
                               [](const City& city) { return QString::number(city.people); })
                 .sortedBy([](const City& city) { return static_cast<double>(city.people); })
                 .with(Qt::TextAlignmentRole,
                       [](const City& city) {
                           return city.people == 0 ? QVariant(Qt::AlignCenter) : QVariant();
                       })},
            {{QStringLiteral("Ulm"), 130},
             {QStringLiteral("Bern"), 130, true},
             {QStringLiteral("Aachen"), 9},
             {QStringLiteral("Nowhere"), 0}});
    }
    QString names() const
    {
        QStringList texts;
        for (int row = 0; row < rowCount(); ++row)
            texts.append(index(row, 0).data().toString());
        return texts.join(QLatin1Char(' '));
    }
    using TableModel::update;

protected:
    int rank(const City& city) const override { return city.people == 0 ? 1 : 0; }
};

} // namespace

TEST_CASE("a table sorts by sort value or else by text, and equal rows keep their given order")
{
    Cities model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.sort(1);
    CHECK(model.names() == QStringLiteral("Aachen Ulm Bern Nowhere")); // 9 < 130, also as texts
    model.sort(1, Qt::DescendingOrder);
    CHECK(model.names() == QStringLiteral("Ulm Bern Aachen Nowhere"));
    model.sort(0);
    CHECK(model.names() == QStringLiteral("Aachen Bern Ulm Nowhere"));
    model.sort(-1);
    CHECK(model.names() == QStringLiteral("Ulm Bern Aachen Nowhere"));
}

TEST_CASE("a persistent index follows its row through a sort")
{
    Cities model;
    const QPersistentModelIndex bern(model.index(1, 1));
    model.sort(0);
    CHECK(bern.row() == 1);
    model.sort(1);
    CHECK(bern.row() == 2);
    CHECK(model.at(bern.row()).name == QStringLiteral("Bern"));
}

TEST_CASE("roles are functions of the row, and leave the usual value where they return nothing")
{
    const Cities model;
    CHECK(model.index(1, 0).data(kStrongRole).toBool());
    CHECK_FALSE(model.index(0, 0).data(kStrongRole).toBool());
    CHECK_FALSE(model.index(0, 1).data(kStrongRole).isValid());
    const auto alignment = [&](int row) {
        return Qt::Alignment(model.index(row, 1).data(Qt::TextAlignmentRole).toInt());
    };
    CHECK(alignment(0) == (Qt::AlignRight | Qt::AlignVCenter));
    CHECK(alignment(3) == Qt::Alignment(Qt::AlignCenter));
    CHECK(model.headerData(1, Qt::Horizontal).toString() == QStringLiteral("People"));
    CHECK_FALSE(model.headerData(2, Qt::Horizontal).isValid());
}

TEST_CASE("an update replaces rows and appends those beyond the end")
{
    Cities model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.update(3, {{QStringLiteral("Berlin"), 3700, true}, {QStringLiteral("Jena"), 110}});
    CHECK(model.names() == QStringLiteral("Ulm Bern Aachen Berlin Jena"));
    model.sort(1, Qt::DescendingOrder);
    CHECK(model.names() == QStringLiteral("Berlin Ulm Bern Jena Aachen"));
}
