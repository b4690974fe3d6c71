import ExactText
import SimulatedStore
import TestSupport
import Testing

@testable import Replication

/// Tests of how a host acquires, keeps and loses applications, with a clock that the test advances.
@Suite(.timeLimit(.minutes(10))) struct ClusterMemberOwnershipTests {
    private static let name = "org.example.Jobs"
    /// History of an application whose last owner is b.
    private static let history =
        #"{"entries":[{"epoch":1,"host":"b","reason":"started","time":1}],"format":1}"#

    /// Adds the hosts b to i, and returns an application for which a number of them take precedence over a.
    private func applicationName(withRank rank: Int, on host: SteppedHost) async throws -> String {
        let names = ["b", "host-c", "the-host-d", "e1", "f-22", "gg", "hhh-3", "iiii"]
        for name in names { try await host.add(name) }
        try await waitUntil("all hosts are known") { host.member.clusterState.hosts.count == 9 }
        let clusterState = host.member.clusterState
        return try #require(
            (0..<10_000).map { "org.example.\($0)" }.first {
                clusterState.rank(of: "a", for: $0) == rank
            })
    }

    private func ownerValue(_ name: String, on host: SteppedHost) async throws -> String? {
        try await host.store.text(of: host.keyspace.ownerKey(name))
    }

    // MARK: Joining and leaving

    @Test func `a host acquires all waiting applications as soon as it has joined`() async throws {
        let names = ["org.example.A", "org.example.B"]
        let host = SteppedHost(of: names)
        var acquiring: [Task<UInt64?, Never>] = []
        for name in names { acquiring.append(await host.member.start { await $0.acquire(name) }) }
        try await host.run {
            for task in acquiring { #expect(await task.value != nil) }
        }
    }

    @Test func `a host sends no other requests until it has identified the cluster`() async throws {
        let host = SteppedHost()
        host.store.beforeRequests { $0 == .identify ? .unavailable : nil }
        try await host.run(isReady: false) {
            for count in 1...3 {
                try await host.clock.waitForSleep(.seconds(6))
                await host.settle()
                let identifications = Array(repeating: ScriptedStore.Request.identify, count: count)
                #expect(host.store.requests.state == identifications)
                host.clock.advance(by: .seconds(6))
            }
        }
    }

    @Test func `a host that leaves before it has identified the cluster stops trying`()
        async throws
    {
        let host = SteppedHost()
        host.store.beforeRequests { request in
            switch request {
            case .identify, .range: .unavailable
            default: nil
            }
        }
        try await host.run(isReady: false) {
            try await host.clock.waitForSleep(.seconds(6))
            await host.member.leave()
            host.clock.advance(by: .seconds(6))
            await host.settle()
            #expect(host.store.requests.state.count { $0 == .identify } == 1)
        }
    }

    @Test func `a host that has left sends no requests and sets no timers`() async throws {
        let host = SteppedHost()
        try await host.run {
            await host.member.leave()
            // A check of the owners may already have been due.
            host.clock.advance(by: .seconds(60))
            await host.settle()
            let count = host.store.requests.state.count
            for _ in 1...3 {
                host.clock.advance(by: .seconds(60))
                await host.settle()
            }
            #expect(host.store.requests.state.count == count)
            #expect(host.clock.sleeperCount == 0)
        }
    }

    @Test func `a host that leaves while it registers does not join`() async throws {
        let host = SteppedHost()
        let (isRegistering, hasLeft) = (AwaitableState(false), Signal())
        host.store.afterRequests { [key = host.keyspace.hostKey("a")] request in
            guard case .commit(let transaction) = request, transaction.puts(key) else { return nil }
            isRegistering.change { $0 = true }
            await hasLeft.wait()
            return nil
        }
        try await host.run(isReady: false) {
            await isRegistering.wait { $0 }
            await host.member.leave()
            hasLeft.send()
            await host.settle()
            #expect(host.events.state == [])
            #expect(!host.member.leaseDeadline.isValid)
        }
    }

    @Test func `a host that begins to drain while it registers writes its key again`()
        async throws
    {
        let host = SteppedHost()
        let key = host.keyspace.hostKey("a")
        let (isRegistering, isDraining) = (AwaitableState(false), Signal())
        host.store.beforeRequests { request in
            guard case .commit(let transaction) = request, transaction.puts(key) else { return nil }
            isRegistering.change { $0 = true }
            await isDraining.wait()
            return nil
        }
        try await host.run(isReady: false) {
            await isRegistering.wait { $0 }
            try await host.member.setDraining(true)
            isDraining.send()
            try await host.clock.waitForSleep(.seconds(6))
            #expect(host.events.state == [])
            host.clock.advance(by: .seconds(6))
            await host.events.wait { $0.contains(.joined) }
            #expect(try await host.store.text(of: key)?.contains(#""draining":true"#) == true)
        }
    }

    @Test func `a host with an unknown owner state neither acquires nor loses applications`()
        async throws
    {
        let host = SteppedHost()
        try await host.store.write(host.keyspace.ownerHistoryKey(Self.name), Self.history)
        try await host.store.write(host.keyspace.pauseKey, #"{"host":"b","time":1}"#)
        let isLoading = Signal()
        host.store.beforeRequests { [prefix = host.keyspace.clusterStatePrefix] request in
            if case .range(let range) = request, range.startKey == prefix { await isLoading.wait() }
            return nil
        }
        try await host.run(isReady: false) {
            await host.events.wait { $0.contains(.joined) }
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            let hasLost = AwaitableState(false)
            let losing = await host.member.start { member -> ClusterMember.OwnershipEnd? in
                let end = await member.waitForEndOfOwnership(5, of: Self.name)
                hasLost.change { $0 = true }
                return end
            }
            await host.settle()
            #expect(!hasLost.state)
            #expect(try await ownerValue(Self.name, on: host) == nil)
            #expect(
                await host.member.problem
                    == "this host has not read the owners of applications from etcd yet")
            isLoading.send()
            #expect(await losing.value == .lost)
            // The host then knows that takeovers are paused.
            try await waitUntil("the last owner is known") {
                host.member.takeoverObstacle(to: Self.name) == .paused(lastOwner: "b")
            }
            await host.member.beginLeaving()
            #expect(await acquiring.value == nil)
            #expect(try await ownerValue(Self.name, on: host) == nil)
        }
    }

    // MARK: The end of a lease

    @Test func `a lease that is not renewed ends exactly at its deadline, and owners stop`()
        async throws
    {
        let host = SteppedHost()
        try await host.run {
            let epoch = try #require(await host.member.acquire(Self.name))
            try await host.advance(by: .seconds(10))
            // The lease was renewed at 10 s, so it ends at 58 s.
            host.store.beforeRequests { $0 == .keepAlive ? .unavailable : nil }
            let losing = await host.member.start {
                await $0.waitForEndOfOwnership(epoch, of: Self.name)
            }
            try await host.advance(by: .seconds(4))
            for _ in 1...14 { try await host.advance(by: .seconds(3)) }
            #expect(host.member.owns(Self.name, in: epoch))
            #expect(!host.events.state.contains(.leaseExpired))
            try await host.clock.waitForSleep(.seconds(2))
            host.clock.advance(by: .seconds(2))
            #expect(await losing.value == .lost)
            #expect(!host.member.owns(Self.name, in: epoch))
            #expect(host.events.state.contains(.leaseExpired))
        }
    }

    @Test func `a host whose lease ended while the machine was suspended relies on nothing`()
        async throws
    {
        let (other, offered) = ("org.example.Other", "org.example.Offered")
        let host = SteppedHost(of: [Self.name, other, offered])
        try await host.run {
            let epoch = try #require(await host.member.acquire(Self.name))
            let lease = try await host.add("b")
            try await host.store.write(
                host.keyspace.ownerKey(offered), #"{"host":"b"}"#, lease: lease)
            host.clock.suspend(for: .seconds(48))
            #expect(!host.member.owns(Self.name, in: epoch))
            #expect(
                await host.member.takeOver(other, within: .zero) == "a has not joined the cluster")
            let acquiring = await host.member.start { await $0.acquire(other) }
            await host.settle()
            let move = host.keyspace.moveKey(offered)
            try await host.store.write(move, #"{"host":"a"}"#)
            try await waitUntil("the offer is answered") {
                try await host.store.text(of: move) != #"{"host":"a"}"#
            }
            #expect(
                try await host.store.text(of: move)
                    == #"{"host":"a","refusal":"a is leaving the cluster"}"#)
            #expect(try await ownerValue(other, on: host) == nil)
            #expect(!host.events.state.contains(.leaseExpired))
            // The next check of the deadline is due in 3 s, although it was set before the suspension.
            host.clock.advance(by: .seconds(3))
            try await waitUntil("the lease is dropped") {
                host.events.state.contains(.leaseExpired)
            }
            await host.member.beginLeaving()
            #expect(await acquiring.value == nil)
        }
    }

    @Test func `owners are unknown once the store has not confirmed them for a lease`()
        async throws
    {
        let host = SteppedHost()
        try await host.run {
            #expect(host.member.isUnowned("org.example.Other"))
            host.clock.suspend(for: .seconds(60))
            #expect(!host.member.isUnowned("org.example.Other"))
        }
    }

    @Test func `a host stops its applications at once if another process uses its lease`()
        async throws
    {
        let host = SteppedHost()
        try await host.run {
            let epoch = try #require(await host.member.acquire(Self.name))
            // Two tasks wait for the same application.
            var losing: [Task<ClusterMember.OwnershipEnd?, Never>] = []
            for _ in 1...2 {
                losing.append(
                    await host.member.start {
                        await $0.waitForEndOfOwnership(epoch, of: Self.name)
                    })
            }
            let lease = try #require(host.member.clusterState.hosts["a"]?.lease)
            try await host.store.write(
                host.keyspace.hostKey("a"), #"{"host":"a","process":"other"}"#, lease: lease)
            for task in losing { #expect(await task.value == .lost) }
            #expect(host.events.state.suffix(2) == [.leaseExpired, .hostNameTaken])
        }
    }

    @Test func `a lost ownership is forgotten only in its own epoch`() async throws {
        let host = SteppedHost()
        try await host.run {
            let epoch = try #require(await host.member.acquire(Self.name))
            await host.member.recordLostOwnership(Self.name, in: epoch + 1)
            #expect(host.member.owns(Self.name, in: epoch))
            let losing = await host.member.start {
                await $0.waitForEndOfOwnership(epoch, of: Self.name)
            }
            await host.member.recordLostOwnership(Self.name, in: epoch)
            #expect(await losing.value == .lost)
            #expect(host.member.clusterState.owners[Self.name] == nil)
        }
    }

    @Test func `a new process continues to own all applications that it hosts`() async throws {
        let names = ["org.example.A", "org.example.B"]
        let host = SteppedHost(of: names, savedFacts: SavedClusterFacts(lease: 1))
        let lease = try await host.store.base.grantLease(.seconds(60))
        for name in names {
            try await host.store.write(
                host.keyspace.ownerKey(name), #"{"host":"a"}"#, lease: lease)
        }
        try await host.run {
            await host.settle()
            #expect(host.member.clusterState.applications(of: "a") == names)
        }
    }

    // MARK: Delays

    @Test(arguments: [(0, 0), (1, 300), (5, 1500), (7, 1500)])
    func `each host that takes precedence delays a takeover by 0.3 s, up to 1.5 s`(
        rank: Int, milliseconds: Int
    ) async throws {
        let host = SteppedHost()
        try await host.run {
            let name = try await applicationName(withRank: rank, on: host)
            let acquiring = await host.member.start { await $0.acquire(name) }
            if milliseconds > 0 {
                try await host.clock.waitForSleep(.milliseconds(milliseconds))
                host.clock.advance(by: .milliseconds(milliseconds) - .nanoseconds(1))
                await host.settle()
                #expect(try await ownerValue(name, on: host) == nil)
                host.clock.advance(by: .nanoseconds(1))
            }
            #expect(await acquiring.value != nil)
        }
    }

    @Test func `a delayed takeover does not begin if another host was faster`() async throws {
        let host = SteppedHost()
        try await host.run {
            let name = try await applicationName(withRank: 1, on: host)
            let key = host.keyspace.ownerKey(name)
            let acquiring = await host.member.start { await $0.acquire(name) }
            try await host.clock.waitForSleep(.milliseconds(300))
            try await host.store.write(key, #"{"host":"b"}"#)
            await host.settle()
            host.clock.advance(by: .milliseconds(300))
            await host.settle()
            #expect(host.store.commits(of: key) == [])
            try await host.store.write(key, nil)
            try await host.clock.waitForSleep(.milliseconds(300))
            host.clock.advance(by: .milliseconds(300))
            #expect(await acquiring.value != nil)
        }
    }

    @Test func `a takeover waits for the length of a lease if another host is to take over`()
        async throws
    {
        let host = SteppedHost()
        try await host.run {
            let name = try await applicationName(withRank: 1, on: host)
            let acquiring = await host.member.start { await $0.acquire(name) }
            try await host.clock.waitForSleep(.milliseconds(300))
            try await host.store.write(
                host.keyspace.moveKey(name), #"{"accepted":true,"host":"b"}"#)
            try await host.clock.waitForSleep(.seconds(60))
            host.clock.advance(by: .milliseconds(300))
            await host.settle()
            #expect(host.store.commits(of: host.keyspace.ownerKey(name)) == [])
            await host.member.beginLeaving()
            #expect(await acquiring.value == nil)
        }
    }

    @Test(arguments: [true, false])
    func `a delayed takeover ends if the host leaves or the task is cancelled`(
        leaves: Bool
    ) async throws {
        let host = SteppedHost()
        try await host.run {
            let name = try await applicationName(withRank: 1, on: host)
            let acquiring = await host.member.start { await $0.acquire(name) }
            try await host.clock.waitForSleep(.milliseconds(300))
            if leaves { await host.member.beginLeaving() } else { acquiring.cancel() }
            #expect(await acquiring.value == nil)
            #expect(try await ownerValue(name, on: host) == nil)
        }
    }

    // MARK: Takeovers

    @Test func `a host does not consider itself the owner under the lease of another process`()
        async throws
    {
        let host = SteppedHost()
        try await host.run {
            let key = host.keyspace.ownerKey(Self.name)
            let lease = try await host.store.base.grantLease(.seconds(1000))
            try await host.store.write(key, #"{"host":"a"}"#, lease: lease)
            let foreign = try #require(host.member.clusterState.owners[Self.name]?.epoch)
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            await host.settle()
            try await host.store.write(key, nil)
            let epoch = try #require(await acquiring.value)
            #expect(epoch > foreign)
            // The same holds if the host learns of the other owner only when it tries to take over.
            try await host.member.release(Self.name, in: epoch)
            host.store.holdChanges(true)
            try await host.store.write(key, #"{"host":"a"}"#, lease: lease)
            let again = await host.member.start { await $0.acquire(Self.name) }
            try await host.clock.waitForSleep(.milliseconds(200))
            await host.member.beginLeaving()
            host.clock.advance(by: .milliseconds(200))
            #expect(await again.value == nil)
        }
    }

    @Test(arguments: [
        (StoreError.Kind.full, 1), (.denied, 1), (.refused, 1), (.malformed, 1),
        (.replyTooLong, 1), (.unavailable, 0),
    ])
    func `a reason for which a host cannot take over is reported once`(
        kind: StoreError.Kind, count: Int
    ) async throws {
        let host = SteppedHost()
        try await host.run {
            host.store.beforeRequests { [key = host.keyspace.ownerKey(Self.name)] request in
                guard case .commit(let transaction) = request else { return nil }
                return transaction.puts(key) ? kind : nil
            }
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            for _ in 1...3 {
                try await host.clock.waitForSleep(.milliseconds(200))
                let event = ClusterEvent.takeoverFailed(application: Self.name, reason: "the test")
                #expect(host.events.state.count { $0 == event } == count)
                #expect(host.member.takeoverObstacle(to: Self.name) == .failure("the test"))
                host.clock.advance(by: .milliseconds(200))
            }
            try await host.clock.waitForSleep(.milliseconds(200))
            host.store.beforeRequests { _ in nil }
            host.clock.advance(by: .milliseconds(200))
            #expect(await acquiring.value != nil)
            #expect(host.member.takeoverObstacle(to: Self.name) == nil)
        }
    }

    @Test func `a host that begins to drain while it takes over releases the application again`()
        async throws
    {
        let host = SteppedHost()
        let (isTakingOver, isDraining) = (AwaitableState(false), Signal())
        try await host.run {
            host.store.beforeRequests { [key = host.keyspace.ownerKey(Self.name)] request in
                guard case .commit(let transaction) = request, transaction.puts(key) else {
                    return nil
                }
                isTakingOver.change { $0 = true }
                await isDraining.wait()
                return nil
            }
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            await isTakingOver.wait { $0 }
            try await host.member.setDraining(true)
            isDraining.send()
            try await waitUntil("the application was released") {
                let request = host.store.requests.state.last
                guard case .commit(let transaction)? = request else { return false }
                let key = host.keyspace.ownerKey(Self.name)
                return transaction.successOperations.contains(.delete(key))
            }
            await host.settle()
            #expect(try await ownerValue(Self.name, on: host) == nil)
            await host.member.beginLeaving()
            #expect(await acquiring.value == nil)
        }
    }

    @Test func `a draining host retries to release an application that it has just taken over`()
        async throws
    {
        let host = SteppedHost()
        let (isTakingOver, isDraining) = (AwaitableState(false), Signal())
        let key = host.keyspace.ownerKey(Self.name)
        try await host.run {
            host.store.beforeRequests { request in
                guard case .commit(let transaction) = request else { return nil }
                if transaction.successOperations.contains(.delete(key)) { return .full }
                guard transaction.puts(key) else { return nil }
                isTakingOver.change { $0 = true }
                await isDraining.wait()
                return nil
            }
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            await isTakingOver.wait { $0 }
            try await host.member.setDraining(true)
            isDraining.send()
            try await host.clock.waitForSleep(.milliseconds(200))
            #expect(
                host.events.state.last
                    == .takeoverFailed(application: Self.name, reason: "the test"))
            #expect(try await ownerValue(Self.name, on: host) != nil)
            host.store.beforeRequests { _ in nil }
            host.clock.advance(by: .milliseconds(200))
            await host.settle()
            #expect(try await ownerValue(Self.name, on: host) == nil)
            await host.member.beginLeaving()
            #expect(await acquiring.value == nil)
        }
    }

    @Test func `a report that an application runs throws the error of the store`() async throws {
        let host = SteppedHost()
        try await host.run {
            let epoch = try #require(await host.member.acquire(Self.name))
            host.store.beforeRequests { [key = host.keyspace.ownerKey(Self.name)] request in
                guard case .commit(let transaction) = request else { return nil }
                return transaction.puts(key) ? .unavailable : nil
            }
            await #expect(throws: StoreError(.unavailable, "the test")) {
                try await host.member.reportRunning(Self.name, in: epoch)
            }
            host.store.beforeRequests { _ in nil }
            try await host.member.reportRunning(Self.name, in: epoch + 1)
            #expect(host.member.clusterState.owners[Self.name]?.isRunning == false)
            try await host.member.reportRunning(Self.name, in: epoch)
            #expect(host.member.clusterState.owners[Self.name]?.isRunning == true)
        }
    }

    @Test func `a cancelled task does not retry a request`() async throws {
        let host = SteppedHost()
        try await host.run {
            let (member, count) = (host.member, AwaitableState(0))
            let isCancelled = Signal()
            let requesting = Task {
                try await member.retryWhileLeaseIsValid {
                    let number = count.change { count in
                        count += 1
                        return count
                    }
                    if number > 1 { return number }
                    await isCancelled.wait()
                    throw StoreError(.unavailable, "the test")
                }
            }
            await count.wait { $0 == 1 }
            requesting.cancel()
            await #expect(throws: CancellationError.self) { try await requesting.value }
            #expect(count.state == 1)
        }
    }

    // MARK: Pauses

    /// Runs a body with a host that waits for the end of a pause, because b was the last owner of its application.
    ///
    /// - Parameter isReading: Whether the host is still reading the history of owners during the body. The host
    ///   continues to read after the given signal.
    private func withPause(
        isReading: Bool,
        _ body: (SteppedHost, Task<UInt64?, Never>, Signal) async throws -> Void
    ) async throws {
        let host = SteppedHost()
        let history = host.keyspace.ownerHistoryKey(Self.name)
        try await host.store.write(history, Self.history)
        try await host.store.write(host.keyspace.pauseKey, #"{"host":"b","time":1}"#)
        let (isRead, hasRequested) = (Signal(), AwaitableState(false))
        host.store.beforeRequests { request in
            if case .range(let range) = request, range.startKey == history {
                hasRequested.change { $0 = true }
                if isReading { await isRead.wait() }
            }
            return nil
        }
        try await host.run {
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            await hasRequested.wait { $0 }
            await host.settle()
            try await body(host, acquiring, isRead)
        }
    }

    @Test func `a host that waits for the end of a pause sends no requests, and then takes over`()
        async throws
    {
        try await withPause(isReading: false) { host, acquiring, _ async throws in
            let reads = host.store.requests.state.count {
                $0 == .range(KeyRange(host.keyspace.ownerHistoryKey(Self.name)))
            }
            #expect(reads == 1)
            #expect(host.member.takeoverObstacle(to: Self.name) == .paused(lastOwner: "b"))
            try await host.store.write(host.keyspace.pauseKey, nil)
            #expect(await acquiring.value != nil)
        }
    }

    @Test func `a pause that ends while a host reads the last owner does not delay the host`()
        async throws
    {
        try await withPause(isReading: true) { host, acquiring, isRead async throws in
            try await host.store.write(host.keyspace.pauseKey, nil)
            isRead.send()
            #expect(await acquiring.value != nil)
        }
    }

    @Test func `a host that leaves while it reads the last owner stops waiting`() async throws {
        try await withPause(isReading: true) { host, acquiring, isRead async throws in
            await host.member.beginLeaving()
            isRead.send()
            #expect(await acquiring.value == nil)
        }
    }

    @Test func `a cancelled wait for an application ends`() async throws {
        try await withPause(isReading: false) { _, acquiring, _ async throws in
            acquiring.cancel()
            #expect(await acquiring.value == nil)
        }
    }

    // MARK: Changes by this host

    @Test func `a command that came too late does not affect the recorded reason`() async throws {
        let host = SteppedHost()
        try await host.run {
            func record(_ epoch: UInt64) async throws -> [OwnerHistory.Reason] {
                try await host.member.recordOwnership(of: Self.name, in: epoch, at: 1)
                let ownerHistory = try #require(try await host.member.ownerHistory(of: Self.name))
                return ownerHistory.entries.map(\.reason)
            }
            let key = host.keyspace.ownerKey(Self.name)
            host.store.holdChanges(true)
            try await host.store.write(key, #"{"host":"b"}"#)
            #expect(
                await host.member.takeOver(Self.name, within: .zero)
                    == "its owner changed at the same time")
            host.store.holdChanges(false)
            try await host.store.write(key, nil)
            let first = try #require(await host.member.acquire(Self.name))
            #expect(try await record(first) == [.started])
            try await host.member.release(Self.name, in: first)
            _ = await host.member.takeOver(Self.name, within: .zero)
            let second = try #require(await host.member.acquire(Self.name))
            #expect(try await record(second) == [.started, .taken])
            // The reason is recorded only once.
            try await host.member.release(Self.name, in: second)
            let third = try #require(await host.member.acquire(Self.name))
            #expect(try await record(third) == [.started, .taken, .returned])
        }
    }

    @Test(arguments: [false, true])
    func `a takeover by command whose reply is lost is recorded as such`(
        hasOwner: Bool
    ) async throws {
        let host = SteppedHost()
        let (owner, move) = (host.keyspace.ownerKey(Self.name), host.keyspace.moveKey(Self.name))
        try await host.run {
            if hasOwner {
                try await host.store.write(owner, #"{"host":"b"}"#)
                try await waitUntil("the owner is known") {
                    host.member.clusterState.owners[Self.name] != nil
                }
            }
            host.store.afterRequests { request in
                guard case .commit(let transaction) = request, transaction.puts(move) else {
                    return nil
                }
                return .unavailable
            }
            let failure = await host.member.takeOver(Self.name, within: .zero)
            #expect(failure?.contains("if etcd carries out the request after all") == true)
            try await waitUntil("the move is known") {
                host.member.clusterState.moves[Self.name] != nil
            }
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            if hasOwner {
                try await host.clock.waitForSleep(.seconds(60))
                // The host renews its lease in the meantime.
                for _ in 1...6 {
                    host.clock.advance(by: .seconds(10))
                    await host.settle()
                }
            }
            let epoch = try #require(await acquiring.value)
            try await host.member.recordOwnership(of: Self.name, in: epoch, at: 1)
            let ownerHistory = try #require(try await host.member.ownerHistory(of: Self.name))
            #expect(ownerHistory.entries.map(\.reason) == [hasOwner ? .forced : .taken])
        }
    }

    @Test func `a move is recorded as such if the reply to the takeover is lost`() async throws {
        let host = SteppedHost()
        let (owner, move) = (host.keyspace.ownerKey(Self.name), host.keyspace.moveKey(Self.name))
        try await host.run {
            try await host.store.write(move, #"{"accepted":true,"host":"a"}"#)
            try await waitUntil("the move is known") {
                host.member.clusterState.moves[Self.name] != nil
            }
            host.store.afterRequests { request in
                guard case .commit(let transaction) = request, transaction.puts(owner) else {
                    return nil
                }
                return .unavailable
            }
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            try await waitUntil("the owner is known") {
                host.member.clusterState.owners[Self.name] != nil
            }
            try await host.clock.waitForSleep(.milliseconds(200))
            host.clock.advance(by: .milliseconds(200))
            let epoch = try #require(await acquiring.value)
            try await host.member.recordOwnership(of: Self.name, in: epoch, at: 1)
            let ownerHistory = try #require(try await host.member.ownerHistory(of: Self.name))
            #expect(ownerHistory.entries.map(\.reason) == [.moved])
        }
    }

    @Test func `all changes of one transaction are applied`() async throws {
        let host = SteppedHost()
        try await host.run {
            let names = (1...5).map { "org.example.\($0)" }
            _ = try await host.store.base.commit(
                StoreTransaction(
                    if: [],
                    then: names.map {
                        .put(host.keyspace.ownerKey($0), Array(#"{"host":"b"}"#.utf8))
                    }))
            try await waitUntil("all owners are known") {
                host.member.clusterState.applications(of: "b") == names
            }
        }
    }

    @Test func `a release applies the owner and the move that its reply contains`() async throws {
        let host = SteppedHost()
        try await host.run {
            let (owner, move) = (
                host.keyspace.ownerKey(Self.name), host.keyspace.moveKey(Self.name)
            )
            let epoch = try #require(await host.member.acquire(Self.name))
            host.store.holdChanges(true)
            try await host.store.write(owner, nil)
            try await host.store.write(owner, #"{"host":"b"}"#)
            try await host.store.write(move, #"{"accepted":true,"host":"c"}"#)
            try await host.member.release(Self.name, in: epoch)
            #expect(host.member.clusterState.owners[Self.name]?.host == "b")
            #expect(host.member.clusterState.moves[Self.name]?.successor == "c")
        }
    }

    @Test func `the reason for a command is discarded if a draining host releases the application`()
        async throws
    {
        let host = SteppedHost()
        let (isTakingOver, isDraining) = (AwaitableState(false), Signal())
        let key = host.keyspace.ownerKey(Self.name)
        try await host.run {
            _ = await host.member.takeOver(Self.name, within: .zero)
            // The host is then no longer the target of a move.
            try await host.store.write(host.keyspace.moveKey(Self.name), nil)
            try await waitUntil("the move has ended") {
                host.member.clusterState.moves[Self.name] == nil
            }
            host.store.beforeRequests { request in
                guard case .commit(let transaction) = request, transaction.puts(key) else {
                    return nil
                }
                isTakingOver.change { $0 = true }
                await isDraining.wait()
                return nil
            }
            let acquiring = await host.member.start { await $0.acquire(Self.name) }
            await isTakingOver.wait { $0 }
            try await host.member.setDraining(true)
            isDraining.send()
            try await waitUntil("the application was released") {
                guard case .commit(let transaction)? = host.store.requests.state.last else {
                    return false
                }
                return transaction.successOperations.contains(.delete(key))
            }
            await host.settle()
            try await host.member.setDraining(false)
            let epoch = try #require(await acquiring.value)
            try await host.member.recordOwnership(of: Self.name, in: epoch, at: 1)
            let ownerHistory = try #require(try await host.member.ownerHistory(of: Self.name))
            #expect(ownerHistory.entries.map(\.reason) == [.started])
        }
    }
}
