import ExactText
internal import FoundationEssentials

/// The library's own values in a scene's record. They are stored next to the application's values.
package struct ReservedState: Sendable, Equatable {
    /// Values that every coder provides (P4). Their timestamp is stored separately, at the end of each pass.
    package var passMetadata: PassMetadata
    /// Whether the next start of the application launches the scene (S3).
    package var isInUse = true
    /// For each unclaimed record, the number of launches that failed to assign it to an object (R16).
    package var unclaimedFailedLaunchCounts: [RecordNumber: Int] = [:]

    /// Snapshot of the scene from the last pass that requested a snapshot, or `nil` if there is none.
    package var snapshot: SceneSnapshot?
    /// Number of each client's last operation on the scene.
    var lastOperationNumbers = LastOperationNumbers()

    /// Key under which ``unclaimedFailedLaunchCounts`` is stored.
    ///
    /// The record numbers in the stored value are not encoded as references.
    static var unclaimedKey: String { Key.unclaimed.description }

    fileprivate enum Key {
        static let bundleVersion: StaticString = "@bundleVersion"
        static let systemVersion: StaticString = "@systemVersion"
        static let interfaceIdiom: StaticString = "@interfaceIdiom"
        static let isInUse: StaticString = "@inUse"
        static let unclaimed: StaticString = "@unclaimed"
        static let snapshot: StaticString = "@snapshot"
        static let snapshotTime: StaticString = "@snapshotTime"
        static let operationClients: StaticString = "@operationClients"
        static let operationNumbers: StaticString = "@operationNumbers"
    }

    func encode(with coder: StateEncoder) {
        coder.encodeReserved(passMetadata.bundleVersion, forKey: Key.bundleVersion)
        coder.encodeReserved(passMetadata.systemVersion, forKey: Key.systemVersion)
        coder.encodeReserved(passMetadata.interfaceIdiom, forKey: Key.interfaceIdiom)
        if !isInUse { coder.encodeReserved(false, forKey: Key.isInUse) }
        if let snapshot {
            coder.encodeReserved(snapshot.text, forKey: Key.snapshot)
            coder.encodeReserved(snapshot.timestampMicroseconds, forKey: Key.snapshotTime)
        }
        if lastOperationNumbers != LastOperationNumbers() {
            coder.encodeReserved(lastOperationNumbers.clientIDs, forKey: Key.operationClients)
            coder.encodeReserved(
                lastOperationNumbers.operationNumbers, forKey: Key.operationNumbers)
        }
        if unclaimedFailedLaunchCounts.isEmpty { return }
        let pairs = unclaimedFailedLaunchCounts.sorted { $0.key.rawValue < $1.key.rawValue }
        coder.encodeReserved(pairs.map { [Int($0.key.rawValue), $0.value] }, forKey: Key.unclaimed)
    }
}

extension ReservedState {
    /// Reads the values from a scene's record.
    ///
    /// An unreadable value counts as missing, so that the rest of the state is still restored.
    init(reading coder: StateDecoder) {
        func value<Decoded: StateValue>(_ key: StaticString) -> Decoded? {
            Self.value(key, of: coder)
        }
        passMetadata = PassMetadata(
            bundleVersion: value(Key.bundleVersion) ?? "",
            timestamp: coder.passMetadata.timestampMicroseconds,
            systemVersion: value(Key.systemVersion) ?? "",
            interfaceIdiom: value(Key.interfaceIdiom) ?? "")
        isInUse = Self.isInUse(reading: coder)
        if let text: String = value(Key.snapshot), let time: Int64 = value(Key.snapshotTime) {
            snapshot = SceneSnapshot(text: text, timestamp: time)
        }
        lastOperationNumbers = LastOperationNumbers(
            clientIDs: value(Key.operationClients) ?? [],
            operationNumbers: value(Key.operationNumbers) ?? [])
        let pairs: [[Int]] = value(Key.unclaimed) ?? []
        for pair in pairs where pair.count == 2 {
            guard let number = UInt32(exactly: pair[0]) else { continue }
            unclaimedFailedLaunchCounts[RecordNumber(number)] = max(
                0, min(pair[1], SceneRecords.maximumRestorationAttempts))
        }
    }

    fileprivate static func isInUse(reading coder: StateDecoder) -> Bool {
        value(Key.isInUse, of: coder) ?? true
    }

    /// Returns whether an archive with the given names may contain closed scenes.
    package static func mayContainClosedScenes(names: NameTable) -> Bool {
        names.existingNumber(for: Key.isInUse) != nil
    }

    private static func value<Decoded: StateValue>(
        _ key: StaticString, of coder: StateDecoder
    ) -> Decoded? {
        do { return try coder.decode(Decoded.self, forKey: key) } catch { return nil }
    }
}

extension SavedScene {
    /// Returns the library's own values in the scene's record.
    package func reservedState(names: NameTable) -> ReservedState {
        ReservedState(reading: reservedDecoder(names: names))
    }

    /// Returns whether the next start of the application launches the scene (S3).
    package func isInUse(names: NameTable) -> Bool {
        ReservedState.isInUse(reading: reservedDecoder(names: names))
    }

    private func reservedDecoder(names: NameTable) -> StateDecoder {
        let passMetadata = PassMetadata(bundleVersion: "", timestamp: timestamp, systemVersion: "")
        let source = SharedDecoderData(
            names: names, passMetadata: passMetadata, path: { _ in "application state" },
            object: { _ in nil })
        return StateDecoder(source, number: number, values)
    }
}
