#include "app/setup/setup_page.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

using namespace app;

namespace {

PredictionRequest request(int microBatches, int forward = 100)
{
    PredictionRequest asked;
    asked.schedule.scheme = "1f1b";
    asked.schedule.devices = 32;
    asked.schedule.microBatches = microBatches;
    asked.costs.forward = engine::reduced(forward, 100);
    return asked;
}

double units(const PreviewPredictor::Answer& answer)
{
    return (*answer.prediction)->thumbnail.duration;
}

} // namespace

TEST_CASE("a small preview is answered before ask() returns, with its view")
{
    PreviewPredictor predictor;
    std::vector<PreviewPredictor::Answer> answers;
    QObject::connect(&predictor, &PreviewPredictor::answered,
                     [&](const PreviewPredictor::Answer& answer) { answers.push_back(answer); });
    predictor.ask(request(4));
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].isNewest);
    CHECK(answers[0].view->run().schedule.shape.microBatches == 4);
}

TEST_CASE("of many large previews only the first and the last are computed")
{
    PreviewPredictor predictor;
    std::vector<PreviewPredictor::Answer> answers;
    QObject::connect(&predictor, &PreviewPredictor::answered,
                     [&](const PreviewPredictor::Answer& answer) { answers.push_back(answer); });
    for (int step = 0; step < 10; ++step)
        predictor.ask(request(256, 100 + 10 * step));
    CHECK(answers.empty());
    REQUIRE(waitFor([&] { return answers.size() == 2; }));
    CHECK_FALSE(answers[0].isNewest);
    CHECK(units(answers[0]) == 3 * (256 + 31));
    CHECK(answers[1].isNewest);
    CHECK(units(answers[1]) == Approx(3.9 * (256 + 31)));
}

TEST_CASE("a changed order after a changed cost is rebuilt")
{
    PreviewPredictor predictor;
    std::vector<PreviewPredictor::Answer> answers;
    QObject::connect(&predictor, &PreviewPredictor::answered,
                     [&](const PreviewPredictor::Answer& answer) { answers.push_back(answer); });
    predictor.ask(request(256));
    REQUIRE(waitFor([&] { return answers.size() == 1; }));
    predictor.ask(request(192));
    REQUIRE(waitFor([&] { return answers.size() == 2; }));
    CHECK(units(answers[1]) == 3 * (192 + 31));
}

TEST_CASE("a dropped request is not answered, and small ones go before large ones")
{
    PreviewPredictor predictor;
    std::vector<PreviewPredictor::Answer> answers;
    QObject::connect(&predictor, &PreviewPredictor::answered,
                     [&](const PreviewPredictor::Answer& answer) { answers.push_back(answer); });
    predictor.ask(request(256));
    predictor.drop();
    predictor.ask(request(8));
    REQUIRE(answers.size() == 1);
    predictor.ask(request(320));
    REQUIRE(waitFor([&] { return answers.size() == 2; }));
    CHECK(units(answers[1]) == 3 * (320 + 31));
}
