import StateRecords
import Testing

@testable import SavedState

/// Tests of the digest that shows whether an application's state has changed.
@Suite struct StateDigestTests {
    private var contents: ArchiveContents {
        let numbers = 1...3 as ClosedRange<UInt32>
        let large = numbers.map { OutOfLineValue(key: $0, bytes: [UInt8($0), 8]) }
        var contents = ArchiveContents.empty
        contents.names = [1: "one", 2: "two"]
        contents.objects = numbers.map { number in
            ObjectRecord(
                header: ObjectHeader(
                    number: number, parent: number - 1, kind: 1, identifier: "x\(number)"),
                values: [UInt8(number), 7], outOfLine: large)
        }
        return contents
    }

    @Test func `the digest depends on every name, object and large value`() {
        let changes: [(inout ArchiveContents) -> Void] = [
            { $0.names[2] = "three" }, { $0.names = [1: "one", 3: "two"] },
            { $0.names[1] = "another" },
            { $0.objects[1].header.number = 9 }, { $0.objects[1].header.parent = 9 },
            { $0.objects[1].header.kind = 9 }, { $0.objects[1].header.identifier = "y" },
            { $0.objects[1].header.classToken = 9 },
            { $0.objects[1].header.restorationClassToken = 9 },
            { $0.objects[1].header.storyboard = 9 },
            { $0.objects[1].header.storyboardIdentifier = 9 },
            { $0.objects[2].header.identifier = "y" }, { $0.objects[2].values = [9, 7] },
            { $0.objects[2].outOfLine[1].key = 9 }, { $0.objects[2].outOfLine[1].bytes = [9] },
            { $0.objects[2].outOfLine[2].bytes = [9] }, { $0.objects[2].outOfLine.removeLast() },
            { $0.objects.removeLast() },
        ]
        var digests: Set<UInt64> = [contents.digest]
        for (index, change) in changes.enumerated() {
            var changed = contents
            change(&changed)
            let isNew = digests.insert(changed.digest).inserted
            #expect(isNew, "change \(index)")
        }
    }

    @Test func `the digest does not depend on when and how the state was saved`() {
        var other = contents
        other.passEnds = [1: PassEnd(scene: 1, timestamp: 5)]
        other.isClosed = true
        other.sequence = 77
        other.highestObjectNumber = 99
        #expect(other.digest == contents.digest)
    }
}
