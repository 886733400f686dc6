#pragma once

#include "app/ui/theme.h"
#include "engine/base/field.h"

#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <vector>

class QComboBox;
class QLineEdit;
class QVBoxLayout;
class QWidget;

namespace app {

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
    // Adds the field and its label as a new row.
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
    QString problem() const; // the reason why a text was refused; "" if none was

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

} // namespace app
