#include "app/study/study_page.h"
#include "profiler/study/study_file.h"
#include "resources/resources.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

using namespace app;
using Texts = std::vector<std::string>;

namespace {

// The line of an option in the form of a study.
struct Line
{
    explicit Line(const char* option, const Texts& values = {})
        : key(option)
    {
        profiler::Study study = defaultStudy();
        if (profiler::optionValues(study, key).empty())
            study.fixed.push_back({key, values});
        form->setStudy(study);
        form->show();
        QObject::connect(form.get(), &StudyForm::edited, form.get(),
                         [this] { edits.push_back(profiler::optionValues(form->study(), key)); });
    }
    QLineEdit& field() const
    {
        return *form->findChild<QLineEdit*>(QString::fromStdString(key + "Line"));
    }
    void type(const char* text) const
    {
        field().clear();
        QTest::keyClicks(&field(), QString::fromLatin1(text));
        QTest::keyClick(&field(), Qt::Key_Return);
    }
    QList<QWidget*> chips() const // those of the field's option
    {
        QList<QWidget*> shown;
        for (auto* x :
             field().parentWidget()->findChildren<QToolButton*>(QStringLiteral("removeValue")))
            if (x->isVisibleTo(field().parentWidget()))
                shown.append(x);
        return shown;
    }

    std::string key;
    ThemeController theme;
    std::unique_ptr<StudyForm> form{StudyForm::make(theme)};
    std::vector<Texts> edits;
};

} // namespace

TEST_CASE("typed values are added and sorted, and a wrong range is refused with a reason")
{
    const Line of("p2p");
    of.type("0 to x, 3 steps");
    CHECK(of.edits.empty());
    const auto* problem = of.form->findChild<QLabel*>(QStringLiteral("p2pProblem"));
    CHECK(problem->text().contains(QStringLiteral("write it as 0 to 0.5, 11 steps")));
    of.type("1, 0.25");
    CHECK(of.edits == std::vector<Texts>{{"0.25", "1"}});
    CHECK(problem->text().isEmpty());
    of.type("0.5 2 1");
    CHECK(of.edits.back() == Texts{"0.25", "0.5", "1", "2"});
    of.type("");
    CHECK(of.edits.size() == 2);
}

TEST_CASE("a value is removed by the x of its chip")
{
    const Line of("p2p", {"0.25", "0.5", "1"});
    REQUIRE(of.chips().size() == 3);
    QTest::mouseClick(of.chips()[1], Qt::LeftButton);
    CHECK(of.edits == std::vector<Texts>{{"0.25", "1"}});
    REQUIRE(of.chips().size() == 2);
    CHECK(of.chips()[1]->accessibleName() == QStringLiteral("Remove 1"));
}

TEST_CASE("chips that do not fit beside each other begin another line")
{
    const Line of("p2p", {"0.001", "0.01", "0.05", "0.1", "0.25", "0.5", "1.25", "2.5"});
    of.form->resize(270, 700);
    settle();
    int right = 0, lines = 0;
    for (const QWidget* x : of.chips()) {
        const QWidget* chip = x->parentWidget();
        CHECK(chip->geometry().right() < of.field().parentWidget()->width());
        lines += chip->x() == 0 ? 1 : 0;
        CHECK((chip->x() == 0 || chip->x() > right));
        right = chip->geometry().right();
    }
    CHECK(lines > 1);
}

TEST_CASE("many values in equal steps have one chip")
{
    Texts values;
    for (int i = 0; i <= 20; ++i)
        values.push_back(std::to_string(i));
    const Line of("p2p", values);
    REQUIRE(of.chips().size() == 1);
    CHECK(of.chips()[0]->accessibleName() == QStringLiteral("Remove 0 to 20, 21 steps"));
    QTest::keyClick(&of.field(), Qt::Key_Return);
    CHECK(of.edits.empty());
    of.type("30");
    CHECK(of.edits.back().size() == 22);
    CHECK(of.chips().size() == 22);
}

TEST_CASE("an option with names offers them")
{
    const Line of("attention");
    for (const char* name : {"standard", "flash", "recompute"})
        CHECK(of.field().toolTip().contains(QLatin1String(name)));
}

// The charts were lost with the last value, although the user typed another one.
TEST_CASE("charts return with the axis that they need")
{
    const Line all("micro-batches");
    all.form->setStudy(
        profiler::readStudy(resources::find("studies/chunks.toml"), "chunks").value());
    const auto before = all.form->study().charts;
    const auto values = profiler::optionValues(all.form->study(), "micro-batches");
    while (!all.chips().isEmpty())
        QTest::mouseClick(all.chips().front(), Qt::LeftButton);
    CHECK(all.form->study().charts.size() < before.size());
    std::string text;
    for (const std::string& value : values)
        text += value + " ";
    all.type(text.c_str());
    CHECK(all.form->study().charts == before);
}
