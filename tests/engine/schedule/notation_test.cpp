#include "engine/schedule/notation.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("parse and print are inverses for every kind, direction and slice")
{
    for (int kind = 0; kind < kOpKinds; ++kind)
        for (const std::uint8_t replica : {0, 1})
            for (const std::uint16_t slice : {Op::kWhole, std::uint16_t{0}, std::uint16_t{12}}) {
                Op op;
                op.kind = static_cast<OpKind>(kind);
                op.stage = StageId{10 * kind};
                op.replica = replica;
                if (hasMicroBatch(op.kind)) {
                    op.microBatch = MicroBatchId{kind + 99};
                    op.slice = slice;
                }
                INFO(toString(op));
                CHECK(parseOp(toString(op)) == op);
            }
}

TEST_CASE("ops are spelled as documented")
{
    for (const std::string text : {"2F0", "5B3u", "1F4.1", "1F4u.1", "3I2", "3W2", "3SEND_F1",
                                   "4RECV_F1", "4SEND_B1u", "3RECV_B1", "0EVICT2", "0LOAD2",
                                   "0RECOMPUTE2", "3ALLREDUCEu", "3OPT", "3UNSHARD", "3RESHARD"}) {
        INFO(text);
        const auto op = parseOp(text);
        REQUIRE(op);
        CHECK(toString(*op) == text);
    }
}

TEST_CASE("another spelling of an op is refused")
{
    for (const std::string text :
         {"", "F0", "2F", "2f0", "2F0x", "2F0uu", "2F0.", "2F0.1u", "02F0", "2F00", "2F0.01", "2Q0",
          "-2F0", "2F-1", "3OPT1", "3OPT.1", "2F0 ", "2F99999999999", "2F0.65535"}) {
        INFO(text);
        const auto op = parseOp(text);
        REQUIRE_FALSE(op);
        CHECK_THAT(op.error().message, Catch::Contains("'" + text + "'"));
    }
}

TEST_CASE("the short names of the CSV are one per kind")
{
    for (int kind = 0; kind < kOpKinds; ++kind)
        CHECK(parseKindShortName(kindShortName(static_cast<OpKind>(kind)))
              == static_cast<OpKind>(kind));
    CHECK_THAT(parseKindShortName("X").error().message, Catch::Contains("'X'"));
}
