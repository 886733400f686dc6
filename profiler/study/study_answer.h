#pragma once

#include "profiler/study/study.h"

#include <map>

namespace profiler {

// The answer to one of Study::answers. A study exists to answer a question, and a reader must not
// have to find the answer in its charts. The sentence therefore has the values, their intervals and
// everything that was held fixed, states ties, and says "unknown" with the reason where a point has
// no value. Text, JSON, report and window show the same sentence.
struct AnsweredQuestion
{
    StudyAnswer::Kind kind = StudyAnswer::Kind::Best;
    std::string claim; // "BitPipe has the shortest iteration for N = 8 to 16"
    // The claim, the points that it leaves out, the conditions in brackets, and a full stop.
    std::string sentence;
    // Best: the factor between the best value and the second, the median if there are several
    // set-ups. Parts: the difference of the iterations, in `unit`. Ratio: the ratio, or the median
    // of several set-ups or along an axis.
    std::optional<double> value;
    // Ratio: the 95 % interval, or the range of those. Parts: the 95 % interval.
    // Crossing: the two values of the axis between which the order changes first.
    std::optional<std::pair<double, double>> interval;
    std::string unit;                                            // "ms", "units" or ""
    std::vector<std::pair<std::string, std::string>> conditions; // "devices" and "8"
    std::string unknown; // why the question has no answer; "" if it has one
};

// A value of an axis in a text: "N = 8", "P2P message 0.1", "BitPipe".
std::string settingText(const std::string& key, const std::string& values);
AnsweredQuestion answerQuestion(const StudyData& data, const StudyAnswer& asked);
// Answers Study::answers; without any, states which compared value has the best iteration. Empty
// if only one value is compared.
std::vector<AnsweredQuestion> studyAnswers(const StudyData& data);
std::string answersText(const StudyData& data); // the sentences, one a line

// In how many set-ups each value of the compared axis has the shortest iteration, alone or together
// with others.
struct StudyWins
{
    std::map<std::string, int> of; // by value: "zb-v"
    int setUps = 0;                // in which at least two values have an iteration
};
StudyWins studyWins(const StudyData& data); // empty if only one value is compared

// The results of one point, compared with the points that differ only in the compared axis.
struct PointSummary
{
    struct Row
    {
        std::string title;     // "Bubble, %"
        std::string value;     // value of this point
        std::string best;      // best value of the compared points; "" if nothing is compared
        std::string bestNames; // compared values with the result `best`: "ZB-V"
        bool isBest = false;   // whether this point has the best value
        friend bool operator==(const Row&, const Row&) = default;
    };
    std::string name;   // value of the compared axis: "BitPipe"
    std::string where;  // values of the other axes: "micro-batches 8, P2P message 0.1"
    std::string reason; // why the point has no results; "" if it has results
    // The ratio to the best other point, and which one is the best along an axis; "" if nothing is
    // compared.
    std::string sentence;
    std::vector<Row> rows;
    std::optional<std::size_t> best; // the point with the shortest iteration; nullopt if unknown
};

// Summarizes a point. If `along` names another axis than the compared one, the sentence also states
// the best compared value for each of its values.
PointSummary summarizePoint(const StudyData& data, std::size_t point, std::string_view along = {});

// The name, the set-up and the metrics of a point in one line each.
std::string pointText(const PointSummary& summary);

} // namespace profiler
