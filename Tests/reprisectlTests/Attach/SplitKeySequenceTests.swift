import TestSupport
import Testing

@testable import reprisectl

/// Terminal input that arrives in pieces with any time between them. It yields the same keys as input that arrives at
/// once.
@Suite struct SplitKeySequenceTests {
    private static let delay = KeyDecoderTests.delay
    /// Periods of silence on a slow line. A period as long as a timeout of the decoder is shortened.
    private static let silences: [Duration] = [
        .zero, .milliseconds(1), .milliseconds(60), .milliseconds(400), .seconds(9), .seconds(3600),
    ]

    private func keysAtOnce(_ bytes: [UInt8]) -> [Key] {
        var decoder = KeyDecoder(escapeDelay: Self.delay)
        return decoder.keys(bytes)
    }

    @Test(arguments: KeyDecoderTests.sequences)
    func `a sequence split at any byte yields the same keys`(bytes: String, expected: [Key]) {
        let bytes = Array("x\(bytes)".utf8)
        for place in 1..<bytes.count {
            for silence in Self.silences {
                var decoder = KeyDecoder(escapeDelay: Self.delay)
                var keys = decoder.keys(bytes[..<place])
                requireAmbiguity(of: bytes[..<place], decoder.timeout)
                keys += decoder.keysAfter(silence: silence)
                keys += decoder.keys(bytes[place...])
                #expect(keys.joined == keysAtOnce(bytes), "torn at \(place), \(silence)")
            }
        }
    }

    /// Checks that the decoder waits only for a paste, or for an escape character at the end, alone or with the
    /// introducer of a string.
    private func requireAmbiguity(of bytes: ArraySlice<UInt8>, _ timeout: Duration?) {
        if timeout == KeyDecoder.pasteTimeout {
            return #expect(String(decoding: bytes, as: UTF8.self).contains("\u{1B}[200~"))
        }
        let isMessage = "]PX^_".utf8.contains(bytes.last ?? 0)
        #expect(timeout == nil || bytes.last == 0x1B || isMessage)
    }

    @Test func `bytes that arrive one by one with any silence in between yield the same keys`() {
        var random = SeededNumbers(seed: 4)
        for _ in 0..<200 {
            let bytes = (0..<8).flatMap { _ in
                Array(
                    KeyDecoderTests.sequences.randomElement(using: &random)?.bytes.utf8 ?? "".utf8)
            }
            var decoder = KeyDecoder(escapeDelay: Self.delay)
            var keys: [Key] = []
            for byte in bytes {
                keys += decoder.keys([byte])
                keys += decoder.keysAfter(silence: Self.silences.randomElement(using: &random))
            }
            #expect(keys.joined == keysAtOnce(bytes))
        }
    }

    /// Bytes among which the beginnings, contents and ends of sequences are particularly frequent.
    private static let alphabet =
        Array("\u{1B}\u{1B}\u{1B}[[[OM<;;0123459~~AmPb]\\\u{7}\r\u{3}xé日😀".utf8)
        + Array("\u{1B}[200~\u{1B}[201~".utf8)

    @Test func `random bytes in any pieces yield the same keys and never block the keyboard`() {
        var random = SeededNumbers(seed: 40)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? Self.alphabet.randomElement(using: &random) ?? 0
                    : UInt8.random(in: 0...255, using: &random)
            }
            var decoder = KeyDecoder(escapeDelay: Self.delay)
            var keys: [Key] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                keys += decoder.keys(rest.prefix(count))
                keys += decoder.keysAfter(silence: Self.silences.randomElement(using: &random))
                rest = rest.dropFirst(count)
            }
            #expect(keys.joined == keysAtOnce(bytes), "\(bytes)")
            decoder.finishIfTimedOut(silence: KeyDecoderTests.hour)
            #expect(decoder.keys([0x0D]).last == .enter, "\(bytes)")
            #expect(decoder.keys([0x61]) == [.text("a")], "\(bytes)")
        }
    }

    @Test func `bytes typed one by one yield the same text as at once, even if they are not UTF-8`()
    {
        var random = SeededNumbers(seed: 400)
        for _ in 0..<2000 {
            let bytes =
                (0..<12).map { _ in UInt8.random(in: 0x7E...0xFF, using: &random) }
                .map { $0 == 0x7F ? 0x61 : $0 } + [0x7A]
            var decoder = KeyDecoder(escapeDelay: Self.delay)
            let keys = bytes.flatMap { decoder.keys([$0], silence: KeyDecoderTests.hour) }
            #expect(keys.joined == [.text(String(decoding: bytes, as: UTF8.self))], "\(bytes)")
        }
    }
}

extension KeyDecoder {
    /// Adds bytes, followed by a period of silence, and returns the resulting keys.
    mutating func keys(_ bytes: some Sequence<UInt8>, silence: Duration = .zero) -> [Key] {
        add(bytes)
        finishIfTimedOut(silence: silence)
        var keys: [Key] = []
        while let key = next() { keys.append(key) }
        return keys
    }

    /// Lets a period of silence pass that is shorter than the decoder's timeout, and returns the resulting keys.
    mutating func keysAfter(silence: Duration?) -> [Key] {
        let silence = silence ?? .zero
        return keys([], silence: timeout.map { min(silence, $0 - .nanoseconds(1)) } ?? silence)
    }
}

extension [Key] {
    /// The keys, with adjacent text joined.
    fileprivate var joined: [Key] {
        reduce(into: []) { keys, key in
            if case .text(let text) = key, case .text(let before)? = keys.last {
                keys[keys.count - 1] = .text(before + text)
            } else {
                keys.append(key)
            }
        }
    }
}
