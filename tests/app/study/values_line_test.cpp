#include "app/study/study_form.h"
#include "app/study/study_options.h"
#include "profiler/study/study_file.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QLabel>
#include <QLineEdit>

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

    std::string key;
    std::unique_ptr<StudyForm> form{StudyForm::make()};
    std::vector<Texts> edits;
};

} // namespace

TEST_CASE("typed values are sorted, and a wrong range is refused with a reason")
{
    const Line of("p2p");
    of.type("0 to x, 3 steps");
    CHECK(of.edits.empty());
    const auto* problem = of.form->findChild<QLabel*>(QStringLiteral("p2pProblem"));
    CHECK(problem->text().contains(QStringLiteral("write it as 0 to 0.5, 11 steps")));
    of.type("1, 0.25");
    CHECK(of.edits == std::vector<Texts>{{"0.25", "1"}});
    CHECK(problem->text().isEmpty());
    of.type("");
    CHECK(of.edits.back().empty());
}

TEST_CASE("many values in equal steps are shown as a range, and reading it again is no edit")
{
    Texts values;
    for (int i = 0; i <= 20; ++i)
        values.push_back(std::to_string(i));
    const Line of("p2p", values);
    CHECK(of.field().text() == QStringLiteral("0 to 20, 21 steps"));
    QTest::keyClick(&of.field(), Qt::Key_Return);
    CHECK(of.edits.empty());
}

TEST_CASE("an option with names offers them")
{
    const Line of("attention");
    for (const char* name : {"standard", "flash", "recompute"})
        CHECK(of.field().placeholderText().contains(QLatin1String(name)));
}
