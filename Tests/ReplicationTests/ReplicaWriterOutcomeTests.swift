import Encryption
import ExactText
import SavedState
import SimulatedStore
import StateRecords
import TestSupport
import Testing

@testable import Replication

/// Tests of what a writer does after failed and lost writes, with a store in memory and a clock that the test advances.
@Suite(.timeLimit(.minutes(10))) struct ReplicaWriterOutcomeTests {
    private static let name = "org.example.Jobs"

    /// Writer of an application that the host owns.
    private struct ReplicatingHost {
        let keyspace = Keyspace(cluster: "test")
        let clock = SteppedClock()
        let store: ScriptedStore
        let writer: ReplicaWriter
        /// Requests for the complete state. Each of them was answered.
        let requests = AwaitableState<[ReplicaWriter.Request]>([])
        /// Progress after each change.
        let progress = AwaitableState<[ReplicaProgress]>([])
        /// Size of the change that follows the next answer to a request for the complete state, or `nil`.
        let followingByteCount = AwaitableState<Int?>(nil)
        private let createdWriter = AwaitableState<ReplicaWriter?>(nil)

        init(interval: Duration) async throws {
            store = ScriptedStore(clock: clock)
            let owner = StoreTransaction(if: [], then: [.put(keyspace.ownerKey(name), [])])
            let epoch = try await store.base.commit(owner).storeRevision
            writer = ReplicaWriter(
                ReplicaWriter.Epoch(bundleIdentifier: name, host: "a", number: UInt64(epoch)),
                in: keyspace, sealedBy: .none, by: store, interval: { interval },
                denialTimeout: .seconds(300), clock: clock,
                onProgress: { [createdWriter, progress] in
                    if let writer = createdWriter.state {
                        progress.change { $0.append(writer.progress) }
                    }
                },
                requestState: { [createdWriter, requests, followingByteCount] request in
                    requests.change { $0.append(request) }
                    createdWriter.state?.replace(with: record(10), turn: 100)
                    if let count = followingByteCount.change({ $0.take() }) {
                        createdWriter.state?.append(record(count), turn: 101)
                    }
                })
            createdWriter.change { [writer] in $0 = writer }
        }

        func forgetWriter() { createdWriter.change { $0 = nil } }

        func waitUntilComplete() async throws {
            try await waitUntil("all changes are replicated") { writer.progress.isComplete }
        }

        /// Keys of the application's state that each transaction has put, without the prefix of the application.
        var writtenKeys: [[String]] {
            let prefix = keyspace.applicationPrefix(name)
            return store.requests.state.map { request in
                guard case .commit(let transaction) = request else { return [] }
                return transaction.successOperations.compactMap { operation in
                    guard case .put(let key, _, _) = operation else { return nil }
                    return String(key.dropFirst(prefix.count))
                }
            }
        }

        /// Number of log entries that each transaction with log entries has completed.
        var logEntryCounts: [Int] {
            let counts = writtenKeys.map { keys in
                // The pieces of an entry have additional keys, which are longer.
                keys.count { $0.split(separator: "/").dropLast().last == "log" }
            }
            return counts.filter { $0 > 0 }
        }

        /// Deletes the last written entry of the log, as if the store had been restored from a backup.
        func deleteLastLogEntry() async throws {
            let states = keyspace.statesPrefix(name)
            let entries = try await store.base.range(KeyRange(states, to: states.endOfPrefix))
                .entries.filter { $0.key.contains("/log/") }
            try await store.write(try #require(entries.last).key, nil)
        }
    }

    /// Returns a record whose payload has this many bytes.
    private static func record(_ byteCount: Int) -> RecordList {
        RecordList(
            [RecordList.Span(type: .nothing, buffer: 0, start: 0, count: byteCount)],
            in: [UInt8](repeating: 0, count: byteCount))
    }

    /// Runs a body with a writer.
    ///
    /// - Parameter before: Called before the writer begins to write.
    private func withWriter(
        interval: Duration = .zero,
        before: (ReplicatingHost) async throws -> Void,
        _ body: (ReplicatingHost, Task<ReplicaWriter.StopReason, Never>) async throws -> Void
    ) async throws {
        let replication = try await ReplicatingHost(interval: interval)
        try await before(replication)
        let running = Task { await replication.writer.run(after: nil) }
        let result: Result<Void, any Error>
        do {
            try await body(replication, running)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        replication.writer.cancel()
        running.cancel()
        _ = await running.value
        replication.forgetWriter()
        try result.get()
    }

    /// Runs a body with a writer that has replicated a complete state and one turn.
    private func withLog(
        _ body: (ReplicatingHost, Task<ReplicaWriter.StopReason, Never>) async throws -> Void
    ) async throws {
        try await withWriter { replication async throws in
            replication.writer.replace(with: Self.record(10), turn: 1)
            replication.writer.append(Self.record(10), turn: 2)
        } _: { replication, running async throws in
            try await replication.waitUntilComplete()
            #expect(replication.logEntryCounts == [1])
            #expect(replication.requests.state == [])
            try await body(replication, running)
        }
    }

    @Test func `changes that are dropped right after the complete state require another request`()
        async throws
    {
        try await withWriter { replication async throws in
            replication.followingByteCount.change { $0 = 65 << 10 }
            replication.writer.append(Self.record(10), turn: 1)
        } _: { replication, _ async throws in
            try await replication.waitUntilComplete()
            #expect(replication.requests.state == [.state, .state])
        }
    }

    // MARK: Lost writes

    @Test(arguments: [true, false])
    func `a writer replicates everything again if the store lacks its last write`(
        isDocument: Bool
    ) async throws {
        try await withLog { replication, _ async throws in
            try await replication.deleteLastLogEntry()
            let count = replication.store.requests.state.count
            if isDocument {
                replication.writer.replaceDocument("notes", with: [1])
            } else {
                replication.writer.append(Self.record(10), turn: 3)
            }
            await replication.requests.wait { !$0.isEmpty }
            try await replication.waitUntilComplete()
            #expect(replication.requests.state == [.stateAndDocuments])
            let written = replication.writtenKeys.dropFirst(count).flatMap(\.self)
            #expect(written.count { $0.hasSuffix("/base") } == 1)
            // The next change needs no complete state.
            replication.writer.append(Self.record(10), turn: 101)
            try await replication.waitUntilComplete()
            #expect(replication.requests.state == [.stateAndDocuments])
        }
    }

    @Test func `a state that became current although the reply was lost is not written again`()
        async throws
    {
        let isLost = AwaitableState(false)
        try await withWriter { replication async throws in
            let key = replication.keyspace.currentStateKey(Self.name)
            replication.store.afterRequests { request in
                guard case .commit(let transaction) = request, transaction.puts(key) else {
                    return nil
                }
                return isLost.change { isLost in
                    defer { isLost = true }
                    return isLost
                } ? nil : .unavailable
            }
            replication.writer.replace(with: Self.record(10), turn: 1)
        } _: { replication, _ async throws in
            try await replication.clock.waitForSleep(.milliseconds(50))
            #expect(replication.writer.progress.failure == "the test")
            replication.clock.advance(by: .milliseconds(50))
            try await replication.waitUntilComplete()
            replication.writer.append(Self.record(10), turn: 2)
            try await replication.waitUntilComplete()
            #expect(replication.requests.state == [])
            #expect(replication.logEntryCounts == [1])
        }
    }

    @Test func `a writer stops if another writer has begun in the same epoch`() async throws {
        try await withLog { replication, running async throws in
            let key = replication.keyspace.currentStateKey(Self.name)
            let entry = try await replication.store.base.range(KeyRange(key)).entries.first
            let value = try #require(entry).value
            var current = try #require(CurrentState(value))
            #expect(current.writer == replication.writer.writerID)
            current.writer += 1
            try await replication.store.write(key, String(decoding: current.bytes, as: UTF8.self))
            replication.writer.append(Self.record(10), turn: 3)
            #expect(await running.value == .lost)
            #expect(replication.requests.state == [])
        }
    }

    @Test(arguments: [true, false])
    func `a writer stops if its host no longer owns the application`(hasOwner: Bool) async throws {
        try await withLog { replication, running async throws in
            let key = replication.keyspace.ownerKey(Self.name)
            try await replication.store.write(key, nil)
            if hasOwner { try await replication.store.write(key, #"{"host":"b"}"#) }
            replication.writer.append(Self.record(10), turn: 3)
            #expect(await running.value == .lost)
            #expect(replication.requests.state == [])
            #expect(!replication.writer.progress.isComplete)
        }
    }

    // MARK: Waiting

    @Test func `turns that are saved within the interval are written together`() async throws {
        try await withWriter(interval: .seconds(1)) { replication async throws in
            replication.writer.replace(with: Self.record(10), turn: 1)
        } _: { replication, _ async throws in
            // The complete state is written alone, so the turns of both intervals are written together.
            for turns in [2...4, 5...6] as [ClosedRange<UInt64>] {
                try await replication.clock.waitForSleep(.seconds(1))
                let count = replication.store.requests.state.count
                for turn in turns { replication.writer.append(Self.record(10), turn: turn) }
                #expect(replication.store.requests.state.count == count)
                replication.clock.advance(by: .seconds(1))
                try await waitUntil("a transaction was sent") {
                    replication.store.requests.state.count == count + 1
                }
            }
            try await replication.waitUntilComplete()
            #expect(replication.logEntryCounts == [1])
        }
    }

    /// Makes all writes of a writer wait until a signal.
    private func block(_ replication: ReplicatingHost, until signal: Signal) {
        replication.store.beforeRequests { _ in
            await signal.wait()
            return nil
        }
    }

    @Test func `a wait for complete replication ends after its limit`() async throws {
        let isReachable = Signal()
        try await withWriter { replication async throws in
            block(replication, until: isReachable)
            replication.writer.replace(with: Self.record(10), turn: 1)
        } _: { replication, _ async throws in
            let writer = replication.writer
            let waiting = Task { await writer.waitUntilComplete(within: .seconds(10)) }
            try await replication.clock.waitForSleep(.seconds(10))
            replication.clock.advance(by: .seconds(10))
            #expect(await !waiting.value)
            isReachable.send()
            #expect(await writer.waitUntilComplete(within: .seconds(10)))
        }
    }

    @Test func `a wait for complete replication ends when the writer stops`() async throws {
        let isReachable = Signal()
        try await withWriter { replication async throws in
            block(replication, until: isReachable)
            replication.writer.replace(with: Self.record(10), turn: 1)
        } _: { replication, running async throws in
            let writer = replication.writer
            let waiting = Task { await writer.waitUntilComplete(within: .seconds(10)) }
            try await replication.clock.waitForSleep(.seconds(10))
            writer.cancel()
            #expect(await !waiting.value)
            writer.append(Self.record(10), turn: 2)
            #expect(await !writer.waitUntilComplete(within: .seconds(10)))
            isReachable.send()
            #expect(await running.value == .cancelled)
        }
    }

    // MARK: Batches

    @Test func `nothing counts as replicated until all earlier documents are written`()
        async throws
    {
        try await withWriter { replication async throws in
            for number in 1...33 {
                replication.writer.replaceDocument("document \(number)", with: [1])
            }
            replication.writer.replace(with: Self.record(10), turn: 1)
        } _: { replication, _ async throws in
            await replication.progress.wait { $0.last?.isComplete == true }
            #expect(replication.progress.state.map(\.replicatedCount) == [0, 34])
        }
    }

    @Test func `records that a complete state contains no longer count as pending`()
        async throws
    {
        try await withWriter { replication async throws in
            for turn in [1, 3] as [UInt64] {
                replication.writer.replace(with: Self.record(10), turn: turn)
                replication.writer.append(Self.record(40_000), turn: turn + 1)
            }
        } _: { replication, _ async throws in
            try await replication.waitUntilComplete()
            #expect(replication.requests.state == [])
            #expect(replication.logEntryCounts == [1])
        }
    }

    @Test(arguments: [(0, [1]), (1, [1, 1])])
    func `turns with a total of up to 768 KiB share a transaction`(
        additionalBytes: Int, entryCounts: [Int]
    ) async throws {
        try await withWriter { replication async throws in
            replication.writer.replace(with: Self.record(400 << 10), turn: 1)
            replication.writer.append(Self.record(384 << 10), turn: 2)
            replication.writer.append(Self.record((384 << 10) + additionalBytes), turn: 3)
        } _: { replication, _ async throws in
            try await replication.waitUntilComplete()
            #expect(replication.requests.state == [])
            #expect(replication.logEntryCounts == entryCounts)
        }
    }

    @Test(arguments: [(0, [2]), (1, [1, 1])])
    func `values with a total of up to 768 KiB share a transaction`(
        additionalBytes: Int, documentCounts: [Int]
    ) async throws {
        try await withWriter { replication async throws in
            let header = ReplicatedValue.Header(
                host: "a", epoch: replication.writer.epoch.number, turn: 1, number: 1)
            let empty = ReplicatedValue.makeEntries("key", [], by: header, sealedBy: .none)
            let headerByteCount = try #require(empty.first).value.count
            let byteCount = (384 << 10) - headerByteCount
            for (number, additionalBytes) in [0, additionalBytes].enumerated() {
                replication.writer.replaceDocument(
                    "\(number)", with: [UInt8](repeating: 1, count: byteCount + additionalBytes))
            }
            replication.writer.replace(with: Self.record(10), turn: 1)
        } _: { replication, _ async throws in
            try await replication.waitUntilComplete()
            let counts = replication.writtenKeys.map { keys in
                keys.count { $0.hasPrefix("documents/") }
            }
            #expect(counts.filter { $0 > 0 } == documentCounts)
        }
    }

    // MARK: Stopping and progress

    /// Returns a writer of an application that the host owns, which never receives the complete state on request.
    private func writer(
        by store: ScriptedStore, clock: SteppedClock,
        onProgress: @escaping @Sendable () async -> Void = {},
        requestState: @escaping @Sendable () -> Void = {}
    ) async throws -> ReplicaWriter {
        let keyspace = Keyspace(cluster: "test")
        let owner = StoreTransaction(if: [], then: [.put(keyspace.ownerKey(Self.name), [])])
        let epoch = try await store.base.commit(owner).storeRevision
        return ReplicaWriter(
            ReplicaWriter.Epoch(bundleIdentifier: Self.name, host: "a", number: UInt64(epoch)),
            in: keyspace, sealedBy: .none, by: store, interval: { .zero },
            denialTimeout: .seconds(300), clock: clock, onProgress: onProgress,
            requestState: { _ in requestState() })
    }

    @Test func `a writer that is cancelled while it waits for the complete state stops`()
        async throws
    {
        let clock = SteppedClock()
        let requestCount = AwaitableState(0)
        let writer = try await writer(
            by: ScriptedStore(clock: clock), clock: clock,
            requestState: { requestCount.change { $0 += 1 } })
        writer.append(Self.record(10), turn: 1)
        async let end = writer.run(after: nil)
        await requestCount.wait { $0 == 1 }
        writer.cancel()
        #expect(await end == .cancelled)
        #expect(requestCount.state == 1)
    }

    @Test func `a wait for complete replication does not wait for the report of the progress`()
        async throws
    {
        let clock = SteppedClock()
        let isReported = Signal()
        let writer = try await writer(
            by: ScriptedStore(clock: clock), clock: clock,
            onProgress: { await isReported.wait() })
        writer.replace(with: Self.record(10), turn: 1)
        async let end = writer.run(after: nil)
        #expect(await writer.waitUntilComplete(within: .seconds(300)))
        isReported.send()
        writer.cancel()
        #expect(await end == .cancelled)
    }
}
