import StateRecords
import Testing

/// Tests of the locations of records in shared buffers, and of the parts of headers and passes.
@Suite struct RecordSpanTests {
    private let object = ObjectRecord(
        header: ObjectHeader(number: 1, parent: 2, kind: 3, identifier: "pages"), values: [1, 2],
        outOfLine: [OutOfLineValue(key: 5, bytes: [7])])

    @Test func `a list keeps its original buffers when another list is appended to it`() {
        var list = RecordList(in: [[9]])
        var other = RecordList()
        other.encode(.removal) { $0 += [1] }
        list.append(other)
        let span = RecordList.Span(type: .nothing, buffer: 0, start: 0, count: 1)
        list.append(span)
        #expect(list.buffers == [[9], [1]])
        #expect(list.spans.map { Array(list.payload(of: $0)) } == [[1], [9]])
    }

    @Test func `a list contains every pass end of an appended list`() {
        func list(scenes: [UInt32]) -> RecordList {
            var list = RecordList()
            for scene in scenes {
                list.encode(.nothing) { _ in }
                list.endPass(PassEnd(scene: scene))
            }
            return list
        }
        var whole = list(scenes: [1])
        whole.append(list(scenes: [2, 3]))
        #expect(whole.ends.map(\.count) == [1, 2, 3])
        #expect(whole.ends.map(\.end.scene) == [1, 2, 3])
    }

    @Test func `the identifier of a record is compared unless the record contains a large value`() {
        let list = RecordList([object])
        var bytes = list.buffers[0]
        let matches = bytes.withUnsafeMutableBytes { bytes in
            ["pages", "pag", "page", "Pages", ""].map { identifier in
                list.spans.map { $0.hasIdentifier(identifier, in: bytes) }
            }
        }
        #expect(
            matches == [
                [true, true], [false, true], [false, true], [false, true], [false, true],
            ])
    }

    @Test func `renaming an object writes a new record at the end of the buffer`() {
        let list = RecordList([object])
        var span = list.spans[0]
        let before = list.buffers[0]
        var bytes = before
        span.rename(to: "a longer identifier", in: &bytes)
        #expect(bytes.starts(with: before))
        #expect(span.start == before.count)
        #expect(span.start + span.count == bytes.count)
        var renamed = object
        renamed.header.identifier = "a longer identifier"
        #expect(RecordList([span, list.spans[1]], in: bytes).objects == [renamed])
    }

    @Test func `the numbers of an object are written into its record and its large values`() {
        let list = RecordList([object])
        var bytes = list.buffers[0]
        bytes.withUnsafeMutableBytes { bytes in
            for span in list.spans { span.writeNumbers(258, below: 259, in: bytes) }
        }
        var numbered = object
        numbered.header.number = 258
        numbered.header.parent = 259
        let written = RecordList(list.spans, in: bytes)
        #expect(written.objects == [numbered])
        #expect(Array(written.payload(of: list.spans[1])) == [2, 1, 0, 0, 5, 0, 0, 0, 7])
    }

    @Test func `two headers are equal only if each of their fields is equal`() {
        let header = ObjectHeader(
            number: 1, parent: 2, kind: 3, identifier: "x", classToken: 4,
            restorationClassToken: 5, storyboard: 6, storyboardIdentifier: 7)
        let changes: [(inout ObjectHeader) -> Void] = [
            { $0.number = 9 }, { $0.parent = 9 }, { $0.kind = 9 }, { $0.identifier = "y" },
            { $0.classToken = 9 }, { $0.restorationClassToken = 9 }, { $0.storyboard = 9 },
            { $0.storyboardIdentifier = 9 },
        ]
        for (index, change) in changes.enumerated() {
            var other = header
            change(&other)
            #expect(other != header, "change \(index)")
        }
    }

    @Test func `P16: a pass is empty only if it changes nothing`() {
        var pass = PassRecords()
        pass.end = PassEnd(scene: 1, timestamp: 2)
        #expect(pass.isEmpty)
        let changes: [(inout PassRecords) -> Void] = [
            { $0.names = [(1, "one")] }, { $0.add(object) },
            { $0.placements = [object.header] }, { $0.removals = [1] },
        ]
        for (index, change) in changes.enumerated() {
            var changed = pass
            change(&changed)
            #expect(!changed.isEmpty, "change \(index)")
        }
    }
}
