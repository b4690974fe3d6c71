package import Encryption
import ExactText
package import SavedState

/// An application's state in the store.
package struct ReplicatedState: Sendable {
    /// Contents from which a new owner continues.
    package let contents: ReplicatedContents
    let currentState: CurrentState

    /// Returns the number of the last write in an epoch, or 0 if the state was last written in a different epoch.
    func lastWriteNumber(in epoch: UInt64) -> Int { epoch == contents.epoch ? lastWriteNumber : 0 }

    private let lastWriteNumber: Int

    /// Minimum and maximum number of keys that a single range request reads.
    ///
    /// The minimum number of values fits into a reply even if each value has the maximum size. If the values are small,
    /// as in a log, more keys are read at a time, because each request is a round trip through a quorum of the store's
    /// servers.
    private static let keysPerRange = (minimum: 8, maximum: 1024)
    /// Size in bytes below which a reply counts as small, so that the next request reads twice as many keys.
    private static let smallReplyBytes = 1 << 20

    /// Reads an application's replicated state, or returns `nil` if there is no state.
    ///
    /// No other host changes the state as long as the reader owns the application.
    package static func read(
        of bundleIdentifier: String, in keyspace: Keyspace, sealedBy keys: EncryptionKeys,
        by store: any ClusterStore
    ) async throws -> ReplicatedState? {
        let key = KeyRange(keyspace.currentStateKey(bundleIdentifier))
        var entry = try await store.range(key).entries.first
        while let currentEntry = entry {
            do {
                return try await read(
                    currentEntry, of: bundleIdentifier, in: keyspace, sealedBy: keys, by: store)
            } catch let error as UnusableReplica {
                // A transaction of an earlier process may have replaced the state while it was being read.
                entry = try await store.range(key).entries.first
                if entry?.value == currentEntry.value { throw error }
            }
        }
        return nil
    }

    private static func read(
        _ entry: KeyEntry, of bundleIdentifier: String, in keyspace: Keyspace,
        sealedBy keys: EncryptionKeys, by store: any ClusterStore
    ) async throws -> ReplicatedState {
        let key = entry.key
        guard let currentState = CurrentState(entry.value) else {
            throw UnusableReplica(key: key, reason: "it was not written by Reprise")
        }
        guard currentState.format <= CurrentState.version else {
            throw UnusableReplica(
                key: key,
                reason: "it has format \(currentState.format), but this program supports format "
                    + "\(CurrentState.version): a newer version of Reprise wrote it")
        }
        var stateValues = try await values(
            below: keyspace.statePrefix(bundleIdentifier, currentState.id), sealedBy: keys,
            by: store)
        guard var completeValue = stateValues.removeValue(forKey: ExactString("base")) else {
            throw UnusableReplica(
                key: keyspace.baseKey(bundleIdentifier, currentState.id),
                reason: "it is missing, completely or in part")
        }
        let lineage = stateValues.removeValue(forKey: ExactString("lineage"))
        for (_, addedValue) in stateValues.sorted(by: { $0.key < $1.key }) {
            completeValue.bytes += addedValue.bytes
            completeValue.header = addedValue.header
        }
        if let defect = defect(ofArchive: completeValue.bytes, bundleIdentifier) {
            throw UnusableReplica(key: key, reason: defect)
        }
        let documents = try await values(
            below: keyspace.documentsPrefix(bundleIdentifier), sealedBy: keys, by: store)
        var contents = ReplicatedContents(
            archive: completeValue.bytes, documents: documents.mapValues(\.bytes),
            host: completeValue.header.host, epoch: completeValue.header.epoch,
            turn: completeValue.header.turn)
        contents.lineage = lineage.flatMap {
            Lineage(String(decoding: $0.bytes, as: UTF8.self))
        }
        contents.outdatedDocumentNames = Set(
            documents.filter { $0.value.header.sealed != keys.sealingKey?.id }.keys)
        return ReplicatedState(
            contents: contents, currentState: currentState,
            lastWriteNumber: (documents.values.map(\.header) + [completeValue.header])
                .filter { $0.epoch == completeValue.header.epoch }.map(\.number).max() ?? 0)
    }

    /// Returns the reason why a replicated archive cannot be used, or `nil` if it can.
    private static func defect(ofArchive bytes: [UInt8], _ bundleIdentifier: String) -> String? {
        switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
        case .whole: nil
        case .newer(let version):
            "its archive has format version \(version): a newer version of Reprise wrote it"
        case .torn(_, let tail): "its archive ends early: \(tail.reason)"
        case .damaged(let reason, let offset, _):
            "its archive is damaged at byte \(offset): \(reason)"
        }
    }

    /// Sends a range request, and repeats it with the minimum number of keys if the reply is too long.
    private static func readRange(
        _ range: KeyRange, by store: any ClusterStore
    ) async throws(StoreError) -> RangeReply {
        do throws(StoreError) {
            return try await store.range(range)
        } catch  where error.kind == .replyTooLong {
            var shorterRange = range
            shorterRange.limit = keysPerRange.minimum
            return try await store.range(shorterRange)
        }
    }

    /// Returns the complete values of all keys with a prefix, keyed by the part of each key that follows the prefix.
    private static func values(
        below prefix: String, sealedBy keys: EncryptionKeys, by store: any ClusterStore
    ) async throws -> [ExactString: (header: ReplicatedValue.Header, bytes: [UInt8])] {
        var foundValues: [ExactString: ReplicatedValue] = [:]
        var (nextKey, revision) = (prefix, Int64?.none)
        var limit = keysPerRange.minimum
        while true {
            let reply = try await readRange(
                KeyRange(nextKey, to: prefix.endOfPrefix, limit: limit, revision: revision),
                by: store)
            revision = revision ?? reply.storeRevision
            let byteCount = reply.entries.reduce(0) { $0 + $1.value.count }
            limit =
                byteCount < smallReplyBytes
                ? min(2 * limit, keysPerRange.maximum) : keysPerRange.minimum
            for entry in reply.entries {
                let name = String(entry.key.utf8.dropFirst(prefix.utf8.count)) ?? ""
                do throws(ReplicatedValue.UnreadableValue) {
                    foundValues[ExactString(name)] = try ReplicatedValue(
                        entry.value, at: entry.key, sealedBy: keys)
                } catch {
                    throw UnusableReplica(key: entry.key, reason: error.reason)
                }
            }
            guard reply.hasMore, let lastEntry = reply.entries.last else { break }
            guard !lastEntry.key.utf8.lexicographicallyPrecedes(nextKey.utf8) else {
                throw UnusableReplica(
                    key: lastEntry.key, reason: "the server returns it repeatedly")
            }
            nextKey = lastEntry.key + "\0"
        }
        var completeValues: [ExactString: (header: ReplicatedValue.Header, bytes: [UInt8])] = [:]
        for (key, value) in foundValues where !ReplicatedValue.isPiece(key.text) {
            let pieces = (0..<value.header.parts).map { number in
                let name = value.header.piecePrefix(of: key.text) + hexadecimal(UInt64(number), 8)
                return foundValues[ExactString(name)]?.bytes
            }
            guard !pieces.contains(where: { $0 == nil }) else {
                throw UnusableReplica(
                    key: prefix + key.text, reason: "a piece of it is missing")
            }
            completeValues[key] = (value.header, pieces.flatMap { $0 ?? [] } + value.bytes)
        }
        return completeValues
    }
}

/// Error for a replicated state that cannot be used.
///
/// The state in the store remains unchanged.
package struct UnusableReplica: Error, CustomStringConvertible {
    /// Key of the value that cannot be used.
    package let key: String
    /// Phrase that says why the value cannot be used.
    package let reason: String

    /// Description of the problem and the remedy.
    package var description: String {
        "the value of \(key) in etcd cannot be used, and was not changed: \(reason). To "
            + "continue from the state of a host, list the keys with `etcdctl get --prefix`, "
            + "remove the keys of the application, and start that host"
    }
}
