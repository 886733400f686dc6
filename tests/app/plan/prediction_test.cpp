#include "app/plan/run_plan.h"
#include "app/setup/setup_page.h"
#include "tests/support/pipelines.h"

#include <QAbstractItemModelTester>
#include <QStringList>

#include <limits>

using namespace app;

namespace {

Prediction predicted(const char* scheme, int devices, int microBatches,
                     engine::UnitCosts costs = {})
{
    auto result
        = predict({.schedule = tests::requestOf(scheme, devices, microBatches), .costs = costs});
    REQUIRE(result);
    return *result;
}

SchemeTableModel::Row row(const char* scheme, const char* condition = "")
{
    return {QString::fromLatin1(scheme),
            QString::fromLatin1(scheme).toUpper(),
            QString::fromLatin1(condition),
            {}};
}

auto answerOf(const char* scheme, int devices, int microBatches)
{
    return std::make_shared<const engine::Result<Prediction>>(
        predict({.schedule = tests::requestOf(scheme, devices, microBatches)}));
}

QString column(const SchemeTableModel& model, int column)
{
    QStringList texts;
    for (int i = 0; i < model.rowCount(); ++i)
        texts.append(model.index(i, column).data().toString());
    return texts.join(u'|');
}

} // namespace

TEST_CASE("the costs of a prediction are exact: 1F1B with P2P 0.5 and another backward")
{
    CHECK(predicted("1f1b", 2, 2).thumbnail.duration == 9);
    engine::UnitCosts costs;
    costs.backward = {1};
    costs.inputGradient = costs.weightGradient = {1, 2};
    CHECK(predicted("1f1b", 2, 2, costs).thumbnail.duration == 6);
    costs.p2p = {1, 2}; // the first F goes down, the last B comes back
    CHECK(predicted("1f1b", 2, 2, costs).thumbnail.duration == 7);
    CHECK(costsText(costs) == QStringLiteral("F 1, B 1; P2P 0.5"));
    CHECK(profiler::timingArguments({.schedule = {}, .costs = costs})
          == std::vector<std::string>{"--input-gradient", "0.5", "--weight-gradient", "0.5",
                                      "--p2p", "0.5"});
}

TEST_CASE("a prediction states whether its closed form matches the simulation")
{
    CHECK(closedFormText(predicted("gpipe", 4, 4)).toStdString()
          == QStringLiteral("(D−1)/(N+D−1): (4−1)/(4+4−1) = 42.9\u202F%, as simulated")
                 .toStdString());
    CHECK(closedFormText(predicted("zb-v", 4, 4)).endsWith(QStringLiteral("this D and N")));
    engine::UnitCosts costs;
    costs.forward = {2};
    CHECK(closedFormText(predicted("gpipe", 4, 4, costs)).contains(QStringLiteral("as simulated")));
    costs.p2p = {1};
    CHECK(closedFormText(predicted("gpipe", 4, 4, costs)).endsWith(QStringLiteral("free links")));
}

TEST_CASE("late all-reduces of an asynchronous scheme are refused, as by bscope simulate")
{
    PredictionRequest request;
    request.schedule.scheme = "bitpipe-async";
    CHECK(app::predict(request));
    request.sync = engine::SyncPolicy::Late;
    const auto refused = app::predict(request);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains("--sync late"));
}

TEST_CASE("an edited schedule that lacks an op is predicted as its violations")
{
    auto schedule = engine::buildSchedule(tests::requestOf("1f1b", 2, 2));
    REQUIRE(schedule);
    schedule->program[{1}].pop_back();
    const auto result = predict(*schedule, QStringLiteral("x"), PredictionRequest());
    REQUIRE(result);
    CHECK_FALSE(result->isValid());
    CHECK(result->run == nullptr);
    CHECK(result->thumbnail.isEmpty());
}

TEST_CASE("a refused request names the nearest values, each a request that is possible")
{
    const Fault fault = findFault(tests::requestOf("bitpipe", 4, 6));
    CHECK(fault.field == Fault::Field::MicroBatches);
    CHECK(fault.reason == QStringLiteral("try 4 or 8"));
    REQUIRE(fault.remedies.size() == 2);
    CHECK(fault.remedies[1].text == QStringLiteral("N = 8"));
    for (const engine::Scheme& scheme : engine::schemes()) {
        for (const auto& [devices, microBatches] : {std::pair{3, 5}, {4, 2}, {0, 0}, {7, 1}}) {
            const Fault other = findFault(
                tests::requestOf(std::string(scheme.name).c_str(), devices, microBatches));
            INFO(scheme.name << " D " << devices << " N " << microBatches);
            CHECK((other.field == Fault::Field::None) == other.message.isEmpty());
            if (other.field != Fault::Field::None)
                CHECK_FALSE(other.remedies.empty());
            for (const Remedy& remedy : other.remedies)
                CHECK(engine::checkRequest(remedy.request));
        }
    }
}

// N was searched below 512 only, so the remedy was N = 516.
TEST_CASE("a remedy that changes D and N is near the requested numbers, if these are possible")
{
    const auto remediesOf = [](int devices, int microBatches) {
        QStringList texts;
        for (const Remedy& remedy :
             findFault(tests::requestOf("bitpipe", devices, microBatches)).remedies)
            texts.append(remedy.text);
        return texts;
    };
    CHECK(remediesOf(5, 1001) == QStringList{QStringLiteral("D = 6, N = 1002")});
    constexpr int kMost = std::numeric_limits<int>::max();
    CHECK(remediesOf(4, kMost) == QStringList{QStringLiteral("D = 4, N = 516")});
    CHECK(remediesOf(kMost, kMost).size() == 1);
}

TEST_CASE("an invalid option value is reported for the option, and resets to the default")
{
    engine::ScheduleRequest wrong = tests::requestOf("bitpipe", 4, 8);
    wrong.options["placement"] = "sideways";
    const Fault fault = findFault(wrong);
    CHECK(fault.field == Fault::Field::Option);
    REQUIRE(fault.remedies.size() == 1);
    CHECK(fault.remedies[0].request == tests::requestOf("bitpipe", 4, 8));
}

TEST_CASE("dragging snaps to values that the scheme accepts")
{
    using Request = engine::ScheduleRequest;
    CHECK(nearestPossible(tests::requestOf("bitpipe", 4, 8), &Request::microBatches, 9, 128) == 8);
    CHECK(nearestPossible(tests::requestOf("bitpipe", 4, 8), &Request::microBatches, 128, 128)
          == 128);
    CHECK(nearestPossible(tests::requestOf("bitpipe", 4, 8), &Request::devices, 3, 64) == 4);
    CHECK(nearestPossible(tests::requestOf("1f1b", 4, 8), &Request::devices, 3, 64) == 3);
}

TEST_CASE("a rule is split by field")
{
    const RuleParts rule = ruleParts(*engine::findScheme("bitpipe"));
    CHECK(rule.devices == QStringLiteral("≥ 2, even (concat=early: any)"));
    CHECK(rule.microBatches == QStringLiteral("a multiple of D (concat=early: any)"));
    CHECK(ruleParts(*engine::findScheme("1f1b")).devices.isEmpty());
}

TEST_CASE("the table of schemes sorts by any column, refused ones last, and is a sound model")
{
    SchemeTableModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setRows({row("dualpipe", "needs N >= 2D"), row("gpipe"), row("bitpipe"), row("gems")});
    for (const char* scheme : {"gpipe", "bitpipe", "gems"})
        model.answer(QString::fromLatin1(scheme), answerOf(scheme, 4, 4));
    CHECK(column(model, 0) == QStringLiteral("GPIPE|BITPIPE|GEMS|DUALPIPE"));
    const QPersistentModelIndex gems(model.index(model.rowOf(QStringLiteral("gems")), 0));
    model.sort(static_cast<int>(SchemeTableModel::Column::Stash));
    CHECK(column(model, 0) == QStringLiteral("GEMS|GPIPE|BITPIPE|DUALPIPE"));
    CHECK(gems.data().toString() == QStringLiteral("GEMS"));
    model.sort(static_cast<int>(SchemeTableModel::Column::Iteration), Qt::DescendingOrder);
    CHECK(column(model, 1) == QStringLiteral("39|21|14|needs N >= 2D"));

    model.setRows({row("dualpipe"), row("gpipe", "no"), row("bitpipe"), row("gems")});
    CHECK(column(model, 1).toStdString() == "39|14||no"); // the answers stay until others come
}

TEST_CASE("one much longer scheme does not shrink the pictures of the others")
{
    SchemeTableModel model;
    model.setRows({row("gpipe"), row("bitpipe"), row("gems")});
    for (const char* scheme : {"gpipe", "bitpipe", "gems"})
        model.answer(QString::fromLatin1(scheme), answerOf(scheme, 4, 4));
    CHECK(model.thumbnailUnits() == Approx(21 * 1.25)); // GEMS has 39 and is cut
    model.setRows({row("bitpipe"), row("1f1b"), row("chimera")});
    CHECK(model.thumbnailUnits() == Approx(14)); // the longest that is there
}

TEST_CASE("the table as CSV has plain numbers, and the reason where a scheme is refused")
{
    SchemeTableModel model;
    model.setRows({row("bitpipe"), row("dualpipe", "needs N >= 2D, even")});
    model.answer(QStringLiteral("bitpipe"), answerOf("bitpipe", 4, 4));
    CHECK(model.csv()
          == QStringLiteral(
              "scheme,iteration_units,bubble_percent,peak_stash_ma,weights_mtheta,messages,"
              "local_copies,refused\n"
              "bitpipe,14,14.2857142857,4,2,48,8,\n"
              "dualpipe,,,,,,,\"needs N >= 2D, even\"\n"));
}
