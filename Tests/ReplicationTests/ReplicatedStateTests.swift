#if Etcd
    import Encryption
    import ExactText
    import FoundationEssentials
    import NIOPosix
    import SavedState
    import SimulatedStore
    import StateRecords
    import TestSupport
    import Testing

    @testable import Replication

    /// Tests of reading state that another host has replicated.
    @Suite struct ReplicatedStateTests {
        private static let name = "org.example.Jobs"
        private static let keyspace = Keyspace(cluster: "test")

        /// Reads an application with these documents.
        ///
        /// - Returns: The documents that were read, and the number of range requests.
        private func read(
            _ documents: [(name: String, bytes: [UInt8])]
        ) async throws -> (documents: [ExactString: [UInt8]], requestCount: Int) {
            let current = CurrentState(id: "1", host: "a", epoch: 1, writer: 1)
            let base = ReplicaEncoder.begin(with: RecordList(), of: Self.name, turn: 0).bytes
            let header = ReplicatedValue.Header(host: "a", epoch: 1, turn: 0, number: 1)
            var entries = [(Self.keyspace.currentStateKey(Self.name), current.bytes)]
            entries += ReplicatedValue.makeEntries(
                Self.keyspace.baseKey(Self.name, "1"), base, by: header, sealedBy: .none)
            for document in documents {
                entries += ReplicatedValue.makeEntries(
                    Self.keyspace.documentsPrefix(Self.name) + document.name, document.bytes,
                    by: header,
                    sealedBy: .none)
            }
            let store = entries
            var result: (documents: [ExactString: [UInt8]], requestCount: Int)?
            try await StubEtcd.with(reply: { .body(rangeReply(to: $0, in: store)) }) { server in
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                let state = try await ReplicatedState.read(
                    of: Self.name, in: Self.keyspace, sealedBy: .none, by: client)
                await client.close()
                result = (try #require(state).contents.documents, server.requests.state.count)
            }
            return try #require(result)
        }

        @Test func `many small values are read in few requests`()
            async throws
        {
            let documents = (0..<5_000).map { ("\(10_000 + $0)", Array("\($0)".utf8)) }
            let read = try await read(documents)
            #expect(read.documents.count == documents.count)
            #expect(read.documents["14999"] == Array("4999".utf8))
            // One request for the key `current`, one for the state, ranges of 8, 16, … 512 keys, and four ranges of
            // 1,024 keys.
            #expect(read.requestCount == 13)
        }

        /// Returns a store that contains an empty state and these documents, each of which was written in its own
        /// epoch by its own write.
        private func store(
            _ documents: [(name: String, byteCount: Int, epoch: UInt64, number: Int)]
        ) async throws -> MemoryStore {
            let store = MemoryStore(on: QueueExecutor(), clock: ContinuousClock())
            let current = CurrentState(id: "1", host: "a", epoch: 1, writer: 1)
            let base = ReplicaEncoder.begin(with: RecordList(), of: Self.name, turn: 0).bytes
            let header = ReplicatedValue.Header(host: "a", epoch: 1, turn: 0, number: 1)
            var entries = [(key: Self.keyspace.currentStateKey(Self.name), value: current.bytes)]
            entries += ReplicatedValue.makeEntries(
                Self.keyspace.baseKey(Self.name, "1"), base, by: header, sealedBy: .none)
            for document in documents {
                let header = ReplicatedValue.Header(
                    host: "a", epoch: document.epoch, turn: 0, number: document.number)
                entries += ReplicatedValue.makeEntries(
                    Self.keyspace.documentsPrefix(Self.name) + document.name,
                    [UInt8](repeating: 1, count: document.byteCount), by: header, sealedBy: .none)
            }
            for entry in entries {
                _ = try await store.commit(
                    StoreTransaction(if: [], then: [.put(entry.key, entry.value)]))
            }
            return store
        }

        private func read(_ store: MemoryStore) async throws -> ReplicatedState? {
            try await ReplicatedState.read(
                of: Self.name, in: Self.keyspace, sealedBy: .none, by: store)
        }

        @Test(arguments: 0...2)
        func `a document with a missing piece is refused`(number: Int) async throws {
            let byteCount = 3 * ReplicatedValue.maximumBytes + 1
            let store = try await store([("notes", byteCount, 1, 2)])
            let complete = try #require(try await read(store))
            #expect(complete.contents.documents["notes"]?.count == byteCount)
            let key = Self.keyspace.documentsPrefix(Self.name) + "notes"
            let piece = "\(key)/0000000000000001-00000002/0000000\(number)"
            #expect(try await store.range(KeyRange(piece)).entries.count == 1)
            _ = try await store.commit(StoreTransaction(if: [], then: [.delete(piece)]))
            let error = await #expect(throws: UnusableReplica.self) { try await read(store) }
            #expect(error?.key == key)
            #expect(error?.reason == "a piece of it is missing")
        }

        @Test func `a later writer in an epoch continues with the highest number of a write`()
            async throws
        {
            var documents: [(name: String, byteCount: Int, epoch: UInt64, number: Int)] = [
                ("earlier", 1, 9, 100)
            ]
            for number in 2...30 { documents.append(("\(number)", 1, 1, number)) }
            let store = try await store(documents)
            let state = try #require(try await read(store))
            #expect(state.lastWriteNumber(in: 1) == 30)
            #expect(state.lastWriteNumber(in: 9) == 0)
        }

        @Test func `large values after many small values are all read`() async throws {
            let small = (0..<500).map { ("\(10_000 + $0)", [UInt8]()) }
            let large = (0..<40).map {
                ("\(20_000 + $0)", [UInt8](repeating: 1, count: ReplicatedValue.maximumBytes))
            }
            let read = try await read(small + large)
            #expect(read.documents.count == 540)
            #expect(read.documents.values.count { $0.count == ReplicatedValue.maximumBytes } == 40)
        }
    }

    /// Returns etcd's reply to a range request if etcd has these keys.
    private func rangeReply(
        to request: StubEtcd.Request, in store: [(key: String, value: [UInt8])]
    ) -> String {
        struct Range: Decodable {
            let key: Data
            let range_end: Data?
            let limit: String?
        }
        do {
            let range = try JSONDecoder().decode(Range.self, from: Data(request.body))
            let found = store.filter { key, _ in
                guard let end = range.range_end else { return key.utf8.elementsEqual(range.key) }
                return !key.utf8.lexicographicallyPrecedes(range.key)
                    && key.utf8.lexicographicallyPrecedes(end)
            }
            let page = found.prefix(range.limit.flatMap { Int($0) } ?? found.count)
            let kvs = page.map { key, value in
                let key = Data(key.utf8).base64EncodedString()
                return #"{"key":"\#(key)","value":"\#(Data(value).base64EncodedString())"}"#
            }
            return """
                {"header":{"revision":"9"},"more":\(page.count < found.count),\
                "kvs":[\(kvs.joined(separator: ","))]}
                """
        } catch {
            return "\(error)"
        }
    }
#endif
