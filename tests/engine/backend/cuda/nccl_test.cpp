#include "engine/backend/cuda/runtime/nccl.h"
#include "tests/catch.h"
#include "tests/engine/backend/cuda/fake_nccl.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

using namespace engine::cuda;
using namespace tests;
using Catch::Contains;

namespace {

constexpr std::chrono::milliseconds kSoon{30};
using Log = std::vector<std::string>;

NcclGpu::Membership member(const char* name, int rank = 0, int ranks = 1)
{
    NcclGpu::Membership membership;
    membership.id.fill(7);
    membership.name = name;
    membership.rank = rank;
    membership.ranks = ranks;
    return membership;
}

NcclCall call(NcclCall::Kind kind, std::size_t communicator = 0)
{
    NcclCall made;
    made.kind = kind;
    made.communicator = communicator;
    made.count = 4;
    made.peer = 1;
    return made;
}

template<class Call>
std::string failureOf(Call run)
{
    try {
        run();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("communicators are joined without blocking, and looked at until they are ready")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    NcclGpu gpu(functions);
    NcclGpu::Membership wish = member("activations down", 2, 4);
    wish.channels = 3;
    fake.inProgress = 5;
    CHECK(gpu.join(wish) == 0);
    CHECK(fake.log == Log{"init activations down 2/4"});
    CHECK_FALSE(fake.wasBlocking);
    CHECK(fake.channels == 3);
    CHECK(fake.idByte == 7);
    gpu.waitUntilJoined();
    CHECK(fake.polls == 6);
    CHECK(gpu.join(member("gradients down")) == 1);
}

TEST_CASE("the library creates an id or gives the reason")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    CHECK(makeNcclId(functions)[127] == 7);
    fake.idResult = nccl::Status::SystemError;
    CHECK_THAT(failureOf([&] { makeNcclId(functions); }), Contains("unhandled system error"));
}

TEST_CASE("a sum over one rank is what went in")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    NcclGpu gpu(functions);
    gpu.join(member("replicas of stage 2"));
    const std::vector<float> from{1, 2, 3, 4};
    std::vector<float> to(4);
    NcclCall sum = call(NcclCall::Kind::Sum);
    sum.from = from.data();
    sum.to = to.data();
    gpu.issue({&sum, 1});
    CHECK(to == from);
    CHECK(fake.isSum);
    CHECK(fake.type == nccl::DataType::Float32);
    sum.type = NcclType::Byte;
    sum.from = sum.to;
    gpu.issue({&sum, 1});
    CHECK(fake.type == nccl::DataType::Uint8);
}

TEST_CASE("members with a common key form one group, in the given order")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    NcclGpu gpu(functions);
    gpu.join(member("a", 0, 2));
    gpu.join(member("b", 0, 2));
    fake.log.clear();
    const NcclCall together[] = {call(NcclCall::Kind::Send), call(NcclCall::Kind::Receive, 1),
                                 call(NcclCall::Kind::Send, 1)};
    fake.polls = 0;
    gpu.issue(together);
    CHECK(fake.log == Log{"start", "send a 4 to 1", "receive b 4 from 1", "send b 4 to 1", "end"});
    CHECK(fake.polls == 2); // each communicator once
    fake.log.clear();
    gpu.issue({});
    CHECK(fake.log.empty());
}

TEST_CASE("a call that NCCL refuses ends its group with the reason")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    NcclGpu gpu(functions);
    gpu.join(member("gradients up", 0, 2));
    fake.callResult = nccl::Status::InvalidArgument;
    fake.last = "peer 1 out of range";
    const NcclCall together[] = {call(NcclCall::Kind::Send), call(NcclCall::Kind::Send)};
    CHECK(failureOf([&] { gpu.issue(together); })
          == "NCCL, gradients up: a call: unhandled system error (peer 1 out of range)");
    CHECK(fake.depth == 0);
    CHECK(std::ranges::count(fake.log, "send gradients up 4 to 1") == 1); // not the one behind it
    const NcclCall stranger = call(NcclCall::Kind::Send, 5);
    fake.log.clear();
    CHECK_THROWS_AS(gpu.issue({&stranger, 1}), std::logic_error);
    CHECK(fake.log.empty());
}

TEST_CASE("a later NCCL error is found by polling, after which only abort() works")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    NcclGpu gpu(functions);
    gpu.join(member("a"));
    gpu.join(member("b"));
    gpu.waitUntilJoined();
    gpu.poll();
    fake.state = nccl::Status::RemoteError;
    CHECK_THAT(failureOf([&] { gpu.poll(); }), Contains("NCCL, a: working"));
    fake.log.clear();
    gpu.abort();
    gpu.abort();
    std::ranges::sort(fake.log); // at the same time, in any order
    CHECK(fake.log == Log{"abort a", "abort b"});
    CHECK(failureOf([&] { gpu.poll(); }) == "NCCL was aborted");
    CHECK(failureOf([&] { gpu.join(member("c")); }) == "NCCL was aborted");
}

TEST_CASE("a rank that does not come is an error after a while, not a standstill")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    NcclGpu gpu(functions, kSoon);
    fake.inProgress = -1;
    gpu.join(member("activations down", 0, 2));
    CHECK(failureOf([&] { gpu.waitUntilJoined(); })
          == "NCCL, activations down: joining did not end within 30 ms; another rank does not "
             "respond");
}

TEST_CASE("any thread may poll and abort NCCL while another waits")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    NcclGpu gpu(functions);
    gpu.join(member("a", 0, 2));
    std::string other;
    std::thread([&] { other = failureOf([&] { gpu.poll(); }); }).join();
    CHECK(other.empty());
    fake.inProgress = -1;
    std::thread canceller([&] { gpu.abort(); });
    CHECK(failureOf([&] { gpu.waitUntilJoined(); }) == "NCCL was aborted");
    canceller.join();
    CHECK(fake.log.back() == "abort a");
}

TEST_CASE("leaving ends in order, going without it aborts")
{
    FakeNccl fake;
    const NcclFunctions functions = fake.functions();
    {
        NcclGpu gpu(functions);
        gpu.join(member("a"));
        gpu.join(member("b"));
        fake.log.clear();
        gpu.leave();
        CHECK(fake.log == Log{"finalize a", "finalize b", "destroy a", "destroy b"});
    }
    CHECK(fake.log.size() == 4);
    {
        NcclGpu gpu(functions);
        gpu.join(member("c"));
    }
    CHECK(fake.log.back() == "abort c");
}

TEST_CASE("the library of this machine has every used function, or the reason is given")
{
    std::string reason;
    const NcclFunctions* library = ncclFunctions(&reason);
    CHECK((library == nullptr) == !reason.empty());
    if (library == nullptr)
        WARN("SKIPPED: " << reason);
    else
        CHECK(library->errorString(nccl::Status::InvalidUsage) != nullptr);
}
