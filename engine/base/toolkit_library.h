#pragma once

#include <string>
#include <vector>

namespace engine {

// A library of the CUDA toolkit, loaded on first use and never unloaded. Loading at run time
// lets programs start on machines without the toolkit. Thread-safe.
class ToolkitLibrary
{
public:
    // Searches for `sonames`, newest first, on the loader's path, in $CUDA_HOME/lib64 and
    // /usr/local/cuda, and in the nvidia-* wheels of each python3 on the PATH, then in those of the
    // system's Python.
    ToolkitLibrary(std::string name, const std::vector<std::string>& sonames);

    explicit operator bool() const { return m_handle != nullptr; }
    const std::string& name() const { return m_name; }
    const std::string& file() const { return m_file; }

    template<class Function>
    Function symbol(const char* symbolName) const
    {
        return reinterpret_cast<Function>(find(symbolName)); // NOLINT: POSIX defines this cast
    }

private:
    void* find(const char* symbolName) const;

    std::string m_name, m_file;
    void* m_handle = nullptr;
};

// Resolves functions of a library and remembers the first one that is missing.
class ToolkitFunctions
{
public:
    explicit ToolkitFunctions(const ToolkitLibrary& library) // must outlive this object
        : m_library(library)
    { }

    // Looks up `name`; sets `function` to nullptr if it is missing.
    template<class Function>
    void take(Function& function, const char* name)
    {
        function = m_library.symbol<Function>(name);
        if (function == nullptr && m_missing == nullptr)
            m_missing = name;
    }
    const char* missing() const { return m_missing; } // nullptr if all were found

private:
    const ToolkitLibrary& m_library;
    const char* m_missing = nullptr;
};

// Searches $BUBBLESCOPE_PLUGINS, the folder of the program and ../lib/bubblescope for a plug-in
// such as "libbubblescope_cuda.so"; "" if it is not found. Thread-safe.
std::string pluginFile(const std::string& name);

} // namespace engine
