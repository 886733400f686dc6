#pragma once

#include "app/models/theme.h"
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

class SpinField;

// "--micro-batch-size" is microBatchSize, with the prefix "cost" costMicroBatchSize.
QString fieldObjectName(const engine::FieldFacts& facts, const char* prefix = "");

// Form fields for a table of engine::Field: kind, limits, names, label and tooltip are the table's.
// What the user edits is written to the object, which outlives this; show() writes the other way
// and reports nothing. A text that the field refuses stays in it, framed in the colour of errors,
// and the object keeps its value.
class BoundFields : public QObject
{
    Q_OBJECT

public:
    explicit BoundFields(const ThemeController& theme, QObject* parent = nullptr);

    // The widget is called fieldObjectName().
    template<class Object>
    QWidget* add(const engine::Field<Object>& field, Object& object, const char* prefix = "")
    {
        return make(field, prefix,
                    {[&field, &object] { return field.get(object); },
                     [&field, &object](std::string_view text) {
                         return engine::setChecked(field, object, text);
                     },
                     [&field, &object] { return field.off(object); }});
    }
    // The same in a row of its own, with the field's label.
    template<class Object>
    QWidget* addRow(QVBoxLayout& rows, const engine::Field<Object>& field, Object& object,
                    const char* prefix = "")
    {
        QWidget* widget = add(field, object, prefix);
        layRow(rows, field, widget);
        return widget;
    }
    // A choice that is in no table; get and set speak in positions.
    QComboBox* choice(const char* name, const QStringList& names, std::function<int()> get,
                      std::function<void(int)> set);
    SpinField* number(const char* name, int& value, int least, int most,
                      const QString& leastText = {}); // leastText stands for the smallest number

    void show();
    void showEffects();      // enables the fields that have one; the others say why not
    QString problem() const; // of a text that was refused and still stands in its field; "" none

Q_SIGNALS:
    void edited();

private:
    struct Binding
    {
        std::function<std::string()> get;
        std::function<engine::Result<void>(std::string_view text)> set;
        std::function<std::string()> off;
    };
    QWidget* make(const engine::FieldFacts& facts, const char* prefix, Binding binding);
    QWidget* makeNumber(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeCost(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeText(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeChoice(const engine::FieldFacts& facts, const Binding& binding);
    QWidget* makeFlag(const engine::FieldFacts& facts, const Binding& binding);
    static void layRow(QVBoxLayout& rows, const engine::FieldFacts& facts, QWidget* widget);
    void write(QWidget* widget, const Binding& binding, const std::string& text);
    void changed();

    const ThemeController& m_theme;
    std::vector<std::function<void()>> m_show, m_showEffect;
    std::map<QWidget*, QString> m_refused; // and why
    bool m_isShowing = false;
};

} // namespace app
