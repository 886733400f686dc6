#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

// The closed forms of the papers, independent of those in the schemes: F = 1, B = 2, I = W = 1,
// free messages.
namespace closed_forms {

constexpr double kNoForm = std::numeric_limits<double>::quiet_NaN();

// D, N, v and S of the table; K = N/D.
struct Size
{
    int devices = 0, microBatches = 0;

    double D() const { return devices; }
    double N() const { return microBatches; }
    double K() const { return N() / D(); }
    bool inUnits() const { return microBatches % devices == 0; }
    bool isEven() const { return devices % 2 == 0; }
    int fromEnd(int d) const { return std::min(d, devices - 1 - d); }
};
using OfSize = std::function<double(Size)>;
using OfDevice = std::function<double(Size, int)>;

enum class Is { Equal, AtMost };

// A row of the table. Times are units, stashes M_a, weights M_theta.
struct Row
{
    std::string scheme;
    std::function<bool(Size)> domain;
    OfSize bubble; // makespan - 3N
    OfDevice peak;
    OfSize messages;
    int chunks = 0; // 0: the scheme's
    std::map<std::string, std::string, std::less<>> options = {};
    Is holds = Is::Equal; // of makespan and peak: searched orders may be better
    OfSize copies = [](Size) { return 0; };
    OfDevice weights = [](Size, int) { return 1; };
    OfSize idle = {}; // span - 3N, where it is not the bubble
};

inline OfSize ramp(double factor)
{
    return [factor](Size s) { return factor * (s.D() - 1); };
}
inline OfSize hops(double each) // messages of N micro-batches over the D - 1 links, `each` of them
{
    return [each](Size s) { return each * s.N() * (s.D() - 1); };
}
inline OfSize ring(int chunks) // over every boundary of vD stages
{
    return [chunks](Size s) { return 2 * s.N() * (chunks * s.D() - 1); };
}
inline OfSize turns(int count)
{
    return [count](Size s) { return 2 * s.N() * count; };
}
inline OfDevice everywhere(const OfSize& value)
{
    return [value](Size s, int) { return value(s); };
}
inline OfDevice constant(double value)
{
    return [value](Size, int) { return value; };
}
inline bool always(Size)
{
    return true;
}
inline bool units(Size s)
{
    return s.inUnits();
}
inline bool evenUnits(Size s)
{
    return s.isEven() && s.inUnits();
}
inline double zero(Size)
{
    return 0;
}

inline OfDevice warmUp(int each, int last) // min(N, each (D-1-d) + last)
{
    return [=](Size s, int d) { return std::min(s.N(), each * (s.D() - 1 - d) + last); };
}

inline std::vector<Row> oneChunk()
{
    const auto fills = [](Size s) { return s.N() >= 2 * s.D() - 1; };
    const OfDevice n = everywhere(&Size::N), all = everywhere(&Size::D);
    std::vector<Row> rows{
        {"gpipe", always, ramp(3), n, hops(2)},
        {"gpipe", always, ramp(3), n, hops(2), 0, {{"backward", "lifo"}}},
        {"1f1b", always, ramp(3), warmUp(1, 1), hops(2)},
        {"eager-1f1b", always, ramp(3), warmUp(2, 1), hops(2)},
        {"1f1b-overlap", always, ramp(3), warmUp(2, 2), hops(2)},
        {"zb-h1", always, ramp(1), all, hops(2)},
        {"zb-h2", fills, ramp(1), everywhere([](Size s) { return 2 * s.D() - 1; }), hops(2)},
        {"zb-1p", always, ramp(1), all, hops(2), 0, {}, Is::AtMost},
        {"zb-2p",
         fills,
         ramp(1),
         everywhere([](Size s) { return 2 * s.D(); }),
         hops(2),
         0,
         {},
         Is::AtMost},
        {"pipedream", always, ramp(3), warmUp(1, 1), hops(2)},
        {"pipedream-2bw", [](Size s) { return s.N() >= 2 * s.D(); }, ramp(3), warmUp(1, 1),
         hops(2)},
    };
    for (Row& row : rows)
        if (row.scheme == "zb-h2" || row.scheme == "zb-2p")
            row.idle = zero; // no device idles between its own first and last op
    // D-d versions; a window that ends before the steady state has not made all of them.
    rows[9].weights = [](Size s, int d) { return std::min(s.D() - d, s.N() - s.D() + d + 2); };
    rows[10].weights = constant(2);
    for (const char* policy : {"lazy", "steady"})
        rows.push_back({"bpipe",
                        always,
                        ramp(3),
                        everywhere([](Size s) { return std::ceil((s.D() + 2) / 2); }),
                        hops(2),
                        0,
                        {{"policy", policy}},
                        Is::AtMost});
    for (const int slices : {2, 4})
        rows.push_back({"seq1f1b",
                        always,
                        ramp(3.0 / slices),
                        [slices](Size s, int d) { return (s.D() - 1 - d + slices) / slices; },
                        [slices](Size s) { return 2 * s.N() * slices * (s.D() - 1); },
                        0,
                        {{"slices", std::to_string(slices)}}});
    return rows;
}

inline std::vector<Row> looping(int v)
{
    const auto interleaved = [v](Size s, int d) {
        return std::min(s.N(), (2 * (s.D() - 1 - d) + (v - 1) * s.D() + 1) / v);
    };
    const auto groups = [](Size s) { return s.microBatches / s.devices; };
    const auto equalGroups = [groups](Size s) { return s.microBatches % groups(s) == 0; };
    const auto zeroBubble = [=](Size s) { return ((v - 1) * s.N() / groups(s) + s.D()) / v; };
    const OfDevice grouped = [v](Size s, int d) { return s.D() - static_cast<double>(d) / v; };
    return {
        {"interleaved-1f1b", units, ramp(3.0 / v), interleaved, ring(v), v},
        {"grouped-interleaved", units, ramp(2.0 / v), grouped, ring(v), v},
        {"looped-bfs", always, ramp(3.0 / v), everywhere(&Size::N), ring(v), v},
        {"looped-bfs",
         always,
         ramp(3.0 / v),
         everywhere(&Size::N),
         ring(v),
         v,
         {{"backward", "fifo"}}},
        {"interleaved-zb", equalGroups, ramp(1.0 / v), everywhere(zeroBubble), ring(v), v},
    };
}

// Stages that turn on the last device, and on the first.
inline std::vector<Row> zigzag()
{
    const auto fills = [](Size s) { return s.N() >= 2 * s.D() - 1; };
    const auto roomy = [](Size s) { return s.N() >= 2 * s.D(); };
    const OfSize vMin = [](Size s) { return 2 * s.D() - (s.devices % 3 == 0 ? 3.5 : 2.5); };
    std::vector<Row> rows{
        {"zb-v", fills, ramp(0.5), everywhere(&Size::D), hops(4)},
        {"v-half",
         [=](Size s) { return roomy(s) && s.isEven() && s.devices > 2; },
         [](Size s) { return 1.5 * s.D() - 3.5; },
         everywhere([](Size s) { return s.D() / 2 + 1; }),
         hops(4),
         0,
         {},
         Is::AtMost},
        {"v-min",
         roomy,
         vMin,
         everywhere([](Size s) { return std::ceil((s.D() + 2) / 3); }),
         hops(4),
         0,
         {},
         Is::AtMost},
        {"dualpipev", roomy, ramp(1), everywhere([](Size s) { return s.D() + 0.5; }), hops(4)},
    };
    rows[0].idle = zero;
    for (Row& row : rows)
        row.copies = turns(1);
    for (const int waves : {1, 2, 4}) {
        const OfSize bubble = [waves](Size s) {
            if (s.devices == s.microBatches)
                return 2 * (s.D() - 1) / waves;
            return waves > 1 ? kNoForm : 2 * (s.D() - 1) + (s.K() - 1) * (s.D() - 1.5);
        };
        Row row{"hanayo", units, bubble, everywhere(&Size::D), hops(4 * waves), 2 * waves};
        row.holds = Is::AtMost;
        row.copies = turns(2 * waves - 1);
        rows.push_back(row);
    }
    return rows;
}

inline std::vector<Row> bidirectional()
{
    const auto middle = [](double ends, double step) {
        return [=](Size s, int d) { return ends + step * s.fromEnd(d); };
    };
    const auto ofDirect = [=](Size s, int d) { return middle(s.D() / 2 + 1, 1)(s, d); };
    const auto ofDoubling = [=](Size s, int d) { return middle(1.5 * s.D() + 1, 1)(s, d); };
    const auto ofHalving = [=](Size s, int d) { return middle(0.75 * s.D() + 0.5, 0.5)(s, d); };
    const auto pairsOfUnits
        = [](Size s) { return s.isEven() && s.microBatches % (2 * s.devices) == 0; };
    const auto dual
        = [](Size s) { return s.isEven() && s.microBatches % 2 == 0 && s.N() >= 2 * s.D(); };
    std::vector<Row> rows{
        {"gems", always,
         [](Size s) { return 3 * s.D() + (s.N() - 1) * (2 * s.D() + 1) - 3 * s.N(); }, constant(1),
         hops(2)},
        {"chimera", evenUnits, [](Size s) { return (s.D() - 2) * (s.K() + 1); }, ofDirect, hops(2)},
        {"chimera",
         pairsOfUnits,
         [](Size s) { return 2 * (s.D() - 2); },
         ofDoubling,
         hops(2),
         0,
         {{"concat", "doubling"}}},
        {"chimera",
         evenUnits,
         [](Size s) { return s.D() - 2; },
         ofHalving,
         hops(3),
         0,
         {{"concat", "halving"}}},
        {"dualpipe", dual, [](Size s) { return s.D() - 2; },
         everywhere([](Size s) { return s.D() + 1; }), hops(2)},
    };
    // Where the last micro-batch goes up, the device at which it ends began D-1 later.
    rows[0].idle = [](Size s) {
        return 3 * s.D() + (s.N() - 1) * (2 * s.D() + 1) - 3 * s.N()
            - (s.microBatches % 2 == 0 ? s.D() - 1 : 0);
    };
    for (Row& row : rows)
        row.weights = constant(2);
    return rows;
}

inline std::vector<Row> bitpipe()
{
    const auto direct = [](Size s) { return (s.D() - 2) * (s.K() + 1) / 2; };
    const OfDevice peak = [](Size s, int d) { return (1.5 * s.D() + 1 + s.fromEnd(d)) / 2; };
    const OfSize early
        = [](Size s) { return s.isEven() && s.inUnits() ? s.D() - 2 : 1.5 * (s.D() - 1) + 1; };
    const OfDevice ofEarly = [](Size s, int) {
        const bool known = s.isEven() && s.inUnits() && s.devices >= 4 && s.K() > 1;
        return known ? 1.25 * s.D() - 0.5 : kNoForm;
    };
    std::vector<Row> rows{
        {"bitpipe", evenUnits, direct, peak, hops(4)},
        {"bitpipe", always, early, ofEarly, hops(4), 0, {{"concat", "early"}}, Is::AtMost},
        {"bitpipe",
         evenUnits,
         [](Size) { return kNoForm; },
         [](Size, int) { return kNoForm; },
         ring(2),
         0,
         {{"placement", "looping"}}},
        {"bitpipe-async", evenUnits, early, ofEarly, hops(4), 0, {}, Is::AtMost},
    };
    rows[0].copies = rows[1].copies = rows[3].copies = turns(1);
    for (Row& row : rows)
        row.weights = constant(2);
    rows[3].weights = [](Size s, int) { return s.K() > 2 ? 4 : 2; }; // after the first update
    return rows;
}

inline std::vector<Row> table()
{
    std::vector<Row> all;
    for (const auto& rows :
         {oneChunk(), looping(2), looping(4), zigzag(), bidirectional(), bitpipe()})
        all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

inline std::string nameOf(const Row& row)
{
    std::string name = row.scheme;
    if (row.chunks > 0)
        name += fmt::format(" v={}", row.chunks);
    for (const auto& [key, value] : row.options)
        name += fmt::format(" {}={}", key, value);
    return name;
}

} // namespace closed_forms
