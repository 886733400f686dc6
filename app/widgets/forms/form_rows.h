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

// Rows of the set-up form. A row has a title at the left and fields at the right, over the full
// width.

constexpr int kFormFieldWidth = 150;
constexpr int kBrowseWidth = 34; // of a browse button and the gap before the button

QHBoxLayout* makeFormRow(const QString& title, const QList<QWidget*>& fields);
QHBoxLayout* makeSliderRow(const QString& title, SliderField* field);
QLabel* makeFormHint(); // right-aligned, below a field; hidden if empty
void setHint(QLabel* hint, const QString& text);
QComboBox* makeFormCombo(const QString& objectName);
QPushButton* makeBrowseButton(const QString& objectName, const QString& tip); // "…", for a file
// Asks for an existing file without blocking, and calls `take` if the user chooses one.
void askForFile(QWidget* parent, const QString& title, const QString& filter,
                const std::function<void(const QString& file)>& take);
// Adds a section after the others, with a line above it.
QVBoxLayout* makeFormSection(QVBoxLayout& column);

} // namespace app
