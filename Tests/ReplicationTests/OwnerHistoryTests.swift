import ExactText
import Testing

@testable import Replication

@Suite struct OwnerHistoryTests {
    private static let latest: Int64 = 253_402_300_799_999_999

    private func entry(_ number: UInt64, time: Int64 = 0) -> OwnerHistory.Entry {
        OwnerHistory.Entry(
            host: "host \(number)", epoch: number, time: time, previous: nil, reason: .returned)
    }

    @Test(
        arguments: [
            (0, nil), (1, 1...1), (19, 1...19), (20, 1...20), (21, 2...21), (45, 26...45),
        ] as [(UInt64, ClosedRange<UInt64>?)])
    func `the latest 20 owners are stored`(count: UInt64, epochs: ClosedRange<UInt64>?) throws {
        var history = OwnerHistory()
        for number in 0..<count { history.append(entry(number + 1)) }
        #expect(history.entries.map(\.epoch) == (epochs.map { Array($0) } ?? []))
        #expect(OwnerHistory(history.bytes) == history)
    }

    @Test func `every field of an entry is stored`() throws {
        var history = OwnerHistory()
        history.append(
            OwnerHistory.Entry(host: "b", epoch: 7, time: 5, previous: "a", reason: .forced))
        #expect(
            history.bytes
                == Array(
                    #"{"entries":[{"epoch":7,"host":"b","previous":"a","reason":"forced","time":5}],"format":1}"#
                        .utf8))
        #expect(OwnerHistory(history.bytes) == history)
    }

    @Test(
        arguments: [
            (1, 0, true), (0, 0, true), (2, 0, false), (1, latest, true), (1, latest + 1, false),
            (1, -1, false),
        ] as [(Int, Int64, Bool)])
    func `a history with a newer format or an impossible time is not read`(
        format: Int, time: Int64, isRead: Bool
    ) {
        let entries = [entry(1), entry(2, time: time)].map {
            #"{"epoch":\#($0.epoch),"host":"\#($0.host)","reason":"started","time":\#($0.time)}"#
        }
        let text = #"{"entries":[\#(entries.joined(separator: ","))],"format":\#(format)}"#
        #expect((OwnerHistory(Array(text.utf8)) != nil) == isRead)
    }

    @Test func `bytes that are not JSON are not read as a history`() {
        #expect(OwnerHistory(Array("{".utf8)) == nil)
    }

    @Test(arguments: [
        (
            #"{"host":"a","time":7,"reason":"network","user":"user 0"}"#,
            TakeoverPause(host: "a", time: 7, reason: "network", user: "user 0")
        ),
        (#"{"host":"a","time":0}"#, TakeoverPause(host: "a", time: 0, reason: nil)),
        (#"{"host":"a","time":\#(latest)}"#, TakeoverPause(host: "a", time: latest, reason: nil)),
        (#"{"host":"a","time":\#(latest + 1)}"#, TakeoverPause(host: "a", time: 0, reason: nil)),
        (#"{"host":"a","time":-1}"#, TakeoverPause(host: "a", time: 0, reason: nil)),
        ("?", TakeoverPause(host: "", time: 0, reason: nil)),
    ])
    func `an unreadable pause counts as a pause`(text: String, pause: TakeoverPause) {
        #expect(TakeoverPause(Array(text.utf8)) == pause)
        #expect(TakeoverPause(pause.bytes) == pause)
    }
}
