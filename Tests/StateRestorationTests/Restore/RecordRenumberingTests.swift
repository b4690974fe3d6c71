import TestSupport
import Testing

@testable import StateRestoration

@Suite struct RecordRenumberingTests {
    /// Names of the source archive, whose numbers differ from the numbers in the target archive.
    private static let oldNames: [UInt32: String] = [
        300: "text", 2: "next", 3: "all", 4: "named", 5: "@unclaimed",
    ]

    private struct Target {
        let names = NameTable([7: "next"])
        let numbering = RecordNumberGenerator(after: 1000)
        var transfer: RecordRenumbering

        init(records: [UInt32]) {
            transfer = RecordRenumbering(from: oldNames, to: names, numbering: numbering)
            for record in records { transfer.add(RecordNumber(record)) }
        }
    }

    private func values(_ body: (inout ValueWriter) -> Void) -> ArraySlice<UInt8> {
        var writer = ValueWriter()
        body(&writer)
        // Returns a slice that does not begin at index 0, like a slice of a file.
        return ([0, 0, 0] + writer.bytes)[3...]
    }

    @Test func `keys and references are renumbered at any depth, and other values stay unchanged`()
        throws
    {
        var target = Target(records: [1, 2, 3])
        let moved = try target.transfer.renumberedValues(
            values { writer in
                writer.writeVarint(300)
                writer.write(.string)
                writer.writeText("zöe")
                writer.writeVarint(2)
                writer.writeReference(RecordNumber(2))
                writer.writeVarint(3)
                writer.write(.array)
                writer.writeVarint(2)
                writer.writeReference(RecordNumber(3))
                writer.write(.array)
                writer.writeVarint(1)
                writer.writeReference(RecordNumber(1))
                writer.writeVarint(4)
                writer.write(.dictionary)
                writer.writeVarint(1)
                writer.writeText("a")
                writer.writeReference(.none)
            })
        let text = target.names.number(for: "text")
        let expected = values { writer in
            writer.writeVarint(UInt64(text))
            writer.write(.string)
            writer.writeText("zöe")
            writer.writeVarint(7)
            writer.writeReference(RecordNumber(1002))
            writer.writeVarint(UInt64(target.names.number(for: "all")))
            writer.write(.array)
            writer.writeVarint(2)
            writer.writeReference(RecordNumber(1003))
            writer.write(.array)
            writer.writeVarint(1)
            writer.writeReference(RecordNumber(1001))
            writer.writeVarint(UInt64(target.names.number(for: "named")))
            writer.write(.dictionary)
            writer.writeVarint(1)
            writer.writeText("a")
            writer.writeReference(.none)
        }
        #expect(moved[...] == expected)
        #expect(target.transfer.danglingReferenceNumber == nil)
        #expect(target.names.consumeNewNames().map(\.text) == ["text", "all", "named"])
    }

    @Test func `references to missing records get one number that no record has`()
        throws
    {
        var target = Target(records: [1])
        let moved = try target.transfer.renumberedValues(
            values { writer in
                writer.writeVarint(2)
                writer.write(.array)
                writer.writeVarint(3)
                for number in [50, 1, 60] { writer.writeReference(RecordNumber(UInt32(number))) }
            })
        #expect(
            moved[...]
                == values { writer in
                    writer.writeVarint(7)
                    writer.write(.array)
                    writer.writeVarint(3)
                    for number in [1002, 1001, 1002] {
                        writer.writeReference(RecordNumber(UInt32(number)))
                    }
                })
        #expect(target.transfer.danglingReferenceNumber == RecordNumber(1002))
        #expect(target.numbering.next() == RecordNumber(1003))
    }

    @Test func `R16: transferred state does not include the launch counts of unclaimed records`()
        throws
    {
        var target = Target(records: [8, 9])
        let moved = try target.transfer.renumberedValues(
            values { writer in
                writer.writeVarint(5)
                writer.write(.array)
                writer.writeVarint(1)
                writer.write(.array)
                writer.writeVarint(2)
                for value: Int64 in [9, 3] {
                    writer.write(.integer)
                    writer.writeZigzag(value)
                }
            })
        #expect(moved.isEmpty)
        #expect(target.names.consumeNewNames().isEmpty)
    }

    @Test func `a value whose key has no name is omitted`() throws {
        var target = Target(records: [])
        let moved = try target.transfer.renumberedValues(
            values { writer in
                for key in [99, 2, 98] {
                    writer.writeVarint(UInt64(key))
                    writer.write(.null)
                }
            })
        #expect(moved == [7, ValueTag.null.rawValue])
        #expect(target.transfer.renumberName(0) == 0)
    }

    @Test(arguments: [300, 5] as [UInt64], [false, true])
    func `a truncated value is refused, even in a list or if it would be omitted`(
        key: UInt64, isInList: Bool
    ) {
        var target = Target(records: [])
        #expect(throws: ValueError.truncated) {
            try target.transfer.renumberedValues(
                values { writer in
                    writer.writeVarint(key)
                    if isInList {
                        writer.write(.array)
                        writer.writeVarint(1)
                    }
                    writer.write(.double)
                })
        }
    }

    @Test func `most random bytes are refused as invalid values`() {
        var generator = SeededNumbers(seed: 9)
        var refused = 0
        for _ in 0..<20_000 {
            var target = Target(records: [1, 2])
            let count = Int.random(in: 0...24, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...20, using: &generator) }
            do throws(ValueError) {
                _ = try target.transfer.renumberedValues(bytes[...])
            } catch {
                refused += 1
            }
        }
        #expect(refused > 10_000)
    }
}
