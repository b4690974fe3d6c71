#if Etcd
    package import Encryption
    import ExactText
    package import SavedState

    /// The state of one application that etcd has.
    package struct ReplicatedState: Sendable {
        /// What an owner goes on from.
        package let contents: ReplicatedContents
        let current: CurrentState

        /// How much was put in a term, as far as this tells.
        func number(in term: UInt64) -> Int { term == contents.term ? lastNumber : 0 }

        private let lastNumber: Int

        /// How many keys one range reads. The fewest fit into a reply even if each of them has
        /// ``ReplicatedValue/mostBytes``; a log of small values needs more, since each range is a round trip through
        /// a quorum of etcd.
        private static let keysPerRange = (fewest: 8, most: 1024)
        /// A reply with fewer bytes of values than this is followed by a range of twice as many keys.
        private static let smallReply = 1 << 20

        /// Reads what is there; nil: nothing is. While its reader is the owner nobody changes it.
        package static func read(
            of bundleIdentifier: String, in keyspace: Keyspace, sealedBy keys: EncryptionKeys,
            by client: EtcdClient
        ) async throws -> ReplicatedState? {
            let key = EtcdRange(keyspace.current(bundleIdentifier))
            var found = try await client.range(key).entries.first
            while let current = found {
                do {
                    return try await read(
                        current, of: bundleIdentifier, in: keyspace, sealedBy: keys, by: client)
                } catch let error as UnusableReplica {
                    // What an earlier process had on its way may have put another state in its place meanwhile.
                    found = try await client.range(key).entries.first
                    if found?.bytes == current.bytes { throw error }
                }
            }
            return nil
        }

        private static func read(
            _ found: EtcdEntry, of bundleIdentifier: String, in keyspace: Keyspace,
            sealedBy keys: EncryptionKeys, by client: EtcdClient
        ) async throws -> ReplicatedState {
            let key = found.name
            guard let current = CurrentState(found.bytes) else {
                throw UnusableReplica(key: key, reason: "it is not a value of Reprise")
            }
            guard current.format <= CurrentState.version else {
                throw UnusableReplica(
                    key: key,
                    reason: "it is of the format \(current.format), and this program knows "
                        + "\(CurrentState.version): a newer version of Reprise wrote it")
            }
            var state = try await values(
                below: keyspace.state(bundleIdentifier, current.id), sealedBy: keys, by: client)
            guard var whole = state.removeValue(forKey: ExactString("base")) else {
                throw UnusableReplica(
                    key: keyspace.base(bundleIdentifier, current.id),
                    reason: "it, or a piece of it, is missing")
            }
            for (_, added) in state.sorted(by: { $0.key < $1.key }) {
                whole.bytes += added.bytes
                whole.line = added.line
            }
            switch ArchiveReader.read(whole.bytes, bundleIdentifier: bundleIdentifier) {
            case .whole: break
            case .newer(let version):
                throw UnusableReplica(
                    key: key,
                    reason:
                        "its archive is of version \(version): a newer version of Reprise wrote it")
            case .torn(_, let tail):
                throw UnusableReplica(key: key, reason: "its archive ends early: \(tail.reason)")
            case .damaged(let reason, let offset, _):
                throw UnusableReplica(
                    key: key, reason: "its archive is damaged at byte \(offset): \(reason)")
            }
            let documents = try await values(
                below: keyspace.documents(bundleIdentifier), sealedBy: keys, by: client)
            var contents = ReplicatedContents(
                archive: whole.bytes, documents: documents.mapValues(\.bytes),
                host: whole.line.host, term: whole.line.term, turn: whole.line.turn)
            contents.outdatedDocuments = Set(
                documents.filter { $0.value.line.sealed != keys.sealing?.id }.keys)
            return ReplicatedState(
                contents: contents, current: current,
                lastNumber: (documents.values.map(\.line) + [whole.line])
                    .filter { $0.term == whole.line.term }.map(\.number).max() ?? 0)
        }

        /// The reply to a range request; to one with the fewest keys if the reply would be too long.
        private static func reply(
            to range: EtcdRange, by client: EtcdClient
        ) async throws(EtcdError) -> EtcdRangeReply {
            do throws(EtcdError) {
                return try await client.range(range)
            } catch .replyTooLong {
                var fewest = range
                fewest.limit = EtcdNumber(Int64(keysPerRange.fewest))
                return try await client.range(fewest)
            }
        }

        /// The whole values of all keys with a prefix, by what follows it.
        private static func values(
            below prefix: String, sealedBy keys: EncryptionKeys, by client: EtcdClient
        ) async throws -> [ExactString: (line: ReplicatedValue.Line, bytes: [UInt8])] {
            var found: [ExactString: ReplicatedValue] = [:]
            var (next, revision) = (prefix, Int64(0))
            var limit = keysPerRange.fewest
            while true {
                let reply = try await self.reply(
                    to: EtcdRange(next, to: prefix.endOfPrefix, limit: limit, revision: revision),
                    by: client)
                if revision == 0 { revision = reply.storeRevision }
                let byteCount = reply.entries.reduce(0) { $0 + $1.bytes.count }
                limit =
                    byteCount < smallReply
                    ? min(2 * limit, keysPerRange.most) : keysPerRange.fewest
                for entry in reply.entries {
                    let name = String(entry.name.utf8.dropFirst(prefix.utf8.count)) ?? ""
                    do throws(ReplicatedValue.Unreadable) {
                        found[ExactString(name)] = try ReplicatedValue(
                            entry.bytes, at: entry.name, sealedBy: keys)
                    } catch {
                        throw UnusableReplica(key: entry.name, reason: error.reason)
                    }
                }
                guard reply.hasMore, let last = reply.entries.last else { break }
                guard !last.name.utf8.lexicographicallyPrecedes(next.utf8) else {
                    throw UnusableReplica(
                        key: last.name, reason: "the server returns it repeatedly")
                }
                next = last.name + "\0"
            }
            var whole: [ExactString: (line: ReplicatedValue.Line, bytes: [UInt8])] = [:]
            for (key, value) in found where !ReplicatedValue.isPiece(key.text) {
                let pieces = (0..<value.line.parts).map { number in
                    let name = value.line.pieces(of: key.text) + hexadecimal(UInt64(number), 8)
                    return found[ExactString(name)]?.bytes
                }
                guard !pieces.contains(where: { $0 == nil }) else {
                    throw UnusableReplica(
                        key: prefix + key.text, reason: "a piece of it is missing")
                }
                whole[key] = (value.line, pieces.flatMap { $0 ?? [] } + value.bytes)
            }
            return whole
        }
    }

    /// What is in etcd of an application cannot be used. Nothing there is changed.
    package struct UnusableReplica: Error, CustomStringConvertible {
        /// The key with which something is wrong.
        package let key: String
        /// What, a clause.
        package let reason: String

        /// One sentence, and what to do.
        package var description: String {
            "the value of \(key) in etcd cannot be used, and was not changed: \(reason). To "
                + "continue from the state of a host, list the keys with `etcdctl get --prefix`, "
                + "remove the keys of the application, and start that host"
        }
    }
#endif
