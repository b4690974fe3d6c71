import Dispatch
import ExactText
import Replication
import SimulatedStore
import Synchronization
import TestSupport
import Testing

#if Etcd
    import NIOPosix
#endif

/// Tests of the guarantees of each implementation of ``ClusterStore``.
///
/// To test a new implementation, add it to ``Engine``.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StoreConformanceTests {
    /// Implementation of a store.
    enum Engine: CaseIterable {
        case memory
        #if Etcd
            case etcd
        #endif

        /// Calls a body with an empty store.
        func with(_ body: @Sendable @escaping (any ClusterStore) async throws -> Void) async throws
        {
            try await with { store, _ in try await body(store) }
        }

        /// Calls a body with an empty store, and with a function that makes the store full.
        func with(
            _ body:
                @Sendable @escaping (
                    any ClusterStore, @Sendable @escaping () async throws -> Void
                ) async throws -> Void
        ) async throws {
            switch self {
            case .memory:
                let queue = QueueExecutor()
                let store = MemoryStore(on: queue, clock: ContinuousClock())
                let running = Task { await store.run() }
                defer { running.cancel() }
                try await body(store) { await store.setFull(true) }
            #if Etcd
                case .etcd:
                    try await EtcdServer.with(quota: 32 << 20) { server in
                        let client = server.client
                        try await body(client) { try await fill(client) }
                    }
            #endif
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a key keeps its create revision until it is deleted`(engine: Engine) async throws {
        try await engine.with { store in
            let create = StoreTransaction(
                if: [.createRevision(of: "k", is: 0)],
                then: [.put("k", [1]), .range(KeyRange("k"))], otherwise: [.range(KeyRange("k"))])
            let first = try await store.commit(create)
            #expect(first.succeeded)
            let entry = try #require(first.entries.first)
            #expect(entry.createRevision == first.storeRevision)
            #expect(entry.modRevision == first.storeRevision)

            let again = try await store.commit(create)
            #expect(!again.succeeded)
            #expect(again.entries == [entry])
            // A transaction that changes nothing does not create a revision.
            #expect(again.storeRevision == first.storeRevision)

            let update = try await store.commit(
                StoreTransaction(
                    if: [.createRevision(of: "k", is: entry.createRevision)],
                    then: [.put("k", [2]), .range(KeyRange("k"))]))
            let updated = try #require(update.entries.first)
            #expect(updated.createRevision == entry.createRevision)
            #expect(updated.modRevision > entry.modRevision)
            #expect(updated.value == [2])
            for (revision, isExpected) in [
                (entry.modRevision, false), (updated.modRevision, true), (0, false),
            ] {
                let reply = try await store.commit(
                    StoreTransaction(if: [.modRevision(of: "k", is: revision)], then: []))
                #expect(reply.succeeded == isExpected)
            }

            let deletion = try await store.commit(StoreTransaction(if: [], then: [.delete("k")]))
            #expect(deletion.storeRevision > update.storeRevision)
            let recreated = try await store.commit(create)
            #expect(recreated.succeeded)
            #expect(try #require(recreated.entries.first).createRevision > updated.modRevision)
        }
    }

    @Test(arguments: Engine.allCases)
    func `conditions compare existence and bytes`(engine: Engine) async throws {
        try await engine.with { store in
            func holds(_ condition: StoreCondition) async throws -> Bool {
                try await store.commit(StoreTransaction(if: [condition], then: [])).succeeded
            }
            _ = try await store.commit(StoreTransaction(if: [], then: [.put("k", [0xC3, 0xA9])]))
            #expect(try await holds(.exists("k")))
            #expect(try await !holds(.exists("l")))
            #expect(try await holds(.value(of: "k", is: [0xC3, 0xA9])))
            #expect(try await !holds(.value(of: "k", is: [0x65, 0xCC, 0x81])))
            #expect(try await !holds(.value(of: "l", is: [])))
            #expect(try await holds(.createRevision(of: "l", is: 0)))
        }
    }

    @Test(arguments: Engine.allCases)
    func `the operations of a transaction are executed in order, or not at all`(
        engine: Engine
    ) async throws {
        try await engine.with { store in
            _ = try await store.commit(
                StoreTransaction(if: [], then: [.put("a1", [1]), .put("a2", [2]), .put("b", [3])]))
            let reply = try await store.commit(
                StoreTransaction(
                    if: [],
                    then: [
                        .range(KeyRange("a", to: "b")), .delete("a", to: "b"), .put("c", [4]),
                        .range(KeyRange("a", to: "d")),
                    ]))
            #expect(reply.entries.map(\.key) == ["a1", "a2", "b", "c"])
            #expect(reply.entries.last?.modRevision == reply.storeRevision)

            let twice = StoreTransaction(if: [], then: [.put("x", [1]), .put("x", [2])])
            await #expect(throws: StoreError.self) { try await store.commit(twice) }
            let found = try await store.range(KeyRange("x"))
            #expect(found.entries.isEmpty)
            #expect(found.storeRevision == reply.storeRevision)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a branch that puts a key twice or deletes it too is refused, even if not executed`(
        engine: Engine
    ) async throws {
        try await engine.with { store in
            let branches: [[StoreOperation]] = [
                [.delete("a", to: "c"), .put("b", [1])], [.put("b", [1]), .delete("a", to: "c")],
                [.delete("b"), .put("b", [1])], [.put("b", [1]), .put("b", [2])],
            ]
            for branch in branches {
                for transaction in [
                    StoreTransaction(if: [], then: branch),
                    StoreTransaction(if: [], then: [], otherwise: branch),
                ] {
                    await #expect(throws: StoreError.self) { try await store.commit(transaction) }
                }
            }
            let outside: [StoreOperation] = [.delete("a", to: "b"), .put("b", [1]), .put("a/", [])]
            await #expect(throws: StoreError.self) {
                try await store.commit(StoreTransaction(if: [], then: outside))
            }
            _ = try await store.commit(
                StoreTransaction(if: [], then: Array(outside.dropLast())))
        }
    }

    @Test(arguments: Engine.allCases)
    func `a transaction that exceeds the maximum size is refused`(
        engine: Engine
    ) async throws {
        try await engine.with { store in
            func puts(_ count: Int, of byteCount: Int) -> StoreTransaction {
                StoreTransaction(
                    if: [],
                    then: (0..<count).map {
                        .put("k\($0)", [UInt8](repeating: 0x61, count: byteCount))
                    })
            }
            for permitted in [puts(64, of: 1), puts(2, of: 512 << 10)] {
                let reply = try await store.commit(permitted)
                #expect(reply.succeeded)
            }
            for (count, byteCount) in [(129, 1), (3, (512 << 10) + 1)] {
                let large = puts(count, of: byteCount)
                let commit = await kind { () throws(StoreError) in
                    _ = try await store.commit(large)
                }
                #expect(commit == .refused)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a revision that the store does not have cannot be read`(engine: Engine) async throws {
        try await engine.with { store in
            let reply = try await store.commit(StoreTransaction(if: [], then: [.put("k", [])]))
            let read = await kind { () throws(StoreError) in
                _ = try await store.range(KeyRange("k", revision: reply.storeRevision + 10))
            }
            #expect(read == .compacted)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a full store renews leases and deletes keys but refuses new data`(
        engine: Engine
    ) async throws {
        try await engine.with { store, fill in
            let lease = try await store.grantLease(.seconds(60))
            _ = try await store.commit(
                StoreTransaction(
                    if: [], then: [.put("k", []), .put("l", []), .put("m", [], lease: lease)]))
            try await fill()
            for full in [
                StoreTransaction(if: [], then: [.put("k", [1])]),
                StoreTransaction(if: [.exists("k")], then: [], otherwise: [.put("k", [1])]),
                StoreTransaction(if: [], then: [.delete("l"), .put("k", [1])]),
            ] {
                let commit = await kind { () throws(StoreError) in
                    _ = try await store.commit(full)
                }
                #expect(commit == .full)
            }
            let grant = await kind { () throws(StoreError) in
                _ = try await store.grantLease(.seconds(60))
            }
            #expect(grant == .full)
            #expect(try await store.keepAlive(lease: lease, within: .seconds(20)) != nil)
            _ = try await store.commit(StoreTransaction(if: [], then: [.delete("k")]))
            try await store.revoke(lease: lease)
            #expect(try await store.range(KeyRange("k", to: "n")).entries.map(\.key) == ["l"])
        }
    }

    /// Returns the kind of a request's error, or `nil` if the request succeeds.
    private func kind(_ request: () async throws(StoreError) -> Void) async -> StoreError.Kind? {
        do throws(StoreError) {
            try await request()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(arguments: Engine.allCases)
    func `I5: a range is sorted by bytes and can have a limit and a revision`(
        engine: Engine
    ) async throws {
        try await engine.with { store in
            // As Swift strings, the first two keys are equal.
            let keys = ["p/\u{65}\u{301}", "p/\u{E9}", "p/z", "p/\u{1F600}", "q"]
            let first = try await store.commit(
                StoreTransaction(if: [], then: keys.map { .put($0, Array($0.utf8)) }))
            let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.dropLast()
            let whole = KeyRange("p/", to: "p/".endOfPrefix)
            let reply = try await store.range(whole)
            #expect(reply.entries.map { Array($0.key.utf8) } == sorted.map { Array($0.utf8) })
            #expect(!reply.hasMore)
            var part = whole
            part.limit = 3
            #expect(try await store.range(part).entries.count == 3)
            #expect(try await store.range(part).hasMore)

            _ = try await store.commit(
                StoreTransaction(if: [], then: [.delete("p/z"), .put("p/new", [])]))
            part = whole
            part.revision = first.storeRevision
            #expect(try await store.range(part).entries == reply.entries)
            #expect(try await store.range(KeyRange("p")).entries.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a summary shows every change below its prefix`(engine: Engine) async throws {
        try await engine.with { store in
            #expect(try await store.summary(ofKeysBelow: "p/").count == 0)
            _ = try await store.commit(
                StoreTransaction(if: [], then: [.put("p/1", [1]), .put("q/1", [])]))
            let last = try await store.commit(StoreTransaction(if: [], then: [.put("p/2", [1])]))
            var summary = try await store.summary(ofKeysBelow: "p/")
            #expect(summary.count == 2)
            #expect(summary.newestRevision == last.storeRevision)
            let other = try await store.commit(StoreTransaction(if: [], then: [.put("q/2", [])]))
            summary = try await store.summary(ofKeysBelow: "p/")
            #expect(summary.newestRevision == last.storeRevision)
            #expect(summary.storeRevision == other.storeRevision)
        }
    }

    @Test(arguments: Engine.allCases)
    func `revoking a lease deletes its keys`(engine: Engine) async throws {
        try await engine.with { store in
            let lease = try await store.grantLease(.seconds(60))
            #expect(lease > 0)
            #expect(try await store.grantLease(.seconds(60)) != lease)
            _ = try await store.commit(
                StoreTransaction(
                    if: [],
                    then: [
                        .put("k", [], lease: lease), .put("l", [], lease: lease), .put("m", []),
                    ]))
            // The lease does not apply to a later value that was written without it.
            let reply = try await store.commit(
                StoreTransaction(if: [], then: [.put("l", []), .range(KeyRange("k", to: "n"))]))
            #expect(reply.entries.map(\.lease) == [lease, 0, 0])
            #expect(try await store.keepAlive(lease: lease, within: .seconds(20)) ?? .zero > .zero)
            try await store.revoke(lease: lease)
            #expect(try await store.range(KeyRange("k", to: "n")).entries.map(\.key) == ["l", "m"])
            #expect(try await store.keepAlive(lease: lease, within: .seconds(20)) == nil)
            await #expect(throws: StoreError.self) { try await store.revoke(lease: lease) }
            let put = StoreTransaction(if: [], then: [.put("k", [], lease: lease)])
            await #expect(throws: StoreError.self) { try await store.commit(put) }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a watch reports all changes from a revision in order`(engine: Engine) async throws {
        try await engine.with { store in
            _ = try await store.commit(StoreTransaction(if: [], then: [.put("p/early", [])]))
            let start = try await store.commit(
                StoreTransaction(if: [], then: [.put("p/first", [1]), .put("q", [])]))
            // The lease expires while the watch is running.
            let lease = try await store.grantLease(.seconds(1))
            _ = try await store.commit(
                StoreTransaction(if: [], then: [.put("p/leased", [], lease: lease)]))
            let reported = AwaitableState<[KeyChange]>([])
            let watching = Task<Void, any Error> {
                try await store.watch(keysBelow: "p/", from: start.storeRevision) { changes in
                    reported.change { $0 += changes }
                }
            }
            await reported.wait { $0.contains { $0.key == "p/leased" && $0.entry == nil } }
            _ = try await store.commit(
                StoreTransaction(if: [], then: [.delete("p/first"), .put("q", [])]))
            await reported.wait { $0.count >= 4 }
            let changes = reported.state
            #expect(changes.map(\.key) == ["p/first", "p/leased", "p/leased", "p/first"])
            #expect(changes.map { $0.entry == nil } == [false, false, true, true])
            #expect(changes.map(\.revision) == changes.map(\.revision).sorted())
            #expect(changes.first?.revision == start.storeRevision)
            await store.endWatches()
            await #expect(throws: StoreError.self) { try await watching.value }
        }
    }

    @Test(arguments: Engine.allCases)
    func `concurrent compare-and-set transactions lose no increment`(engine: Engine) async throws {
        try await engine.with { store in
            _ = try await store.commit(StoreTransaction(if: [], then: [.put("n", [0])]))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 { try await increment(store) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.range(KeyRange("n")).entries.first?.value == [40])
        }
    }

    private func increment(_ store: any ClusterStore) async throws {
        while true {
            let value = try #require(try await store.range(KeyRange("n")).entries.first).value
            let reply = try await store.commit(
                StoreTransaction(
                    if: [.value(of: "n", is: value)], then: [.put("n", [value[0] + 1])]))
            if reply.succeeded { return }
        }
    }

    @Test(arguments: Engine.allCases)
    func `all hosts get the same identity, and a host with another identity cannot use the store`(
        engine: Engine
    ) async throws {
        try await engine.with { store in
            let keyspace = Keyspace(cluster: "test")
            let first = try await store.identify(keyspace, known: nil)
            #expect(try await store.identify(keyspace, known: nil) == first)
            #expect(try await store.identify(keyspace, known: first) == first)
            do throws(StoreError) {
                _ = try await store.identify(keyspace, known: ClusterIdentity(in: keyspace))
                _ = try await store.range(KeyRange("k"))
                Issue.record("the store is used")
            } catch {
                #expect(error.kind == .otherCluster)
            }
        }
    }
}

/// Puts keys until a store is full.
private func fill(_ store: any ClusterStore) async throws {
    let value = [UInt8](repeating: 0x61, count: 1 << 20)
    for number in 0..<1000 {
        do throws(StoreError) {
            _ = try await store.commit(
                StoreTransaction(if: [], then: [.put("z\(number)", value)]))
        } catch {
            if error.kind == .full { return }
            throw error
        }
    }
    Issue.record("the store does not become full")
}

/// Serial executor with its own queue.
final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
