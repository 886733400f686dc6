#include "engine/schedule/check/validate.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

constexpr int kNeighbours = 8; // rows shown above and below the device

std::string cellText(const Schedule& schedule, DeviceId device, int index)
{
    const auto ops = schedule.on(device);
    return index < std::ssize(ops) ? toString(ops[index]) : std::string();
}

} // namespace

std::string gridAround(const Schedule& schedule, DeviceId device, int index, int window)
{
    const int devices = schedule.program.size();
    const int firstRow = std::max(0, device.value - kNeighbours);
    const int lastRow = std::min(devices - 1, device.value + kNeighbours);
    const int first = std::max(0, index - window);
    const int last = std::max(0, index) + window;

    std::size_t width = 0;
    for (int d = firstRow; d <= lastRow; ++d)
        for (int i = first; i <= last; ++i)
            width = std::max(width, cellText(schedule, DeviceId{d}, i).size());

    std::string grid;
    for (int d = firstRow; d <= lastRow; ++d) {
        std::string row = fmt::format("device {:<{}} |{}", d, std::to_string(lastRow).size(),
                                      first > 0 ? " .." : "");
        for (int i = first; i <= last; ++i) {
            const std::string text = cellText(schedule, DeviceId{d}, i);
            const bool marked = d == device.value && i == index;
            row += fmt::format("{}{:^{}}{}", marked ? '[' : ' ', text, width, marked ? ']' : ' ');
        }
        row.erase(row.find_last_not_of(' ') + 1);
        grid += row + '\n';
    }
    return grid;
}

} // namespace engine
