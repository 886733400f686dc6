// Every setting of a run through the window's form.
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "app/window/command_line.h"
#include "engine/experiment/experiment_fields.h"
#include "tests/gui/setup.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>

namespace app {

namespace {

using engine::FieldKind;

// A text that differs from the default.
QString otherText(const engine::FieldFacts& facts, const QString& usual)
{
    switch (facts.kind) {
    case FieldKind::Choice:
        return fromUtf8(facts.names.front()) == usual ? fromUtf8(facts.names.back())
                                                      : fromUtf8(facts.names.front());
    case FieldKind::Integer:
        return facts.most > 1e18 ? QStringLiteral("5000000000")
                                 : QString::number(usual.toInt() + 1);
    case FieldKind::Real:
        return QStringLiteral("12.5");
    case FieldKind::Memory:
        return QStringLiteral("16GiB");
    default:
        return QStringLiteral("sample");
    }
}

void enter(QWidget* widget, const QString& text)
{
    if (auto* combo = qobject_cast<QComboBox*>(widget))
        combo->setCurrentText(text);
    else if (auto* line = qobject_cast<QLineEdit*>(widget))
        line->setText(text);
    else
        qobject_cast<QSpinBox*>(widget)->setValue(text.toInt());
}

} // namespace

TEST_CASE("edits in the form change the plan, and showing a plan does not change it")
{
    int edited = 0;
    for (const auto& field : engine::experimentFields()) {
        Setup setup;
        RunPlan plan;
        plan.experiment.backend = engine::Backend::Cuda; // where everything has an effect
        plan.experiment.mode = engine::Mode::Live;
        setup.page.setPlan(plan);
        if (field.flag.empty() || field.flag == "--backend" || field.flag == "--mode")
            continue;
        auto* widget = setup.page.findChild<QWidget*>(fieldObjectName(field));
        if (widget == nullptr) // the scheme is a card, its options have rows of their own
            continue;
        CAPTURE(field.flag);
        const QString text = field.flag == "--model" ? QStringLiteral("small")
            : field.flag == "--layout"               ? QStringLiteral("Et*3|t*5|t*4|t*4L")
            : field.flag == "--recompute-ahead"      ? QStringLiteral("peak")
            : field.flag == "--offload"
            ? QStringLiteral("2.5")
            : otherText(field, QString::fromStdString(field.get(plan.experiment)));
        enter(widget, text);
        CHECK(QString::fromStdString(field.get(setup.page.plan().experiment)) == text);
        const RunPlan changed = setup.page.plan();
        setup.page.setPlan({});
        setup.page.setPlan(changed);
        CHECK(setup.page.plan() == changed);
        ++edited;
    }
    CHECK(edited >= 22);
}

TEST_CASE("a refused text stays in its field, and the run cannot be started")
{
    Setup setup;
    enter(setup.find<QWidget>("deviceMemory"), QStringLiteral("much"));
    CHECK(setup.verdict().contains(QStringLiteral("--device-memory must be an amount of memory")));
    CHECK_FALSE(setup.find<QPushButton>("run")->isEnabled());
    CHECK(setup.find<QWidget>("deviceMemory")->property("invalid").toBool());
    enter(setup.find<QWidget>("deviceMemory"), QStringLiteral("16 GiB"));
    CHECK(setup.find<QPushButton>("run")->isEnabled());
    CHECK(setup.page.plan().experiment.deviceMemory == 16LL << 30);
}

TEST_CASE("a schedule file is shown, predicted and run, until a scheme is chosen")
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("order.csv"));
    QFile out(file);
    REQUIRE(out.open(QIODevice::WriteOnly));
    out.write("device,index,op,stage,chunk,microbatch,replica,slice,joint,version\n"
              "0,0,F,0,0,0,0,,0,\n0,1,B,0,0,0,0,,0,\n1,0,F,1,0,0,0,,0,\n1,1,B,1,0,0,0,,0,\n");
    out.close();
    Setup setup;
    RunPlan plan;
    plan.experiment.scheduleFile = file.toStdString();
    setup.page.setPlan(plan);
    CHECK(setup.find<QLabel>("scheduleFile")->text() == QStringLiteral("order.csv"));
    CHECK_FALSE(setup.find<QWidget>("devices")->isVisible());
    CHECK(setup.verdict().contains(QStringLiteral("4 ops")));
    CHECK(setup.value(0) == QStringLiteral("6"));
    CHECK(commandText(setup.page.plan()).startsWith(QStringLiteral("bscope run --schedule ")));
    setup.press("scheme_1f1b");
    CHECK(setup.find<QWidget>("devices")->isVisible());
    CHECK(setup.page.plan().experiment.scheduleFile.empty());
}

TEST_CASE("the wheel over a field of the form scrolls the form and changes no value")
{
    Setup setup;
    auto* devices = setup.find<QAbstractSpinBox>("devices");
    CHECK(wheelReceiver(devices) == devices->parent());
    CHECK(wheelReceiver(devices->findChild<QLineEdit*>()) == devices->parent());
    auto* combo = setup.page.findChild<QComboBox*>();
    REQUIRE(combo != nullptr);
    CHECK(wheelReceiver(combo) == combo->parent());
    CHECK(wheelReceiver(combo->view()) == combo->view()); // its list scrolls
    CHECK(wheelReceiver(&setup.page) == &setup.page);
}

// The status bar shows HTML of the program.
TEST_CASE("the status of a set-up shows the scheme of a file as plain text")
{
    Setup setup;
    RunPlan plan;
    plan.experiment.schedule.scheme = "<img src=x>";
    setup.page.setPlan(plan);
    CHECK(setup.page.statusTexts().front().startsWith(QStringLiteral("&lt;img src=x&gt;, D 4")));
}

} // namespace app
