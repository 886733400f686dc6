#pragma once

#include <QList>
#include <QString>

#include <functional>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;
class QWidget;

namespace app {

class SliderField;

// Rows of the set-up form: a title at the left, fields at the right, over the full width.

constexpr int kFormFieldWidth = 150;
constexpr int kBrowseWidth = 34; // of a browse button with the gap before it

QHBoxLayout* makeFormRow(const QString& title, const QList<QWidget*>& fields);
QHBoxLayout* makeSliderRow(const QString& title, SliderField* field);
QLabel* makeFormHint(); // right-aligned, under a field; hidden if empty
void setHint(QLabel* hint, const QString& text);
QComboBox* makeFormCombo(const QString& objectName);
QPushButton* makeBrowseButton(const QString& objectName, const QString& tip); // "…", for a file
// Asks for an existing file; calls `take` if one is chosen. Does not block.
void askForFile(QWidget* parent, const QString& title, const QString& filter,
                const std::function<void(const QString& file)>& take);
// Adds a section below the others, with a line above it.
QVBoxLayout* makeFormSection(QVBoxLayout& column);

} // namespace app
