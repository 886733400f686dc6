#pragma once

#include "tests/profiler/import/nsight_traces.h"

namespace tests {

// A process of rocprofv3 with F0 and B0 of stage `rank` as ranges of roctx, each with a kernel.
inline void writeRocpd(const std::filesystem::path& file, int rank, int ranks)
{
    executeSql(file,
               fmt::format(
                   R"(
        CREATE TABLE rocpd_string_ab (id INTEGER PRIMARY KEY, string TEXT);
        INSERT INTO rocpd_string_ab VALUES (1, 'HIP_RUNTIME_API_EXT'), (2, 'hipLaunchKernel'),
            (3, 'MARKER_CORE_RANGE_API'), (4, 'roctxThreadRangeA'), (5, 'KERNEL_DISPATCH'),
            (6, 'HSA_CORE_API'), (7, 'hsa_signal_store');
        CREATE TABLE rocpd_info_node_ab (id INTEGER PRIMARY KEY, hostname TEXT);
        INSERT INTO rocpd_info_node_ab VALUES (1, 'mi300');
        CREATE TABLE rocpd_info_process_ab (id INTEGER PRIMARY KEY, nid INTEGER, environment TEXT);
        INSERT INTO rocpd_info_process_ab VALUES (70, 1, '{{"RANK": "{0}", "WORLD_SIZE": "{1}"}}');
        CREATE TABLE rocpd_info_agent_ab (id INTEGER PRIMARY KEY, type TEXT, type_index INTEGER,
            name TEXT, product_name TEXT);
        INSERT INTO rocpd_info_agent_ab VALUES (1, 'CPU', 0, 'cpu', ''),
            (2, 'GPU', {0}, 'gfx942', 'AMD Instinct MI300X');
        CREATE TABLE rocpd_info_kernel_symbol_ab (id INTEGER PRIMARY KEY, kernel_name TEXT,
            display_name TEXT);
        INSERT INTO rocpd_info_kernel_symbol_ab VALUES (1, 'gemm.kd', 'gemm');
        CREATE TABLE rocpd_event_ab (id INTEGER PRIMARY KEY, category_id INTEGER,
            stack_id INTEGER, extdata TEXT);
        INSERT INTO rocpd_event_ab VALUES (1, 3, 1, '{{"message": "PP:{0}F0"}}'), (2, 1, 2, '{{}}'),
            (3, 3, 3, '{{"message": "PP:{0}B0"}}'), (4, 1, 4, '{{}}'), (5, 5, 2, '{{}}'),
            (6, 5, 4, '{{}}'), (7, 6, 9, '{{}}'), (8, 3, 10, 'no JSON'), (9, 5, 4, '{{}}');
        CREATE TABLE rocpd_region_ab (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER,
            start INTEGER, end INTEGER, name_id INTEGER, event_id INTEGER);
        INSERT INTO rocpd_region_ab VALUES (1, 70, 71, 100, 200, 4, 1), (2, 70, 71, 110, 120, 2, 2),
            (3, 70, 71, 300, 400, 4, 3), (4, 70, 71, 310, 320, 2, 4), (9, 70, 71, 111, 112, 7, 7),
            (10, 70, 71, 500, 501, 4, 8);
        CREATE TABLE rocpd_kernel_dispatch_ab (id INTEGER PRIMARY KEY, pid INTEGER,
            agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, stream_id INTEGER,
            start INTEGER, end INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER,
            workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER,
            grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);
        INSERT INTO rocpd_kernel_dispatch_ab VALUES
            (1, 70, 2, 1, 3, 0, 1000, 3000, 0, 256, 1, 1, 1024, 1, 1, 5),
            (2, 70, 2, 1, 3, 0, 3000, 7000, 0, 256, 1, 1, 1024, 1, 1, 6),
            (3, 70, 2, 1, 3, 0, 9000, 8000, 0, 256, 1, 1, 1024, 1, 1, 9);
        CREATE TABLE rocpd_memory_copy_ab (id INTEGER PRIMARY KEY, pid INTEGER, start INTEGER,
            end INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER,
            queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
        INSERT INTO rocpd_memory_copy_ab VALUES (1, 70, 900, 950, 2, 1, 64, 3, 0, 5);)",
                   rank, ranks));
}

// The same process as --output-format json writes it, which names its rank nowhere, with a kernel
// of RCCL at the end of B0.
inline std::string rocprofJson(int rank)
{
    constexpr const char* kKernel
        = R"({{"correlation_id": {{"internal": {}}}, "start_timestamp": {}, "end_timestamp": {},
            "dispatch_info": {{"agent_id": {{"handle": 18446744073709551600}},
            "queue_id": {{"handle": 3}}, "kernel_id": {}, "group_segment_size": 0,
            "workgroup_size": {{"x": 256, "y": 1, "z": 1}},
            "grid_size": {{"x": 1024, "y": 1, "z": 1}}}}, "stream_id": {{"handle": 0}}}})";
    constexpr const char* kCall = R"({{"kind": {}, "operation": {}, "thread_id": 71,
            "correlation_id": {{"internal": {}, "external": 0}},
            "start_timestamp": {}, "end_timestamp": {}}})";
    const std::string stage = fmt::format("PP:{}", rank);
    return fmt::format(
        R"({{
"rocprofiler-sdk-tool": [{{
"metadata": {{"node": {{"hostname": "mi300"}}, "pid": 70}},
"agents": [{{"id": {{"handle": 1}}, "type": 1, "name": "cpu", "logical_node_type_id": 0}},
    {{"id": {{"handle": 18446744073709551600}}, "type": 2, "name": "gfx942",
      "product_name": "AMD Instinct MI300X", "logical_node_type_id": {}}}],
"strings": {{
    "buffer_records": [{{"kind": "NONE", "operations": []}},
        {{"kind": "HIP_RUNTIME_API", "operations": ["NONE", "hipLaunchKernel"]}}],
    "marker_api": [{{"key": 1, "value": "{}F0"}}, {{"key": 3, "value": "{}B0"}}]}},
"kernel_symbols": [{{"kernel_id": 0}},
    {{"kernel_id": 1, "kernel_name": "gemm.kd", "formatted_kernel_name": "gemm"}},
    {{"kernel_id": 2, "kernel_name": "ncclDevKernel_Generic_4.kd"}}],
"buffer_records": {{
    "kernel_dispatch": [{},
        {},
        {},
        {}],
    "hip_api": [{},
        {},
        {}],
    "marker_api": [{},
        {},
        {}],
    "memory_copy": [{{"correlation_id": {{"internal": 2}}, "start_timestamp": 900,
        "end_timestamp": 950, "dst_agent_id": {{"handle": 18446744073709551600}},
        "src_agent_id": {{"handle": 1}}, "bytes": 64, "stream_id": {{"handle": 0}}}}]}}
}}]
}}
)",
        rank, stage, stage, fmt::format(kKernel, 2, 1000, 3000, 1),
        fmt::format(kKernel, 4, 3000, 7000, 1), fmt::format(kKernel, 5, 7000, 7500, 2),
        fmt::format(kKernel, 4, 9000, 8000, 1), fmt::format(kCall, 1, 1, 2, 110, 120),
        fmt::format(kCall, 1, 1, 4, 310, 320), fmt::format(kCall, 1, 1, 5, 330, 340),
        fmt::format(kCall, 2, 0, 1, 100, 200), fmt::format(kCall, 2, 0, 3, 300, 400),
        fmt::format(kCall, 2, 0, 10, 500, 501));
}

} // namespace tests
