#include "app/timeline/details/view_link.h"

#include <QUrl>
#include <QUrlQuery>

#include <fmt/format.h>

#include <cmath>

namespace app {
namespace {

using engine::fail;
using engine::Result;
using Chosen = Selection::Kind;

constexpr std::int64_t kMostTicks = std::int64_t{1} << 61; // as in run files

// Reads the values of a link; keeps the first error.
class LinkReader
{
public:
    explicit LinkReader(const QUrl& url)
        : m_query(url)
    { }

    bool has(const char* key) const { return m_query.hasQueryItem(QLatin1String(key)); }
    QString text(const char* key) const
    {
        return m_query.queryItemValue(QLatin1String(key), QUrl::FullyDecoded);
    }
    std::int64_t number(const char* key, std::int64_t least, std::int64_t most)
    {
        bool isNumber = false;
        const qlonglong value = text(key).toLongLong(&isNumber);
        if ((!isNumber || value < least || value > most) && m_error.empty())
            m_error = fmt::format("the link has no valid '{}': copy the whole link", key);
        return isNumber ? value : 0;
    }
    engine::Window window(const char* from, const char* to)
    {
        engine::Window window{number(from, -kMostTicks, kMostTicks),
                              number(to, -kMostTicks, kMostTicks)};
        if (window.begin >= window.end && m_error.empty())
            m_error
                = fmt::format("the link ends at '{}' before it begins: copy the whole link", to);
        return window;
    }
    const std::string& error() const { return m_error; }

private:
    QUrlQuery m_query;
    std::string m_error;
};

} // namespace

bool isViewLink(const QString& text)
{
    return text.trimmed().startsWith(QLatin1String(kLinkScheme) + QLatin1Char(':'));
}

QString toText(const ViewLink& link)
{
    QUrl url;
    url.setScheme(QLatin1String(kLinkScheme));
    url.setPath(link.file);
    QUrlQuery query;
    const auto add = [&](const char* key, const QString& value) {
        query.addQueryItem(QLatin1String(key), QString::fromLatin1(QUrl::toPercentEncoding(value)));
    };
    const auto addNumber
        = [&](const char* key, std::int64_t value) { add(key, QString::number(value)); };
    addNumber("from", std::llround(link.window.begin));
    addNumber("to", std::llround(link.window.end));
    if (link.kind == Chosen::Op) {
        addNumber("op", link.op);
        addNumber("iteration", link.iteration);
    }
    if (link.kind == Chosen::Range) {
        addNumber("begin", link.range.begin);
        addNumber("end", link.range.end);
    }
    if (link.colouring != 0)
        addNumber("colouring", link.colouring);
    if (link.areKernelsShown)
        addNumber("kernels", 1);
    if (!link.note.isEmpty())
        add("note", link.note);
    url.setQuery(query);
    return url.toString(QUrl::FullyEncoded);
}

Result<ViewLink> parseViewLink(const QString& text)
{
    const QUrl url(text.trimmed(), QUrl::StrictMode);
    if (!isViewLink(text) || !url.isValid() || !url.path().startsWith(QLatin1Char('/')))
        return fail(engine::Error::Code::InvalidArgument,
                    "not a link to a run: links begin with bubblescope:/ and a path; copy one "
                    "with Copy a link to this view");
    LinkReader reader(url);
    ViewLink link;
    link.file = url.path(QUrl::FullyDecoded);
    const engine::Window window = reader.window("from", "to");
    link.window = viewOf(window);
    if (reader.has("op")) {
        link.kind = Chosen::Op;
        link.op = static_cast<std::uint32_t>(reader.number("op", 0, UINT32_MAX));
        link.iteration = static_cast<int>(reader.number("iteration", 0, INT32_MAX));
    } else if (reader.has("begin")) {
        link.kind = Chosen::Range;
        link.range = reader.window("begin", "end");
    }
    if (reader.has("colouring"))
        link.colouring = static_cast<int>(reader.number("colouring", 0, 64));
    if (reader.has("kernels"))
        link.areKernelsShown = reader.number("kernels", 0, 1) == 1;
    link.note = reader.text("note");
    if (!reader.error().empty())
        return fail(engine::Error::Code::InvalidArgument, reader.error());
    return link;
}

} // namespace app
