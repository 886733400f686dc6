#pragma once

#include "app/ui/controls.h"
#include "app/ui/theme.h"
#include "engine/base/field.h"

#include <QFileDialog>
#include <QList>
#include <QObject>
#include <QSlider>
#include <QSpinBox>
#include <QString>

#include <functional>
#include <map>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;
class QWidget;

namespace app {

// A field for whole numbers, 28 px high. A refused value stays in the field, with the reason at its
// right end and a frame in the error colour.
class SpinField : public QSpinBox
{
    Q_OBJECT

public:
    explicit SpinField(const ThemeController& theme, QWidget* parent = nullptr);

    void setReason(const QString& reason); // "": the value is valid
    QString reason() const { return m_reason; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    QString m_reason;
};

// A field for hundredths, shown as a decimal: "0.25". Input is rounded to hundredths.
class HundredthsField : public SpinField
{
    Q_OBJECT

public:
    using SpinField::SpinField;
    void stepBy(int steps) override; // snaps to multiples of the step

protected:
    QString textFromValue(int value) const override;
    int valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
};

// A number field with a slider. The field may accept larger numbers than the slider; for these, the
// knob stays at the end.
class SliderField : public QWidget
{
    Q_OBJECT

public:
    // Takes ownership of `field`. `most` is the maximum of the slider.
    SliderField(SpinField* field, int most, QWidget* parent = nullptr);

    SpinField* field() const { return m_field; }
    QSlider* slider() const { return m_slider; }
    // Snaps values from the slider to rest(value). Typed values do not snap.
    void setRest(std::function<int(int)> rest) { m_rest = std::move(rest); }
    // Shows the reason in place of the slider; see SpinField::setReason().
    void setReason(const QString& reason);

private:
    void showValue(int value);
    void dragged(int value);

    SpinField* m_field;
    QSlider* m_slider;
    std::function<int(int)> m_rest;
};

// Rows of the set-up form: a title at the left and fields at the right, over the full width.

constexpr int kFormFieldWidth = 150;
constexpr int kBrowseWidth = 34; // width of a browse button, including the gap before it

QHBoxLayout* makeFormRow(const QString& title, const QList<QWidget*>& fields);
QHBoxLayout* makeSliderRow(const QString& title, SliderField* field);
QLabel* makeFormHint(); // a right-aligned hint below a field; hidden while it is empty
void setHint(QLabel* hint, const QString& text);
QComboBox* makeFormCombo(const QString& objectName);
// A button "…" to choose a file.
QPushButton* makeBrowseButton(QAnyStringView objectName, const QString& tip, QObject* receiver,
                              const Clicked& clicked);
// Asks for an existing file without blocking, and calls `take` if the user chooses one.
void askForFile(QWidget* parent, const QString& title, const QString& filter,
                const std::function<void(const QString& file)>& take);
// Adds a section after the others, with a line above it.
QVBoxLayout* makeFormSection(QVBoxLayout& column);

// Returns the object name of a field's widget: "microBatchSize" for "--micro-batch-size", or
// "costMicroBatchSize" with the prefix "cost".
QString fieldObjectName(const engine::FieldFacts& facts, const char* prefix = "");

// Replaces the option of a field by its label, without the unit.
void replaceOption(QString& message, const engine::FieldFacts& facts);
// Returns a message of the engine with the labels of fields in place of their options: an error
// carries the option of the field that it is about, and each program words it.
template<class Object>
QString withLabels(engine::Fields<Object> fields, const std::string& message)
{
    QString text = QString::fromStdString(message);
    for (const auto& field : fields)
        if (!field.flag.empty())
            replaceOption(text, field);
    return text;
}

// Creates form fields for a table of engine::Field, which has the kind, limits, names, label and
// tooltip of each field. Edits are written to the object, which must outlive the BoundFields.
// show() updates the fields without signals. If a text is refused, the object does not change; the
// field keeps the text and gets a frame in the error colour.
class BoundFields : public QObject
{
    Q_OBJECT

public:
    explicit BoundFields(const ThemeController& theme, QObject* parent = nullptr);

    enum class Look { ByKind, Spin, Segments }; // Spin: for a number, Segments: for a choice
    // The object name of the widget is fieldObjectName().
    template<class Object>
    QWidget* add(const engine::Field<Object>& field, Object& object, const char* prefix = "",
                 Look look = Look::ByKind)
    {
        return make(field, prefix, look,
                    {[&field, &object] { return field.get(object); },
                     [&field, &object](std::string_view text) {
                         return engine::setChecked(field, object, text);
                     },
                     [&field, &object] { return field.off(object); }});
    }
    template<class Object>
    QWidget* addRow(QVBoxLayout& rows, const engine::Field<Object>& field, Object& object,
                    const char* prefix = "", Look look = Look::ByKind)
    {
        QWidget* widget = add(field, object, prefix, look);
        layRow(rows, field, widget);
        return widget;
    }
    // Adds a choice that is not in a table of fields. `get` and `set` use indices.
    QComboBox* choice(const char* name, const QStringList& names, std::function<int()> get,
                      std::function<void(int)> set);

    void show();
    void showEffects(); // disables fields without effect and states the reason in their tooltips
    // the reason why a text was refused; "" if none was
    QString problem() const { return m_refused.empty() ? QString() : m_refused.begin()->second; }

Q_SIGNALS:
    void edited();

private:
    struct Binding
    {
        std::function<std::string()> get;
        std::function<engine::Result<void>(std::string_view text)> set;
        std::function<std::string()> off;
    };
    QWidget* make(const engine::FieldFacts& facts, const char* prefix, Look look, Binding binding);
    QWidget* makeNumber(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeSpin(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeSegments(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeCost(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeText(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeChoice(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeFlag(const engine::FieldFacts& facts, const Binding& binding);
    static void layRow(QVBoxLayout& rows, const engine::FieldFacts& facts, QWidget* widget);
    void write(QWidget* widget, const Binding& binding, const std::string& text);
    void changed();

    const ThemeController& m_theme;
    std::vector<std::function<void()>> m_show, m_showEffect;
    std::map<QWidget*, QString> m_refused; // by field: the reason why its text was refused
    bool m_isShowing = false;
};

struct FileQuestion
{
    QString title, filter;
    const char* objectName;
    QFileDialog::FileMode mode;
};

// Opens a dialog that deletes itself when it is closed.
QFileDialog* openFileDialog(const FileQuestion& question, QWidget* parent);

} // namespace app
