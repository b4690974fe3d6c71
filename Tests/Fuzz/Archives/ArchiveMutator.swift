import CLibFuzzer

@testable import SavedState

/// Mutator for archives. It updates the checksums of the header and the records in most results, so that mutations are
/// not rejected by the checksums.
struct ArchiveMutator {
    private var bytes: [UInt8]
    private let maximumBytes: Int
    private var random: UInt64

    /// - Parameters:
    ///   - bytes: The bytes to mutate, which need not be an archive.
    ///   - maximumBytes: The maximum size of the result.
    ///   - seed: The seed for the random choice of the mutation.
    init(_ bytes: [UInt8], maximumBytes: Int, seed: UInt32) {
        self.bytes = bytes
        self.maximumBytes = maximumBytes
        random = UInt64(seed) | 1
    }

    /// Returns the mutated bytes.
    mutating func mutated() -> [UInt8] {
        let records = records()
        switch draw(8) {
        case 0:
            bytes = mutated(bytes, maximumBytes)
            return bytes
        case 1:
            bytes = mutated(bytes, maximumBytes)
        case 2 where !records.isEmpty:
            bytes.removeSubrange(records[draw(records.count)])
        case 3 where !records.isEmpty:
            let copy = Array(bytes[records[draw(records.count)]])
            bytes.insert(contentsOf: copy, at: records[draw(records.count)].lowerBound)
        case _ where !records.isEmpty:
            mutate(records[draw(records.count)])
        default:
            bytes = mutated(bytes, maximumBytes)
        }
        if bytes.count > maximumBytes { bytes.removeLast(bytes.count - maximumBytes) }
        repair(renumbers: draw(4) != 0)
        return bytes
    }

    /// Mutates the bytes between a record's length and its checksum.
    private mutating func mutate(_ record: Range<Int>) {
        let inner = record.lowerBound + 4..<record.upperBound - 8
        var changed = Array(bytes[inner])
        if draw(2) == 0 {
            putExtreme(into: &changed)
        } else {
            changed = mutated(changed, max(inner.count, maximumBytes - bytes.count))
        }
        bytes.replaceSubrange(inner, with: changed)
        let length = UInt32(changed.count + 12)
        replace(length, at: record.lowerBound)
    }

    /// Writes an extreme number of 1, 2, 4 or 8 bytes at a random offset.
    private mutating func putExtreme(into bytes: inout [UInt8]) {
        let width = 1 << draw(4)
        guard bytes.count >= width else { return }
        let largest = UInt64.max >> UInt64(64 - 8 * width)
        let numbers = [0, 1, largest / 2, largest / 2 + 1, largest - 1, largest]
        let number = numbers[draw(numbers.count)]
        let offset = draw(bytes.count - width + 1)
        withUnsafeBytes(of: number.littleEndian) {
            bytes.replaceSubrange(offset..<offset + width, with: $0.prefix(width))
        }
    }

    /// Returns the ranges of the records, up to the first invalid length.
    private func records() -> [Range<Int>] {
        var records: [Range<Int>] = []
        var offset = headerLength ?? bytes.count
        while let length = number(UInt32.self, at: offset).map({ Int($0) }),
            length >= ArchiveFormat.minimumRecordBytes, offset + length <= bytes.count
        {
            records.append(offset..<offset + length)
            offset += length
        }
        return records
    }

    private var headerLength: Int? {
        guard let length = number(UInt32.self, at: 12), length >= 24, length <= bytes.count
        else { return nil }
        return Int(length)
    }

    /// Updates the checksums, each of which is seeded with the preceding checksum, and optionally the sequence numbers.
    private mutating func repair(renumbers: Bool) {
        guard let headerLength else { return }
        var seed = checksum(bytes, 0..<headerLength - 8, seed: 0)
        replace(seed, at: headerLength - 8)
        var sequence: UInt64?
        for record in records() {
            if renumbers {
                let number = sequence ?? number(UInt64.self, at: record.lowerBound + 8) ?? 1
                replace(number, at: record.lowerBound + 8)
                sequence = number &+ 1
            }
            let end = record.upperBound - 8
            seed = checksum(bytes, record.lowerBound..<end, seed: seed)
            replace(seed, at: end)
        }
    }

    private mutating func replace(_ number: some FixedWidthInteger, at offset: Int) {
        withUnsafeBytes(of: number.littleEndian) {
            bytes.replaceSubrange(offset..<offset + $0.count, with: $0)
        }
    }

    private func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number? {
        var reader = LittleEndianReader(bytes, min(offset, bytes.count)..<bytes.count)
        return reader.next(type)
    }

    /// Returns bytes that libFuzzer has mutated.
    private func mutated(_ bytes: [UInt8], _ maximumBytes: Int) -> [UInt8] {
        var buffer = bytes + Array(repeating: 0, count: max(0, maximumBytes - bytes.count))
        let count = LLVMFuzzerMutate(&buffer, bytes.count, max(maximumBytes, bytes.count))
        return Array(buffer.prefix(count))
    }

    /// Returns a random number below the given number.
    private mutating func draw(_ count: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((random >> 33) % UInt64(count))
    }
}
