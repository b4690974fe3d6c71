import ExactText
public import FoundationEssentials

/// The library's own values in a scene's record, beside the application-level values.
package struct ReservedState: Sendable, Equatable {
    /// The values that every coder answers (P4), but for the time, which each pass tells.
    package var stamp: PassStamp
    /// Whether the scene is launched at the application's next start (S3).
    package var isInUse = true
    /// How many launches could not place an unclaimed record (R16).
    package var unclaimed: [RecordNumber: Int] = [:]

    /// How the scene looked when every object was looked at last; nil: nobody knows.
    package var snapshot: SceneSnapshot?

    /// The name under which ``unclaimed`` is kept, whose numbers are no references.
    static var unclaimedKey: String { Key.unclaimed.description }

    fileprivate enum Key {
        static let bundleVersion: StaticString = "@bundleVersion"
        static let systemVersion: StaticString = "@systemVersion"
        static let interfaceIdiom: StaticString = "@interfaceIdiom"
        static let isInUse: StaticString = "@inUse"
        static let unclaimed: StaticString = "@unclaimed"
        static let snapshot: StaticString = "@snapshot"
        static let snapshotTime: StaticString = "@snapshotTime"
    }

    func encode(with coder: StateEncoder) {
        coder.encodeReserved(stamp.bundleVersion, forKey: Key.bundleVersion)
        coder.encodeReserved(stamp.systemVersion, forKey: Key.systemVersion)
        coder.encodeReserved(stamp.interfaceIdiom, forKey: Key.interfaceIdiom)
        if !isInUse { coder.encodeReserved(false, forKey: Key.isInUse) }
        if let snapshot {
            coder.encodeReserved(snapshot.text, forKey: Key.snapshot)
            coder.encodeReserved(snapshot.microseconds, forKey: Key.snapshotTime)
        }
        if unclaimed.isEmpty { return }
        let pairs = unclaimed.sorted { $0.key.rawValue < $1.key.rawValue }
        coder.encodeReserved(pairs.map { [Int($0.key.rawValue), $0.value] }, forKey: Key.unclaimed)
    }
}

extension ReservedState {
    /// Reads what a scene's record holds. A value that cannot be read is as if it was not there,
    /// so that the state around it is still restored.
    init(reading coder: StateDecoder) {
        func value<Decoded: StateValue>(_ key: StaticString) -> Decoded? {
            Self.value(key, of: coder)
        }
        stamp = PassStamp(
            bundleVersion: value(Key.bundleVersion) ?? "", timestamp: coder.stamp.microseconds,
            systemVersion: value(Key.systemVersion) ?? "",
            interfaceIdiom: value(Key.interfaceIdiom) ?? "")
        isInUse = Self.isInUse(reading: coder)
        if let text: String = value(Key.snapshot), let time: Int64 = value(Key.snapshotTime) {
            snapshot = SceneSnapshot(text: text, timestamp: time)
        }
        let pairs: [[Int]] = value(Key.unclaimed) ?? []
        for pair in pairs where pair.count == 2 {
            guard let number = UInt32(exactly: pair[0]) else { continue }
            unclaimed[RecordNumber(number)] = max(0, min(pair[1], SceneRecords.mostLaunches))
        }
    }

    fileprivate static func isInUse(reading coder: StateDecoder) -> Bool {
        value(Key.isInUse, of: coder) ?? true
    }

    /// Whether an archive with these names may hold scenes that are not in use.
    package static func mayBeClosed(names: NameTable) -> Bool {
        names.existingNumber(for: Key.isInUse) != nil
    }

    private static func value<Decoded: StateValue>(
        _ key: StaticString, of coder: StateDecoder
    ) -> Decoded? {
        do { return try coder.decode(Decoded.self, forKey: key) } catch { return nil }
    }
}

extension SavedScene {
    /// The library's own values in the scene's record.
    package func reservedState(names: NameTable) -> ReservedState {
        ReservedState(reading: reservedDecoder(names: names))
    }

    /// Whether the scene is launched at the application's next start (S3).
    package func isInUse(names: NameTable) -> Bool {
        ReservedState.isInUse(reading: reservedDecoder(names: names))
    }

    private func reservedDecoder(names: NameTable) -> StateDecoder {
        let stamp = PassStamp(bundleVersion: "", timestamp: timestamp, systemVersion: "")
        let source = StateDecoderSource(
            names: names, stamp: stamp, path: { _ in "application state" }, object: { _ in nil })
        return StateDecoder(source, number: number, values)
    }
}

/// How a scene looked at a time, as text.
public struct SceneSnapshot: Sendable, Equatable {
    /// The most bytes that are kept.
    public static let mostBytes = 64 << 10

    /// The picture.
    public var text: String
    /// When it began to look like that: microseconds since 1970-01-01 UTC.
    package var microseconds: Int64

    /// When it began to look like that.
    public var timestamp: Date { Date(microseconds: microseconds) }

    /// A text and its time in microseconds since 1970-01-01 UTC.
    package init(text: String, timestamp: Int64) {
        self.text = text
        microseconds = timestamp
    }
}
