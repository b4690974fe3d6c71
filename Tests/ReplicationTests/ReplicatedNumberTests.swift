import Encryption
import FoundationEssentials
import Testing

@testable import Replication

/// Tests of extreme numbers in replies of a broken server.
@Suite struct ReplicatedNumberTests {
    private static let extremes = [Int64.min, -1, 0, 1, .max - 1, .max]

    @Test(arguments: extremes)
    func `a decoded revision is never negative and always has a successor`(
        number: Int64
    ) throws {
        let reply = RangeReply(
            try JSONDecoder().decode(
                EtcdRangeReply.self,
                from: Data(
                    """
                    {"header":{"revision":"\(number)"},"kvs":[{"key":"YQ==","create_revision":"\(number)",\
                    "mod_revision":"\(number)","lease":"\(number)"}]}
                    """.utf8)))
        let entry = try #require(reply.entries.first)
        for revision in [reply.storeRevision, entry.createRevision, entry.modRevision] {
            #expect(UInt64(exactly: revision) != nil)
            #expect(revision < .max)
        }
        #expect(entry.lease == number)
    }

    @Test(arguments: ["number", "parts"], extremes)
    func `a value with an out-of-range number is refused`(name: String, number: Int64) {
        let numbers = ["number": 1, "parts": 0].merging([name: number]) { $1 }
        let value = Array(
            """
            {"host":"a","term":1,"turn":2,"number":\(numbers["number"]!),"parts":\(numbers["parts"]!)}
            bytes
            """.utf8)
        let isInRange = number == 0 || number == 1
        do {
            let read = try ReplicatedValue(value, at: "key", sealedBy: .none)
            #expect(isInRange)
            #expect(read.header.piecePrefix(of: "key").hasPrefix("key/"))
            #expect(read.bytes.elementsEqual("bytes".utf8))
        } catch {
            #expect(!isInRange)
            #expect(error.reason == "its first line has a number out of range")
        }
    }
}
