#include "app/ui/kernel_colours.h"

namespace app {
profiler::Colour kernelColour(profiler::KernelKind kind, const profiler::Palette& palette)
{
    using profiler::Colour;
    using enum profiler::KernelKind;
    const bool isDark = palette.mode == profiler::ThemeMode::Dark;
    switch (kind) {
    case Matmul:
        return isDark ? Colour{0xA7, 0xAF, 0xBB} : Colour{0x52, 0x5B, 0x68};
    case Norm: // between matmul and attention, because closer tones would be hard to distinguish
        return isDark ? Colour{0x86, 0x8F, 0x9D} : Colour{0x6E, 0x78, 0x86};
    case Attention:
        return isDark ? Colour{0x66, 0x70, 0x81} : Colour{0x8B, 0x95, 0xA4};
    case Elementwise:
        return isDark ? Colour{0x48, 0x51, 0x5E} : Colour{0xBC, 0xC3, 0xCD};
    case Other:
        return isDark ? Colour{0x33, 0x3A, 0x44} : Colour{0xDD, 0xE1, 0xE7};
    case Copy:
        return profiler::mix(palette.communication, palette.surface, 0.42);
    case Memset:
        return profiler::mix(palette.communication, palette.surface, 0.72);
    case Nccl:
        break;
    }
    return palette.communication;
}

} // namespace app
