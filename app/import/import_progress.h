#pragma once

#include "app/import/trace_importer.h"

#include <QWidget>

class QLabel;
class QProgressBar;

namespace app {

// The progress of an import: the file, the rate and the time left, and a button to cancel it.
class ImportProgressView : public QWidget
{
    Q_OBJECT

public:
    explicit ImportProgressView(QWidget* parent = nullptr);
    void show(const ImportState& state);

Q_SIGNALS:
    void cancelRequested();

private:
    QLabel *m_title, *m_file, *m_numbers;
    QProgressBar* m_bar;
};

} // namespace app
