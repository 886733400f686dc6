#pragma once

#include <QList>
#include <QString>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QVBoxLayout;
class QWidget;

namespace app {

class SliderField;

// The rows of the set-up form: a title at the left, fields at the right, as wide as the column.

constexpr int kFormFieldWidth = 150;

QHBoxLayout* makeFormRow(const QString& title, const QList<QWidget*>& fields);
QHBoxLayout* makeSliderRow(const QString& title, SliderField* field);
QLabel* makeFormHint(); // right-aligned, under a field; hidden while it is empty
void setHint(QLabel* hint, const QString& text);
QComboBox* makeFormCombo(const QString& objectName);
// Another section below the others, with a line above it.
QVBoxLayout* makeFormSection(QVBoxLayout& column);

} // namespace app
