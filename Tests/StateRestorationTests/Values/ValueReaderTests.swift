import StateRestoration
import TestSupport
import Testing

@Suite struct ValueReaderTests {
    private static let array: UInt8 = 9
    private static let dictionary: UInt8 = 10

    private func error(_ bytes: [UInt8]) -> ValueError? {
        var reader = ValueReader(bytes[...])
        do {
            try reader.skipValue()
            reader = ValueReader(bytes[...])
            _ = try StoredValue(reading: &reader) { _ in nil }
            return nil
        } catch {
            return error
        }
    }

    @Test func `invalid bytes are refused with a specific error`() {
        #expect(error([]) == .truncated)
        #expect(error([18]) == .unknownTag(18))
        #expect(error([2]) == .truncated)
        #expect(error([2] + Array(repeating: 0xFF, count: 10)) == .numberTooLarge)
        #expect(error([3, 0, 0]) == .truncated)
        #expect(error([4, 1]) == .truncated)
        #expect(error([4, 1, 0xFF]) == .invalidUTF8)
        #expect(error([4, 2, 0xC3, 0x28]) == .invalidUTF8)
        #expect(error([8, 2, 0]) == .boundsReversed)
        #expect(error([Self.array, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) == .truncated)
        #expect(error([11, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F]) == .numberTooLarge)
        #expect(error([12]) == .truncated)
        #expect(error([13, 1, 0xFF]) == .invalidUTF8)
        #expect(error([14, 2, 0]) == .truncated)
        #expect(error([15, 2, 0]) == .boundsReversed)
        #expect(error([16, 2, 0x7B]) == .truncated)
        #expect(error([Self.dictionary, 2, 1, 0x61, 0, 1, 0x61, 0]) == .duplicateKey)
    }

    @Test(arguments: [array, dictionary])
    func `P9: values can be nested up to 64 levels deep`(tag: UInt8) {
        let level: [UInt8] = tag == Self.array ? [tag, 1] : [tag, 1, 0]
        let deepest = Array(repeating: level, count: 64).flatMap(\.self) + [0]
        #expect(error(deepest) == nil)
        #expect(error(level + deepest) == .nestedTooDeep)
        let empty = Array(repeating: level, count: 64).flatMap(\.self) + [tag, 0]
        #expect(error(empty) == .nestedTooDeep)
    }

    @Test(arguments: [4, 5, 9, 10, 13, 14, 16] as [UInt8])
    func `a count that exceeds the remaining bytes is refused as truncated`(tag: UInt8) {
        let count: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(error([tag] + count) == .truncated)
        #expect(error([tag] + count + Array(repeating: 0, count: 1000)) == .truncated)
    }

    @Test func `very deep nesting does not overflow the stack`() {
        #expect(error(Array(repeating: Self.array, count: 1_000_000)) == .nestedTooDeep)
    }

    @Test func `a reader continues after the value that it read`() throws {
        let bytes: [UInt8] = [1, 2, 6, 0]
        var reader = ValueReader(bytes[1...])
        #expect(reader.remainingByteCount == 3)
        try reader.skipValue()
        let here = reader.position
        #expect(here == 3)
        #expect(try reader.readTag() == .false)
        #expect(reader.isAtEnd)
        reader.seek(to: here)
        #expect(!reader.isAtEnd)
    }

    @Test func `random bytes produce a value or an error`() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededNumbers(seed: seed)
        for input in 0..<100_000 {
            let bytes = generator.bytes()
            var skipper = ValueReader(bytes[...])
            var reader = ValueReader(bytes[...])
            let skips = (try? skipper.skipValue()) != nil
            let reads = (try? StoredValue(reading: &reader) { _ in nil }) != nil
            // Skipping checks neither text nor bounds, so every value that can be read can also be skipped.
            let agrees = !reads || (skips && skipper.position == reader.position)
            if !agrees { Issue.record("seed \(seed), input \(input): \(bytes)") }
            if bytes.count < reader.position { Issue.record("seed \(seed), input \(input)") }
        }
    }

    @Test func `random bytes are refused or produce a value that can be written and read again`() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededNumbers(seed: seed)
        var found = 0
        for input in 0..<20_000 {
            let bytes = generator.bytes(near: ValueSamples.stored)
            for (name, read) in ValueSamples.readers {
                guard let outcome = read(bytes) else { continue }
                found += 1
                if !outcome { Issue.record("seed \(seed), input \(input), \(name): \(bytes)") }
            }
        }
        #expect(found > 1_000, "seed \(seed): hardly anything was a value")
    }

    @Test func `random bytes have a type name if and only if they can be skipped`() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededNumbers(seed: seed)
        for input in 0..<50_000 {
            let bytes = generator.bytes(near: ValueSamples.stored)
            var namer = ValueReader(bytes[...])
            var skipper = ValueReader(bytes[...])
            let names = (try? namer.readTypeName()) != nil
            let skips = (try? skipper.skipValue()) != nil
            let agrees = names == skips && (!names || namer.position == skipper.position)
            if !agrees { Issue.record("seed \(seed), input \(input): \(bytes)") }
        }
    }

    @Test func `random bytes as an object's values are decoded or reported`() throws {
        let test = try TestScene.launched(TestObject("nav", value: 1))
        test.save()
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededNumbers(seed: seed)
        for input in 0..<2_000 {
            try test.archive.replaceValues(at: "nav", with: generator.bytes())
            let root = TestObject("nav")
            let next = try TestScene.launched(root, archive: test.archive)
            let isLogged = next.report.restored == 1 || next.report.unrestored.count == 1
            if !isLogged { Issue.record("seed \(seed), input \(input)") }
        }
    }

    /// Number of more than 64 bits. Its last byte is also a valid value.
    private static let large = [UInt8](repeating: 0xFF, count: 10) + [1]

    @Test(arguments: [
        [2] + large, [11] + large, [12] + large, [4] + large, [8] + large + [1], [8, 1] + large,
        [15] + large + [1], [14] + large, [14, 1] + large, [14, 2] + large + [1], [9] + large,
        [9, 1, 2] + large, [9, 2, 2] + large + [1], [10] + large, [10, 1] + large + [1],
        [10, 1, 1, 97, 2] + large, [10, 2, 1, 97, 2] + large + [1, 98, 1],
    ])
    func `skipping a value that contains a number that is too large is an error`(bytes: [UInt8]) {
        var reader = ValueReader(bytes[...])
        #expect(throws: ValueError.numberTooLarge) { try reader.skipValue() }
    }
}

extension SeededNumbers {
    /// Returns up to 40 bytes, many of which are tags and small counts.
    mutating func bytes() -> [UInt8] {
        (0..<Int.random(in: 0...40, using: &self)).map { _ in
            Bool.random(using: &self)
                ? UInt8.random(in: 0...18, using: &self)
                : UInt8.random(in: 0...255, using: &self)
        }
    }

    /// Returns such bytes, or a sample with a few bytes changed, removed or repeated.
    mutating func bytes(near samples: [[UInt8]]) -> [UInt8] {
        guard Int.random(in: 0..<4, using: &self) > 0,
            var bytes = samples.randomElement(using: &self)
        else { return bytes() }
        for _ in 0..<Int.random(in: 0...3, using: &self) where !bytes.isEmpty {
            let place = bytes.indices.randomElement(using: &self) ?? 0
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &self)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 2: bytes.removeSubrange(place...)
            default: bytes.insert(contentsOf: bytes[place...], at: place)
            }
        }
        return bytes
    }
}
