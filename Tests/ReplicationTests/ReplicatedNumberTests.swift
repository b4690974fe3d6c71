import Encryption
import FoundationEssentials
import Testing

@testable import Replication

/// Numbers of a server that is broken, or not etcd's.
@Suite struct ReplicatedNumberTests {
    private static let extremes = [Int64.min, -1, 0, 1, .max - 1, .max]

    @Test(arguments: extremes) func `a revision can be counted on`(number: Int64) throws {
        let reply = try JSONDecoder().decode(
            EtcdRangeReply.self,
            from: Data(
                """
                {"header":{"revision":"\(number)"},"kvs":[{"key":"YQ==","create_revision":"\(number)",\
                "mod_revision":"\(number)","lease":"\(number)"}]}
                """.utf8))
        let entry = try #require(reply.entries.first)
        for revision in [reply.storeRevision, entry.createRevision, entry.modRevision] {
            #expect(UInt64(exactly: revision) != nil)
            #expect(revision < .max)
        }
        #expect(entry.leaseNumber == number)
    }

    @Test(arguments: ["number", "parts"], extremes)
    func `a value with a number that no host writes is not used`(name: String, number: Int64) {
        let numbers = ["number": 1, "parts": 0].merging([name: number]) { $1 }
        let value = Array(
            """
            {"host":"a","term":1,"turn":2,"number":\(numbers["number"]!),"parts":\(numbers["parts"]!)}
            bytes
            """.utf8)
        let isPossible = number == 0 || number == 1
        do {
            let read = try ReplicatedValue(value, at: "key", sealedBy: .none)
            #expect(isPossible)
            #expect(read.line.pieces(of: "key").hasPrefix("key/"))
            #expect(read.bytes.elementsEqual("bytes".utf8))
        } catch {
            #expect(!isPossible)
            #expect(error.reason == "its line has a number that no host writes")
        }
    }
}
