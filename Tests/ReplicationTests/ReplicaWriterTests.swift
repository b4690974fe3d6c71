#if Etcd
    import Encryption
    import ExactText
    import NIOHTTP1
    import NIOPosix
    @testable import Replication
    import SavedState
    import SimulatedStore
    import StateRecords
    import TestSupport
    import Testing

    @Suite(.timeLimit(.minutes(10))) struct ReplicaWriterTests {
        private static let name = "org.example.Jobs"

        /// Runs a body with a writer, which publishes a whole state whenever the writer needs one.
        ///
        /// - Parameter before: Called before the writer begins to write.
        private func withWriter(
            whole: RecordList, on server: StubEtcd, before: (ReplicaWriter) -> Void = { _ in },
            _ body: (ReplicaWriter) async throws -> Void
        ) async throws {
            let client = try EtcdClient(
                [server.endpoint], within: .seconds(300), on: server.group.next())
            let createdWriter = AwaitableState<ReplicaWriter?>(nil)
            let writer = writer(by: client) { createdWriter.state?.replace(with: whole, turn: 1) }
            createdWriter.change { $0 = writer }
            before(writer)
            async let end = writer.run(after: nil)
            let result: Result<Void, any Error>
            do {
                try await body(writer)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            writer.cancel()
            _ = await end
            createdWriter.change { $0 = nil }
            await client.close()
            try result.get()
        }

        private func writer(
            by client: EtcdClient, denialTimeout: Duration = .seconds(300),
            requestState: @escaping @Sendable () -> Void = {}
        ) -> ReplicaWriter {
            ReplicaWriter(
                ReplicaWriter.Epoch(bundleIdentifier: Self.name, host: "a", number: 2),
                in: Keyspace(cluster: "test"), sealedBy: .none, by: client, interval: { .zero },
                denialTimeout: denialTimeout, clock: ContinuousClock(), onProgress: {},
                requestState: { _ in requestState() })
        }

        /// Returns a record whose payload has this many bytes.
        private static func record(_ byteCount: Int) -> RecordList {
            RecordList(
                [RecordList.Span(type: .nothing, buffer: 0, start: 0, count: byteCount)],
                in: [UInt8](repeating: 0, count: byteCount))
        }

        /// Returns the parts of the state that a server received, in order. A part is `base` or the number of a turn.
        private static func states(on server: StubEtcd) -> [String] {
            server.requests.state.flatMap(\.puts).compactMap { put in
                if put.name.hasSuffix("/base") { return "base" }
                let parts = put.name.split(separator: "/")
                guard parts.dropLast().last == "log",
                    let turn = parts.last?.split(separator: "-").last
                else { return nil }
                return Int(turn, radix: 16).map(String.init)
            }
        }

        @Test(arguments: [1000, 600_000])
        func `a log longer than 1 MiB and twice the whole state is replaced by a whole state`(
            byteCount: Int
        ) async throws {
            let whole = Self.record(byteCount)
            var chain = ReplicaEncoder.begin(with: whole, of: Self.name, turn: 1).chain
            let limit = max(1 << 20, 2 * chain.baseByteCount)
            _ = chain.append(Self.record(0))
            // Each entry of the log counts as a kilobyte more than its bytes.
            let frame = chain.addedByteCount + 1024
            var sizes: [Int] = []
            while sizes.reduce(0, +) < limit {
                let remaining = limit - sizes.reduce(0, +)
                sizes.append(remaining > 60_000 ? 30_000 : remaining)
            }
            try await StubEtcd.with { server in
                try await withWriter(whole: whole, on: server) { writer in
                    // The first turn requests the whole state, one more turn exceeds the limit, and the last turn
                    // requests the whole state again.
                    let turns = [frame] + sizes + [frame, frame]
                    for (turn, size) in turns.enumerated() {
                        writer.append(Self.record(size - frame), turn: UInt64(turn))
                        #expect(await writer.waitUntilComplete(within: .seconds(300)))
                    }
                    let added = (1...sizes.count + 1).map(String.init)
                    #expect(Self.states(on: server) == ["base"] + added + ["base"])
                }
            }
        }

        @Test
        func `a writer gives up if etcd denies every write, but not if etcd is unavailable`()
            async throws
        {
            for (status, end) in [(403, true), (503, false)] {
                let attempts = AwaitableState(0)
                try await StubEtcd.with { request in
                    guard !request.puts.isEmpty else { return nil }
                    let count = attempts.change { count in
                        count += 1
                        return count
                    }
                    return count < 4
                        ? .response(
                            HTTPResponseStatus(statusCode: status),
                            #"{"code":\#(status == 403 ? 7 : 14),"message":"no"}"#) : nil
                } _: { server in
                    let client = try EtcdClient(
                        [server.endpoint], within: .seconds(300), on: server.group.next())
                    let writer = writer(by: client, denialTimeout: .milliseconds(100))
                    writer.replace(with: Self.record(1), turn: 1)
                    async let ended = writer.run(after: nil)
                    if end {
                        guard case .denied(let error) = await ended, error.kind == .denied else {
                            Issue.record("the writer did not give up")
                            return
                        }
                    } else {
                        #expect(await writer.waitUntilComplete(within: .seconds(300)))
                        writer.cancel()
                        #expect(await ended == .cancelled)
                    }
                    await client.close()
                }
            }
        }

        @Test func `turns are combined up to a size of 768 KiB`() async throws {
            let whole = Self.record(400 << 10)
            try await StubEtcd.with { server in
                try await withWriter(
                    whole: whole, on: server,
                    before: { writer in
                        writer.replace(with: whole, turn: 1)
                        for (turn, kibibytes) in [(2, 384), (3, 384), (4, 1)] {
                            writer.append(Self.record(kibibytes << 10), turn: UInt64(turn))
                        }
                    }
                ) { writer in
                    #expect(await writer.waitUntilComplete(within: .seconds(300)))
                    #expect(Self.states(on: server) == ["base", "3", "4"])
                }
            }
        }

        @Test(arguments: [1, 32, 33, 64, 65, 100])
        func `documents are written before the state in transactions of limited size`(
            count: Int
        ) async throws {
            let names = (1...count).map { "document \($0)" }
            try await StubEtcd.with { server in
                try await withWriter(
                    whole: Self.record(10), on: server,
                    before: { writer in
                        for (index, name) in names.enumerated() {
                            writer.replaceDocument(name, with: [UInt8(index)])
                        }
                        writer.replace(with: Self.record(10), turn: 1)
                    }
                ) { writer in
                    #expect(await writer.waitUntilComplete(within: .seconds(300)))
                    let transactions = server.requests.state.map(\.puts).filter { !$0.isEmpty }
                    let documents = transactions.map { puts in
                        puts.map(\.name).filter { $0.contains("/documents/") }
                    }
                    #expect(documents.flatMap(\.self).count == count)
                    #expect(Set(documents.flatMap(\.self)).count == count)
                    #expect(transactions.allSatisfy { $0.count <= 64 })
                    // Batches of 32 documents. Only the last batch also contains the state.
                    let sizes = documents.map(\.count).filter { $0 > 0 }
                    let expected = stride(from: 0, to: count, by: 32).map { min(32, count - $0) }
                    #expect(sizes == expected)
                    let last = documents.lastIndex { !$0.isEmpty } ?? 0
                    let base = transactions.firstIndex {
                        $0.contains { $0.name.hasSuffix("/base") }
                    }
                    let state = try #require(base)
                    #expect(state >= last)
                }
            }
        }

        @Test func `large writes of one step are split into several transactions`() async throws {
            try await StubEtcd.with { server in
                try await withWriter(
                    whole: Self.record(10), on: server,
                    before: { writer in
                        for number in 1...4 {
                            writer.replaceDocument(
                                "document \(number)",
                                with: [UInt8](repeating: UInt8(number), count: 300 << 10))
                        }
                        writer.replace(with: Self.record(10), turn: 1)
                    }
                ) { writer in
                    #expect(await writer.waitUntilComplete(within: .seconds(300)))
                    let sizes = server.requests.state.map { request in
                        request.puts.filter { $0.name.contains("/documents/") }.count
                    }
                    #expect(sizes.filter { $0 > 0 } == [2, 2])
                }
            }
        }

        /// Clock that records the length of each sleep, and on which no time passes.
        private final class RecordingClock: Clock {
            let now = ContinuousClock.now
            let minimumResolution = Duration.nanoseconds(1)
            let sleeps = AwaitableState<[Duration]>([])

            func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
                sleeps.change { $0.append(now.duration(to: deadline)) }
                await Task.yield()
            }
        }

        /// Runs a writer of an application that the host owns, with a store in memory.
        ///
        /// - Parameter before: Called before the writer begins to write.
        /// - Returns: The reason why the writer ended, its progress after each change, and the number of times that it
        ///   needed the whole state.
        private func run(
            on store: FaultyStore, clock: RecordingClock, denialTimeout: Duration = .seconds(300),
            whole: RecordList = record(10), before: (ReplicaWriter) -> Void
        ) async throws -> (
            end: ReplicaWriter.StopReason, progress: [ReplicaProgress], requests: Int
        ) {
            let keyspace = Keyspace(cluster: "test")
            let owner = StoreTransaction(if: [], then: [.put(keyspace.ownerKey(Self.name), [])])
            let epoch = try await store.base.commit(owner).storeRevision
            let createdWriter = AwaitableState<ReplicaWriter?>(nil)
            let progress = AwaitableState<[ReplicaProgress]>([])
            let requests = AwaitableState(0)
            let writer = ReplicaWriter(
                ReplicaWriter.Epoch(bundleIdentifier: Self.name, host: "a", number: UInt64(epoch)),
                in: keyspace, sealedBy: .none, by: store, interval: { .zero },
                denialTimeout: denialTimeout,
                clock: clock,
                onProgress: {
                    if let writer = createdWriter.state {
                        progress.change { $0.append(writer.progress) }
                    }
                },
                requestState: { _ in
                    requests.change { $0 += 1 }
                    createdWriter.state?.replace(with: whole, turn: 9)
                })
            createdWriter.change { $0 = writer }
            before(writer)
            async let end = writer.run(after: nil)
            await progress.wait { $0.last?.isComplete == true }
            writer.cancel()
            let result = (await end, progress.state, requests.state)
            createdWriter.change { $0 = nil }
            return result
        }

        @Test func `a failed write is reported and retried with delays that grow up to a limit`()
            async throws
        {
            let (store, clock) = (FaultyStore(), RecordingClock())
            await store.fail(Array(repeating: .unavailable, count: 7))
            let result = try await run(on: store, clock: clock) {
                $0.replace(with: Self.record(10), turn: 1)
            }
            #expect(result.progress.count == 8)
            #expect(result.progress.dropLast().allSatisfy { $0.failure == "the test" })
            #expect(result.progress.dropLast().allSatisfy { !$0.isComplete })
            #expect(result.progress.last?.failure == nil)
            let delays: [Duration] = [50, 100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) }
            #expect(clock.sleeps.state == delays)
            #expect(result.end == .cancelled)
        }

        @Test func `a writer gives up if every write is denied for longer than the timeout`()
            async throws
        {
            let store = FaultyStore()
            let clock = RecordingClock()
            let kinds: [StoreError.Kind] =
                Array(repeating: .denied, count: 4) + [.unavailable]
                + Array(repeating: .denied, count: 9)
            await store.fail(kinds)
            let keyspace = Keyspace(cluster: "test")
            let writer = ReplicaWriter(
                ReplicaWriter.Epoch(bundleIdentifier: Self.name, host: "a", number: 2),
                in: keyspace, sealedBy: .none, by: store, interval: { .zero },
                denialTimeout: .seconds(1), clock: clock, onProgress: {}, requestState: { _ in })
            writer.replace(with: Self.record(10), turn: 1)
            #expect(await writer.run(after: nil) == .denied(StoreError(.denied, "the test")))
            // Writes are denied for 0.75 s, then permitted, then denied for 1 s and for 2 s.
            #expect(await store.transactions.count == 7)
            let delays: [Duration] = [50, 100, 200, 400, 800, 1000].map { .milliseconds($0) }
            #expect(clock.sleeps.state == delays)
        }

        @Test(
            arguments: [
                (10, [65_536], 0), (10, [65_536, 1], 1), (100_000, [70_000, 70_000, 60_000], 0),
                (100_000, [70_000, 70_000, 60_001], 1), (9_000_000, [16_777_216], 0),
                (9_000_000, [16_777_216, 1], 1),
            ] as [(Int, [Int], Int)])
        func `pending records are limited to twice the whole state, between 64 KiB and 16 MiB`(
            whole: Int, pending: [Int], requests: Int
        ) async throws {
            let whole = Self.record(whole)
            let result = try await run(on: FaultyStore(), clock: RecordingClock(), whole: whole) {
                $0.replace(with: whole, turn: 1)
                for (turn, count) in pending.enumerated() {
                    $0.append(Self.record(count), turn: UInt64(turn + 2))
                }
            }
            #expect(result.requests == requests)
        }

        /// Records that end a pass without changing anything.
        private static var emptyPass: RecordList {
            var records = RecordList()
            records.encode(.nothing) { _ in }
            records.endPass(PassEnd())
            return records
        }

        @Test func `a host reads the state that a writer replicated, but refuses incomplete state`()
            async throws
        {
            let store = FaultyStore()
            let documents: [(name: String, bytes: [UInt8])] = [
                ("small", [7]),
                ("large", (0..<300_000).map { UInt8(truncatingIfNeeded: $0 >> 8) }),
            ]
            _ = try await run(on: store, clock: RecordingClock()) { writer in
                for document in documents {
                    writer.replaceDocument(document.name, with: document.bytes)
                }
                writer.replace(with: Self.emptyPass, turn: 1)
                for turn in [2, 3] as [UInt64] { writer.append(Self.emptyPass, turn: turn) }
            }
            let keyspace = Keyspace(cluster: "test")
            func read(_ keys: EncryptionKeys = .none) async throws -> ReplicatedState? {
                try await ReplicatedState.read(
                    of: Self.name, in: keyspace, sealedBy: keys, by: store)
            }
            func reason() async -> String? {
                do {
                    _ = try await read()
                    return nil
                } catch {
                    return (error as? UnusableReplica)?.reason
                }
            }
            let state = try #require(try await read())
            let owner = KeyRange(keyspace.ownerKey(Self.name))
            let epoch = try #require(try await store.range(owner).entries.first?.createRevision)
            #expect(state.contents.host == "a")
            #expect(state.contents.epoch == UInt64(epoch))
            #expect(state.contents.turn == 3)
            #expect(state.contents.lineage?.writer == state.currentState.writer)
            #expect(state.contents.documents.count == 2)
            for document in documents {
                #expect(state.contents.documents[ExactString(document.name)] == document.bytes)
            }
            #expect(state.contents.outdatedDocumentNames == [])
            #expect(state.lastWriteNumber(in: UInt64(epoch)) > 0)
            #expect(state.lastWriteNumber(in: UInt64(epoch) + 1) == 0)
            let keys = EncryptionKeys(sealing: try EncryptionKey(Array(0..<32)))
            #expect(
                try await read(keys)?.contents.outdatedDocumentNames
                    == Set(["small", "large"].map { ExactString($0) }))

            func write(_ operation: StoreOperation) async throws {
                _ = try await store.base.commit(StoreTransaction(if: [], then: [operation]))
            }
            let base = keyspace.baseKey(Self.name, state.currentState.id)
            try await write(.delete(base))
            #expect(await reason() == "it is missing, completely or in part")
            let current = keyspace.currentStateKey(Self.name)
            let newer = #"{"format":3,"id":"x","host":"a","term":1,"writer":2}"#
            try await write(.put(current, Array(newer.utf8)))
            #expect(await reason()?.hasPrefix("it has format 3") == true)
            try await write(.put(current, [1]))
            #expect(await reason() == "it was not written by Reprise")
            try await write(.delete(current))
            let none = try await read()
            #expect(none == nil)
        }
    }
#endif
