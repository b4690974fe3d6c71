import StateRecords
import Testing

/// Tests of lists of records that share the buffers of their payloads.
@Suite struct RecordListTests {
    private func payloads(_ list: RecordList) -> [[UInt8]] {
        list.spans.map { Array(list.payload(of: $0)) }
    }

    @Test func `a list contains the records and pass ends of appended lists`() {
        var list = RecordList()
        list.encode(.object) { $0 += [1, 2] }
        list.endPass(PassEnd(scene: 1))
        var other = RecordList()
        other.encode(.name) { $0 += [3] }
        other.encode(.object) { $0 += [4, 5, 6] }
        other.endPass(PassEnd(scene: 2))
        list.append(other)
        list.encode(.removal) { $0 += [7] }
        #expect(payloads(list) == [[1, 2], [3], [4, 5, 6], [7]])
        #expect(list.spans.map(\.type) == [.object, .name, .object, .removal])
        #expect(list.ends.map(\.count) == [1, 3])
        #expect(list.ends.map(\.end.scene) == [1, 2])
        #expect(list.payloadByteCount == 7)
        var copy = RecordList()
        copy.append(list)
        #expect(payloads(copy) == payloads(list))
        #expect(copy.ends.map(\.count) == [1, 3])
        #expect(copy.payloadByteCount == 7)
    }

    @Test func `removing the records of a list also removes its pass ends and bytes`() {
        var list = RecordList()
        list.encode(.object) { $0 += [1, 2] }
        list.endPass(PassEnd(scene: 1))
        list.removeRecords()
        #expect(list.isEmpty && list.ends.isEmpty && list.payloadByteCount == 0)
        list.encode(.object) { $0 += [3] }
        list.endPass(PassEnd(scene: 2))
        #expect(payloads(list) == [[3]])
        #expect(list.ends.map(\.count) == [1])
        #expect(list.payloadByteCount == 1)
    }

    @Test(arguments: [(65_535, 0, true), (65_536, 0, false), (1, 65_535, true), (1, 65_536, false)])
    func `an identifier has at most 65,535 bytes, and an object at most 65,535 large values`(
        length: Int, count: Int, isWellFormed: Bool
    ) {
        var pass = PassRecords()
        pass.add(
            ObjectRecord(
                header: ObjectHeader(
                    number: 1, parent: 0, kind: 1,
                    identifier: String(repeating: "x", count: length)),
                values: [],
                outOfLine: (0..<UInt32(count)).map { OutOfLineValue(key: $0, bytes: []) }))
        #expect((pass.problem == nil) == isWellFormed)
        #expect(pass.objectCount == 1)
    }

    @Test func `two passes are equal only if all of their changes are equal`() {
        var pass = PassRecords()
        pass.names = [(1, "one"), (2, "two")]
        pass.objects.encode(.object) { $0 += [1, 2] }
        pass.objects.encode(.object) { $0 += [3] }
        pass.objects.endPass(PassEnd(scene: 1))
        pass.placements = [ObjectHeader(number: 7, parent: 0, kind: 0, identifier: "main")]
        pass.removals = [8]
        pass.end = PassEnd(scene: 1, timestamp: 2)
        func changed(_ change: (inout PassRecords) -> Void) -> PassRecords {
            var other = pass
            change(&other)
            return other
        }
        #expect(changed { _ in } == pass)
        let others = [
            changed { $0.names[1].number = 3 }, changed { $0.names[1].text = "three" },
            changed { $0.names.removeLast() },
            changed { $0.objects.encode(.object) { $0 += [4] } },
            changed { $0.objects.endPass(PassEnd(scene: 2)) },
            changed {
                $0.objects.removeRecords()
                for byte: UInt8 in [1, 3] { $0.objects.encode(.object) { $0 += [byte] } }
                $0.objects.endPass(PassEnd(scene: 1))
            },
            changed {
                $0.objects.removeRecords()
                $0.objects.encode(.object) { $0 += [1, 2] }
                $0.objects.encode(.name) { $0 += [3] }
                $0.objects.endPass(PassEnd(scene: 1))
            },
            changed { $0.placements = [] }, changed { $0.removals = [9] },
            changed { $0.end.timestamp = 3 },
        ]
        for (number, other) in others.enumerated() { #expect(other != pass, "\(number)") }
    }
}
