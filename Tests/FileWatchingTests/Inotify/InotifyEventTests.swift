import Glibc
import SystemPackage
import Testing

@testable import FileWatching

/// Parser for events of inotify(7).
@Suite struct InotifyEventTests {
    private func bytes(
        watch: CInt = 1, _ mask: InotifyMask, name: [UInt8] = [], length: Int? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        let numbers = [UInt32(bitPattern: watch), mask.rawValue, 0, UInt32(length ?? name.count)]
        for number in numbers { withUnsafeBytes(of: number) { bytes += $0 } }
        return bytes + name
    }

    private func parse(_ bytes: [UInt8]) -> [InotifyEvent] {
        bytes.withUnsafeBytes(InotifyEvent.parse)
    }

    @Test func `many events are parsed in order, with and without names`() {
        let events = parse(
            bytes(watch: 7, .create, name: Array("a".utf8) + [0, 0, 0])
                + bytes(watch: 6, .delete, name: [0x62]) + bytes(watch: 8, .deleteSelf)
                + bytes(watch: 9, .movedTo, name: [0xFF, 0x0A, 0]))
        #expect(events.map(\.watchNumber) == [7, 6, 8, 9])
        #expect(events.map(\.mask) == [.create, .delete, .deleteSelf, .movedTo])
        #expect(events.map(\.name) == [[0x61], [0x62], nil, [0xFF, 0x0A]])
    }

    @Test func `empty input yields no events`() {
        #expect(parse([]) == [])
    }

    @Test func `truncated or forged input ends the list with an overflow`() {
        let whole = bytes(.create, name: Array("name".utf8))
        for count in 1..<whole.count {
            #expect(parse(Array(whole.prefix(count))) == [.overflow])
        }
        #expect(parse(whole + [0]).map(\.mask) == [.create, .overflow])
        #expect(parse(bytes(.create, length: Int(UInt32.max))) == [.overflow])
    }

    @Test func `an overflow is reported for every target`() throws {
        let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let mailbox = EventMailbox(continuation: wakeUps.continuation)
        var table = WatchTable(try Inotify())
        let targets = ["/none/1", "/none/2"].map { FileTarget.file($0) }
        for target in targets { _ = try table.add(target, absoluteTarget: target, for: mailbox) }
        for event in parse(bytes(watch: -1, .overflow)) { table.record(event) }
        #expect(table.deliverChanges().count == targets.count)
        #expect(mailbox.popEvent() == FileEvent(targets[0], .lost))
        #expect(mailbox.popEvent() == FileEvent(targets[1], .lost))
        #expect(mailbox.popEvent() == nil)
    }

    @Test func `a suffix is compared byte for byte`() {
        for (name, suffix, isFit) in [
            ("\u{600}.yaml", ".yaml", true), ("a", "", true), (".yaml", ".yaml", true),
            ("a.YAML", ".yaml", false), ("yaml", ".yaml", false), ("a.yaml~", ".yaml", false),
        ] {
            let use = WatchFilter(suffix: Array(suffix.utf8))
            let event = InotifyEvent(watchNumber: 1, mask: .create, name: Array(name.utf8))
            #expect(use.changes(by: event) == (isFit ? .created : nil))
        }
    }
}
