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

// Rows of the set-up form: a title at the left and fields at the right, over the full width.

constexpr int kFormFieldWidth = 150;
constexpr int kBrowseWidth = 34; // width of a browse button, including the gap before it

QHBoxLayout* makeFormRow(const QString& title, const QList<QWidget*>& fields);
QHBoxLayout* makeSliderRow(const QString& title, SliderField* field);
QLabel* makeFormHint(); // a right-aligned hint below a field; hidden while it is empty
void setHint(QLabel* hint, const QString& text);
QComboBox* makeFormCombo(const QString& objectName);
// A button "…" to choose a file.
QPushButton* makeBrowseButton(const QString& objectName, const QString& tip);
// Asks for an existing file without blocking, and calls `take` if the user chooses one.
void askForFile(QWidget* parent, const QString& title, const QString& filter,
                const std::function<void(const QString& file)>& take);
// Adds a section after the others, with a line above it.
QVBoxLayout* makeFormSection(QVBoxLayout& column);

} // namespace app
