#include "app/figures/pdf_patch.h"

#include <QList>

namespace app {
namespace {

// Returns the start and the end of the value after `key`; {-1, -1} if the key is not found. The
// value ends at the character `end`.
std::pair<qsizetype, qsizetype> valueAfter(const QByteArray& pdf, const QByteArray& key, char end)
{
    const auto at = pdf.indexOf(key);
    if (at < 0)
        return {-1, -1};
    return {at + key.size(), pdf.indexOf(end, at + key.size())};
}

// Corrects the offsets in a file into which `by` bytes were inserted at `behind`: the entries of
// the cross-reference table at the end of the file, and the offset of this table. An entry has 20
// bytes and starts with the offset of an object in ten digits.
void moveOffsets(QByteArray& pdf, qsizetype behind, qsizetype by)
{
    const auto table = pdf.lastIndexOf("\nxref\n") + 1;
    const auto trailer = pdf.indexOf("trailer", table);
    const auto entries = pdf.indexOf('\n', table + 5) + 1;
    for (auto at = entries; at + 20 <= trailer; at += 20) {
        const auto offset = pdf.mid(at, 10).toLongLong();
        if (pdf.at(at + 17) != 'n' || offset <= behind)
            continue;
        pdf.replace(at, 10, QByteArray::number(offset + by).rightJustified(10, '0'));
    }
    const auto [begin, end] = valueAfter(pdf, "startxref\n", '\n');
    if (begin > 0)
        pdf.replace(begin, end - begin, QByteArray::number(table));
}

} // namespace

void setPdfDate(QByteArray& pdf, const QByteArray& digits)
{
    const auto [begin, end] = valueAfter(pdf, "/CreationDate (D:", ')');
    if (begin < 0)
        return;
    const QByteArray date = digits + 'Z';
    pdf.replace(begin, end - begin, date);
    moveOffsets(pdf, begin, date.size() - (end - begin));
}

void cropPdfPage(QByteArray& pdf, QSizeF points)
{
    const auto [begin, end] = valueAfter(pdf, "/MediaBox [", ']');
    if (begin < 0)
        return;
    const QList<QByteArray> old = pdf.mid(begin, end - begin).simplified().split(' ');
    // In PDF, y grows upwards, so this is the upper edge.
    const double top = old.value(3).toDouble();
    const QByteArray box = "0 " + QByteArray::number(top - points.height(), 'f', 2) + ' '
        + QByteArray::number(points.width(), 'f', 2) + ' ' + QByteArray::number(top, 'f', 0);
    if (box.size() <= end - begin)
        pdf.replace(begin, end - begin, box.leftJustified(end - begin, ' '));
}

} // namespace app
