#include "app/why/why_panel.h"

#include "app/timeline/details/details_layout.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/text.h"
#include "app/whatif/what_if.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

constexpr double kExact = 0.01; // a replay within 1 % needs no note

// Places a label and its value at the two ends of a row.
QHBoxLayout* ends(QWidget* left, QWidget* right)
{
    return spaced(new QHBoxLayout, {}, 8, {{left, 1}, right});
}

QLabel* wrapped(QLabel* label)
{
    label->setWordWrap(true);
    return label;
}

// Places a hint at the right of a title. Both wrap in a narrow panel.
QHBoxLayout* titleRow(const QString& title, const QString& hint)
{
    QLabel* right = wrapped(makeLabel(hint, "hint"));
    right->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return spaced(new QHBoxLayout, {}, 8, {{wrapped(makeLabel(title, "dock")), 4}, {right, 3}});
}

// A label that wraps and shows HTML of this program. Texts of files must be escaped, as
// richSentence() does.
QLabel* makeRichLabel(const QString& html)
{
    QLabel* label = makeLabel(html);
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    return label;
}

// The shares of a critical path as one bar, in the colours of the lanes.
QWidget* makeShareBar(const ThemeController& theme, const profiler::Why& why, const QString& name)
{
    std::vector<DetailsBar::Part> parts;
    const auto add = [&](const Swatch& swatch, std::int64_t ticks) {
        if (ticks > 0)
            parts.push_back(
                {swatch, static_cast<double>(ticks) / static_cast<double>(why.shares.total())});
    };
    for (const engine::OpKind kind : why.shares.work.enumerators())
        add({.look = Swatch::Look::Op, .kind = kind}, why.shares.work[kind]);
    add({.look = Swatch::Look::Bubble}, why.shares.waits);
    add({.look = Swatch::Look::Op, .kind = engine::OpKind::SendActivation},
        why.shares.messages + why.shares.otherTransfers);
    auto* bar = named(new ShareBarPicture(theme, std::move(parts)), "whyBar", name);
    bar->setMinimumHeight(12);
    return bar;
}

} // namespace

ReasonRow::ReasonRow(int number, const QString& sentence, const QString& plain)
    : m_effect(named(makeLabel({}, "small"), "whyEffect"))
{
    setObjectName(QStringLiteral("whyReason%1").arg(number));
    setProperty("kind", QStringLiteral("reason"));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover); // repaints it when the mouse enters or leaves
    setAccessibleName(tr("Reason %1: %2").arg(number).arg(plain));
    QLabel* text = makeRichLabel(QStringLiteral("<b>%1</b>&nbsp; ").arg(number) + sentence);
    text->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    text->setFocusPolicy(Qt::NoFocus); // the row has the focus instead; Enter shows its op
    m_effect->setWordWrap(true);
    m_effect->hide();
    spaced(new QVBoxLayout(this), {12, 8, 12, 8}, 2, {text, m_effect});
    connect(text, &QLabel::linkActivated, this,
            [this](const QString& link) { Q_EMIT opChosen(link.mid(1).toUInt()); });
}

void ReasonRow::setEffect(const QString& text, Effect effect)
{
    m_effect->setText(text);
    setLook(m_effect, "role",
            effect == Effect::Gain ? QStringLiteral("gain") : QStringLiteral("small"));
    m_effect->setVisible(!text.isEmpty());
    setAccessibleDescription(text);
}

void ReasonRow::setCurrent(bool current)
{
    if (std::exchange(m_isCurrent, current) != current)
        setLook(this, "current", current);
}

void ReasonRow::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT chosen();
}

void ReasonRow::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        Q_EMIT stepped(-1);
        break;
    case Qt::Key_Down:
        Q_EMIT stepped(1);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        Q_EMIT chosen();
        break;
    case Qt::Key_Escape:
        Q_EMIT escaped();
        break;
    default:
        QFrame::keyPressEvent(event);
    }
}

WhyPanel::WhyPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_scroll(new QScrollArea)
{
    setObjectName(QStringLiteral("whyPanel"));
    setAccessibleName(tr("Why not faster?"));
    m_scroll->setAccessibleName(tr("Reasons"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_next = makeNext();
    spaced(new QVBoxLayout(this), {}, 0, {{m_scroll, 1}, m_next});
    connect(&theme, &ThemeController::changed, this, &WhyPanel::rebuild);
    showEmpty({}, Offer::Nothing);
}

QWidget* WhyPanel::makeNext()
{
    auto* next = named(makeSurface("plain"), "whyNext");
    auto* column = spaced(new QVBoxLayout(next), {}, 0, {makeLine(Qt::Horizontal)});
    auto* inner = spaced(new QVBoxLayout, {12, 10, 12, 12}, 4);
    column->addLayout(inner);
    auto* tag = new Tag(m_theme);
    inner->addLayout(ends(wrapped(makeLabel(tr("Fastest scheme for these costs"), "small")), tag));
    // Sets the text only now, because setText() shows the tag, which must have a parent by then.
    tag->setText(tr("simulated"));
    m_nextName = wrapped(named(makeLabel({}, "heading"), "whyNextName"));
    m_nextTime = named(makeLabel({}, "heading"), "whyNextTime");
    inner->addLayout(ends(m_nextName, m_nextTime));
    m_nextGain = named(makeRichLabel({}), "whyNextGain");
    setLook(m_nextGain, "role", QStringLiteral("small"));
    inner->addWidget(m_nextGain);
    m_compare = makeButton(tr("Compare"), QStringLiteral("whyCompare"));
    m_compare->setToolTip(tr("Compares this run with the prediction"));
    m_runIt = makeButton(tr("Run it"), QStringLiteral("whyRun"), "primary");
    m_cancel = makeButton(tr("Cancel"), QStringLiteral("whyCancel"));
    m_cancel->setToolTip(tr("Stops the search for the next scheme"));
    auto* buttons
        = spaced(new QHBoxLayout, {0, 6, 0, 0}, 8, {{m_compare, 1}, {m_runIt, 1}, {m_cancel, 1}});
    inner->addLayout(buttons);
    connect(m_compare, &QPushButton::clicked, this, &WhyPanel::compareRequested);
    connect(m_runIt, &QPushButton::clicked, this, &WhyPanel::runRequested);
    connect(m_cancel, &QPushButton::clicked, this, &WhyPanel::cancelRequested);
    return next;
}

void WhyPanel::showEmpty(const QString& reason, Offer offer)
{
    m_run.reset();
    m_marks.reset();
    m_rows.clear();
    m_accuracy = nullptr;
    m_next->hide();
    EmptyState::Texts texts;
    texts.icon = Icon::Path;
    texts.fact = reason.isEmpty() ? tr("Computing the critical path…") : tr("No path to show");
    texts.advice = reason;
    texts.action = offer == Offer::FitIteration ? tr("Fit iteration") : QString();
    auto* empty = named(new EmptyState(m_theme, texts), "whyEmpty");
    empty->setMinimumHeight(160);
    connect(empty, &EmptyState::activated, this, &WhyPanel::fitRequested);
    auto* body = makeSurface("plain");
    spaced(new QVBoxLayout(body), {12, 12, 12, 12}, 0, {empty, kStretch});
    m_scroll->setWidget(body);
}

void WhyPanel::show(const RunPointer& run, const PathMarksPointer& marks, const QString& name)
{
    m_run = run;
    m_marks = marks;
    m_name = name;
    m_reason = -1;
    m_accuracyNote.clear();
    m_answer.reset();
    m_scale = timeScale(run->info, marks->why.iteration());
    m_effects.assign(marks->why.reasons.size(), {});
    for (std::size_t r = 0; r < m_effects.size(); ++r)
        if (marks->why.reasons[r].change)
            m_effects[r].state = WhyEffect::State::Computing;
    m_nextName->setText(tr("computing…"));
    m_nextTime->clear();
    m_nextGain->hide();
    m_compare->hide();
    m_runIt->hide();
    m_cancel->show();
    m_next->show();
    rebuild();
}

// Makes the body again, because its texts contain colours of the theme and times.
void WhyPanel::rebuild()
{
    if (!m_marks)
        return;
    auto* body = makeSurface("plain");
    auto* layout = spaced(new QVBoxLayout(body), {}, 0);
    addHead(*layout);
    layout->addWidget(makeLine(Qt::Horizontal));
    addShares(*layout);
    layout->addWidget(makeLine(Qt::Horizontal));
    addReasons(*layout);
    layout->addStretch(1);
    m_scroll->setWidget(body);
    for (std::size_t r = 0; r < m_rows.size(); ++r)
        showEffect(r);
    setReason(m_reason);
    showAccuracy();
    showNext();
}

void WhyPanel::addHead(QVBoxLayout& layout)
{
    const profiler::Why& why = m_marks->why;
    auto* head = spaced(new QVBoxLayout, {12, 14, 12, 12}, 8);
    layout.addLayout(head);
    auto* value = named(makeLabel(m_scale.withUnit(static_cast<double>(why.iteration())), "title"),
                        "whyIteration");
    head->addLayout(ends(wrapped(makeLabel(m_name, "heading")), value));
    const auto bound = profiler::boundSentence(why.bound);
    head->addWidget(named(makeRichLabel(richSentence(bound, m_scale, m_theme.theme().chrome.text)),
                          "whyBound"));
    if (!why.path.fault)
        return;
    auto* band = named(new Band(m_theme, Band::Shape::Verdict), "whyFault");
    band->show(Band::Kind::Warning, tr("Times contradict the order."),
               QString::fromStdString(profiler::faultText(*m_run, why.path)));
    head->addWidget(band);
}

void WhyPanel::addShares(QVBoxLayout& layout)
{
    const profiler::Why& why = m_marks->why;
    auto* shares = spaced(new QVBoxLayout, {12, 10, 12, 10}, 4);
    layout.addLayout(shares);
    const QString total = m_scale.withUnit(static_cast<double>(why.shares.total()));
    shares->addLayout(
        titleRow(tr("Where the %1 go").arg(total), tr("along the path, %1").arg(m_scale.unit())));
    shares->addWidget(makeShareBar(m_theme, why, tr("Shares of the critical path")));
    for (const WhyLine& line : whyLines(why.shares, m_scale))
        shares->addLayout(ends(wrapped(makeLabel(line.name, "small")), makeLabel(line.value)));
}

void WhyPanel::addReasons(QVBoxLayout& layout)
{
    const profiler::Why& why = m_marks->why;
    auto* title = titleRow(tr("Reasons, in time order"), tr("what would change"));
    title->setContentsMargins(12, 10, 12, 4);
    layout.addLayout(title);
    m_rows.clear();
    for (std::size_t r = 0; r < why.reasons.size(); ++r)
        addRow(layout, r);
    auto* notes = spaced(new QVBoxLayout, {12, 6, 12, 12}, 8);
    layout.addLayout(notes);
    if (why.reasons.empty())
        notes->addWidget(
            wrapped(named(makeLabel(tr("None: the devices on the path are always busy."), "small"),
                          "whyNoReason")));
    if (why.smaller > 0)
        notes->addWidget(wrapped(
            makeLabel(tr("%1, %2").arg(countOf(why.smaller, "smaller reason"),
                                       m_scale.withUnit(static_cast<double>(why.smallerTime))),
                      "small")));
    m_accuracy = wrapped(named(makeLabel({}, "hint"), "whyAccuracy"));
    m_accuracy->hide();
    notes->addWidget(m_accuracy);
    if (!why.reasons.empty())
        notes->addWidget(wrapped(makeLabel(tr("Each change is simulated separately; the gains do "
                                              "not add up."),
                                           "hint")));
    auto* list = makeButton(tr("Show path as a list"), QStringLiteral("whyList"), "link");
    auto* copy = makeButton(tr("Copy as text"), QStringLiteral("whyCopy"), "link");
    connect(list, &QPushButton::clicked, this, &WhyPanel::listRequested);
    connect(copy, &QPushButton::clicked, this, &WhyPanel::copyText);
    notes->addLayout(spaced(new QHBoxLayout, {}, 8, {list, kStretch, copy}));
}

void WhyPanel::addRow(QVBoxLayout& layout, std::size_t reason)
{
    const auto sentence
        = profiler::reasonSentence(*m_run, m_marks->why, m_marks->why.reasons[reason]);
    const int number = static_cast<int>(reason);
    auto* row
        = new ReasonRow(number + 1, richSentence(sentence, m_scale, m_theme.theme().chrome.text),
                        plainSentence(sentence, m_scale));
    connect(row, &ReasonRow::chosen, this, [this, number] { Q_EMIT reasonChosen(number); });
    connect(row, &ReasonRow::hovered, this,
            [this, number](bool isOver) { Q_EMIT reasonHovered(isOver ? number : -1); });
    connect(row, &ReasonRow::opChosen, this, &WhyPanel::opChosen);
    connect(row, &ReasonRow::stepped, this, &WhyPanel::step);
    connect(row, &ReasonRow::escaped, this, &WhyPanel::closeRequested);
    layout.addWidget(row);
    m_rows.push_back(row);
}

void WhyPanel::step(int by)
{
    const int to = std::clamp(m_reason + by, 0, static_cast<int>(m_rows.size()) - 1);
    m_rows[static_cast<std::size_t>(to)]->setFocus();
    Q_EMIT reasonChosen(to);
}

void WhyPanel::setReason(int reason)
{
    m_reason = reason;
    for (std::size_t r = 0; r < m_rows.size(); ++r)
        m_rows[r]->setCurrent(static_cast<int>(r) == reason);
    if (reason >= 0 && static_cast<std::size_t>(reason) < m_rows.size())
        m_scroll->ensureWidgetVisible(m_rows[static_cast<std::size_t>(reason)]);
}

void WhyPanel::setEffect(int reason, const WhyEffect& effect)
{
    const auto at = static_cast<std::size_t>(reason);
    if (at >= m_effects.size())
        return;
    m_effects[at] = effect;
    showEffect(at);
}

void WhyPanel::showEffect(std::size_t reason)
{
    const WhyEffect& effect = m_effects[reason];
    const bool isGain = effect.state == WhyEffect::State::Known && effect.difference < 0;
    m_rows[reason]->setEffect(effectText(*m_run, m_marks->why, reason, effect, m_scale),
                              isGain ? ReasonRow::Effect::Gain : ReasonRow::Effect::Neutral);
}

void WhyPanel::setAccuracy(double accuracy, const QString& problem)
{
    m_accuracyNote.clear();
    if (!problem.isEmpty())
        m_accuracyNote = tr("No change can be simulated: %1.").arg(problem);
    else if (std::abs(accuracy - 1) > kExact)
        m_accuracyNote = tr("Simulated again without a change, the iteration takes %1 of its "
                            "recorded time.")
                             .arg(percent(accuracy));
    showAccuracy();
}

void WhyPanel::showAccuracy()
{
    if (m_accuracy == nullptr) // no iteration is explained
        return;
    m_accuracy->setText(m_accuracyNote);
    m_accuracy->setVisible(!m_accuracyNote.isEmpty());
}

void WhyPanel::setNext(const NextSchemeAnswer& answer, const QString& whyNotRun)
{
    m_answer = answer;
    m_whyNotRun = whyNotRun;
    showNext();
}

void WhyPanel::showNext()
{
    if (!m_answer)
        return;
    const NextSchemeAnswer& answer = *m_answer;
    m_cancel->hide();
    m_nextTime->clear();
    m_nextGain->setVisible(answer.next != nullptr || !answer.reason.isEmpty());
    m_compare->setVisible(answer.next != nullptr);
    m_runIt->setVisible(answer.next != nullptr);
    m_runIt->setEnabled(m_whyNotRun.isEmpty());
    m_runIt->setToolTip(m_whyNotRun.isEmpty() ? tr("Opens New run, filled in") : m_whyNotRun);
    if (answer.next == nullptr) {
        m_nextName->setText(answer.reason.isEmpty()
                                ? tr("No other scheme is faster with these costs")
                                : tr("Not known"));
        m_nextGain->setText(answer.reason.toHtmlEscaped());
        return;
    }
    const profiler::NextScheme& next = *answer.next;
    m_nextName->setText(schemeLabel(QString::fromStdString(next.scheme)));
    m_nextTime->setText(m_scale.withUnit(static_cast<double>(next.iteration)));
    const Scale bytes = byteScale(std::abs(next.bytes.value_or(0)));
    const QString memory = next.bytes ? QStringLiteral("%1 %2").arg(
                               bytes.difference(static_cast<double>(*next.bytes)), bytes.unit())
                                      : tr("%1 Mₐ").arg(signedNumber(next.stashes, 1));
    m_nextGain->setText(tr("<b style='color:%1'>%2 %3</b>, %4, fullest device")
                            .arg(m_theme.theme().chrome.ok.name(),
                                 m_scale.difference(static_cast<double>(next.difference)),
                                 m_scale.unit(), memory));
}

void WhyPanel::copyText() const
{
    if (m_marks)
        QGuiApplication::clipboard()->setText(whyClipboardText(*m_run, m_marks->why, m_effects));
}

void WhyPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT closeRequested();
    else
        QWidget::keyPressEvent(event);
}

} // namespace app
