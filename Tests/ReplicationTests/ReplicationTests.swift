#if Etcd
    import Encryption
    import Glibc
    import LinuxIO
    import Logging
    import NIOPosix
    import Preservation
    import Replication
    import SavedState
    import ServiceLifecycle
    import SystemPackage
    import TestSupport
    import Testing

    /// Tests in which a host continues from the state that another host has saved.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct ReplicationTests {
        private static let name = "org.example.Jobs"
        private static let keyspace = Keyspace(cluster: "test")

        /// Host with one application, which the host owns for an epoch.
        private struct Host {
            let application: Application
            let text: RestorableValue<String>
            let writer: ReplicaWriter
        }

        private func acquireOwnership(_ server: EtcdServer, by host: String) async throws -> UInt64
        {
            let key = "\(Self.keyspace.clusterStatePrefix)owners/\(Self.name)"
            _ = try await server.client.commit(StoreTransaction(if: [], then: [.delete(key)]))
            let reply = try await server.client.commit(
                StoreTransaction(
                    if: [.createRevision(of: key, is: 0)],
                    then: [.put(key, Array("{\"host\":\"\(host)\"}".utf8)), .range(KeyRange(key))]
                ))
            return UInt64(try #require(reply.entries.first).createRevision)
        }

        private func withHost(
            _ host: String, in scratch: ScratchDirectory, on server: EtcdServer,
            durability: PreservationSettings.Durability = .replicated, epoch: UInt64? = nil,
            sealedBy keys: EncryptionKeys = .none, interval: Duration = .zero,
            isValid: @escaping @Sendable () -> Bool = { true },
            _ body: (Host) async throws -> Void
        ) async throws {
            let epoch = if let epoch { epoch } else { try await acquireOwnership(server, by: host) }
            var settings = PreservationSettings()
            settings.isClustered = true
            settings.durability = durability
            // Longer than a busy machine needs.
            settings.replicationTimeout = .seconds(300)
            let application = try Application(
                bundleIdentifier: Self.name, bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.file(host)),
                settings: settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let text = try await application.value("text", default: "")
            let writer = ReplicaWriter(
                ReplicaWriter.Epoch(bundleIdentifier: Self.name, host: host, number: epoch),
                in: Self.keyspace, sealedBy: keys, by: server.client, interval: { interval },
                denialTimeout: .seconds(300), clock: ContinuousClock(),
                onProgress: { await application.replicaDidProgress() },
                requestState: { request in
                    Task {
                        await application.replicateFullState(
                            includesDocuments: request == .stateAndDocuments)
                    }
                })
            let services = ServiceGroup(
                services: [application],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            async let running: Void = services.run()
            let state = try await ReplicatedState.read(
                of: Self.name, in: Self.keyspace, sealedBy: keys, by: server.client)
            async let putting = writer.run(after: state)
            let ownership = Ownership(
                writerID: writer.writerID, replica: writer, isValid: isValid)
            let result: Result<Void, any Error>
            do {
                try await application.launchAsOwner(
                    ownership,
                    with: state?.contents)
                try await body(Host(application: application, text: text, writer: writer))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            writer.cancel()
            _ = await putting
            await application.loseOwnership()
            await services.triggerGracefulShutdown()
            try await running
            try result.get()
        }

        @Test func `another host continues from the replicated state`() async throws {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                try await withHost("a", in: scratch, on: server) { host in
                    for word in ["one", "two", "three"] {
                        let reply = try await host.text.update { $0 = word }
                        #expect(reply.saved == .replicated)
                    }
                }
                try await withHost("b", in: scratch, on: server) { host in
                    let current = try await host.text.current
                    #expect(current == "three")
                    let reply = try await host.text.update { $0 += " four" }
                    #expect(reply.saved == .replicated)
                }
                try await withHost("a", in: scratch, on: server) { host in
                    let current = try await host.text.current
                    #expect(current == "three four")
                    // Since the takeover, the host had only recorded that the application quit.
                    let superseded = try await supersededGenerations(host)
                    #expect(superseded.isEmpty)
                }
            }
        }

        @Test func `documents are replicated, and oversized files and directories are skipped`()
            async throws
        {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                let directory = "a/Documents/\(Self.name)"
                try createDirectories("\(scratch.path)/\(directory)/notes")
                try scratch.write("\(directory)/items.json", "[1, 2]")
                try scratch.write("\(directory)/long", "")
                truncate(
                    scratch.file("\(directory)/long"), DocumentsDirectory.maximumDocumentSize + 1)
                try await withHost("a", in: scratch, on: server) { host in
                    let saved = try await host.text.update { $0 = "one" }.saved
                    #expect(saved == .replicated)
                }
                try await withHost("b", in: scratch, on: server) { _ in }
                let other = try Directory.open(scratch.file("b/Documents/\(Self.name)"))
                #expect(try other?.names() == ["items.json"])
                #expect(try other?.read("items.json", limit: 100) == Array("[1, 2]".utf8))
            }
        }

        @Test func `I5: documents with canonically equivalent names are both replicated`()
            async throws
        {
            let names = ["caf\u{E9}", "cafe\u{301}"]
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                let directory = "a/Documents/\(Self.name)"
                try createDirectories("\(scratch.path)/\(directory)")
                for (index, name) in names.enumerated() {
                    try scratch.write("\(directory)/\(name)", "\(index)")
                }
                try await withHost("a", in: scratch, on: server) { host in
                    let saved = try await host.text.update { $0 = "one" }.saved
                    #expect(saved == .replicated)
                }
                try await withHost("b", in: scratch, on: server) { _ in }
                let other = try #require(
                    try Directory.open(scratch.file("b/Documents/\(Self.name)")))
                for (index, name) in names.enumerated() {
                    #expect(try other.read(name, limit: 100) == Array("\(index)".utf8))
                }
            }
        }

        @Test func `documents replicated before encryption was enabled are encrypted later`()
            async throws
        {
            let keys = EncryptionKeys(sealing: try EncryptionKey((0..<32).map { UInt8($0) }))
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                let directory = "a/Documents/\(Self.name)"
                try createDirectories("\(scratch.path)/\(directory)")
                try scratch.write("\(directory)/items.json", "nobody reads")
                try await withHost("a", in: scratch, on: server) { host in
                    try await host.text.update { $0 = "one" }
                }
                for host in ["b", "c"] {
                    try await withHost(host, in: scratch, on: server, sealedBy: keys) { host in
                        try await host.text.update { $0 += "!" }
                    }
                    let isReadable = try await storeContains("nobody reads", server)
                    #expect(!isReadable)
                }
            }
        }

        @Test func `waiting for complete replication does not wait for the interval`() async throws
        {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                try await withHost(
                    "a", in: scratch, on: server, durability: .written, interval: .seconds(3000)
                ) { host in
                    try await host.text.update { $0 = "one" }
                    let isComplete = await host.writer.waitUntilComplete(within: .seconds(300))
                    #expect(isComplete)
                    try await host.text.update { $0 = "two" }
                    let isReplicated = await host.writer.waitUntilComplete(within: .seconds(300))
                    #expect(isReplicated)
                }
            }
        }

        @Test func `preserve() replicates its full pass`() async throws {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                try await withHost("a", in: scratch, on: server) { host in
                    try await host.text.update { $0 = "one" }
                    let saved = try await host.application.preserve()
                    #expect(saved == .replicated)
                }
            }
        }

        /// Returns whether etcd has a text in a value of the application.
        private func storeContains(_ text: String, _ server: EtcdServer) async throws -> Bool {
            let prefix = Self.keyspace.applicationPrefix(Self.name)
            return try await server.client.range(KeyRange(prefix, to: prefix.endOfPrefix)).entries
                .contains { $0.value.contains(text.utf8) }
        }

        private func createDirectories(_ path: String) throws {
            var directory = ""
            for part in path.split(separator: "/") {
                directory += "/\(part)"
                guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
                    throw Errno(rawValue: errno)
                }
            }
        }

        @Test func `a host does not replicate changes after its epoch has ended`() async throws {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                try await withHost("a", in: scratch, on: server, durability: .written) { first in
                    try await first.text.update { $0 = "shared" }
                    let isComplete = await first.writer.waitUntilComplete(within: .seconds(300))
                    #expect(isComplete)
                    try await withHost("b", in: scratch, on: server) { second in
                        let current = try await second.text.current
                        #expect(current == "shared")
                        // The first host does not know yet that it is no longer the owner.
                        let late = try await first.text.update { $0 = "late" }
                        #expect(late.saved == .written)
                        let reply = try await second.text.update { $0 += "!" }
                        #expect(reply.saved == .replicated)
                    }
                }
                try await withHost("c", in: scratch, on: server) { third in
                    let current = try await third.text.current
                    #expect(current == "shared!")
                }
                // State that the first host saved, and from which no host continued, is retained.
                try await withHost("a", in: scratch, on: server) { first in
                    let current = try await first.text.current
                    #expect(current == "shared!")
                    let generation = try #require(try await first.application.history().last)
                    _ = try await first.application.rollBack(to: generation.name)
                    let late = try await first.text.current
                    #expect(late == "late")
                }
            }
        }

        @Test func `state split into many pieces is restored completely`() async throws {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                let long = String(repeating: "0123456789abcdef", count: 120_000)
                try await withHost("a", in: scratch, on: server) { host in
                    let reply = try await host.text.update { $0 = long }
                    #expect(reply.saved == .replicated)
                }
                // The launch of each host publishes a whole state, which also has several pieces.
                for host in ["b", "c"] {
                    try await withHost(host, in: scratch, on: server) { host in
                        let current = try await host.text.current
                        #expect(current == long)
                        let reply = try await host.text.update { $0 += "" }
                        #expect(reply.saved == .replicated)
                    }
                }
            }
        }

        @Test func `damaged state in etcd is refused and left unchanged`() async throws {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                try await withHost("a", in: scratch, on: server) { host in
                    try await host.text.update { $0 = "one" }
                    try await host.text.update { $0 = "two" }
                }
                let prefix = "\(Self.keyspace.applicationPrefix(Self.name))state/"
                let all = KeyRange(prefix, to: prefix.endOfPrefix)
                let entries = try await server.client.range(all).entries
                let entry = try #require(entries.first { $0.key.contains("/log/") })
                var bytes = entry.value
                bytes[bytes.count - 9] ^= 1
                _ = try await server.client.commit(
                    StoreTransaction(if: [], then: [.put(entry.key, bytes)]))
                let before = try await server.client.range(all).storeRevision
                let error = await #expect(throws: UnusableReplica.self) {
                    _ = try await ReplicatedState.read(
                        of: Self.name, in: Self.keyspace, sealedBy: .none, by: server.client)
                }
                #expect(error?.description.contains("is damaged at byte") == true)
                let after = try await server.client.range(all).storeRevision
                #expect(after == before)
            }
        }

        @Test func `replicated state is encrypted in etcd`() async throws {
            let keys = EncryptionKeys(
                sealing: try EncryptionKey((0..<32).map { UInt8($0) }))
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                try await withHost("a", in: scratch, on: server, sealedBy: keys) { host in
                    try await host.text.update { $0 = "a secret that nobody reads" }
                }
                let isReadable = try await storeContains("nobody reads", server)
                #expect(!isReadable)
                try await withHost("b", in: scratch, on: server, sealedBy: keys) { host in
                    let current = try await host.text.current
                    #expect(current == "a secret that nobody reads")
                }
                let error = await #expect(throws: UnusableReplica.self) {
                    try await withHost("c", in: scratch, on: server) { _ in }
                }
                #expect(error?.description.contains("credential reprise.key") == true)
            }
        }

        /// Returns the generations that were made because another host continued from an earlier state.
        private func supersededGenerations(_ host: Host) async throws -> [SavedGeneration] {
            try await host.application.history().filter {
                $0.reason?.contains("continued from an earlier state") == true
            }
        }

        // MARK: Servers that were restored from a backup

        /// Returns all keys and values of the application's state.
        private func backUp(_ server: EtcdServer) async throws -> [(key: String, value: [UInt8])] {
            let prefix = Self.keyspace.applicationPrefix(Self.name)
            return try await server.client.range(KeyRange(prefix, to: prefix.endOfPrefix)).entries
                .map { ($0.key, $0.value) }
        }

        /// Replaces the application's state with a backup.
        private func restore(
            _ backup: [(key: String, value: [UInt8])], on server: EtcdServer
        ) async throws {
            let prefix = Self.keyspace.applicationPrefix(Self.name)
            _ = try await server.client.commit(
                StoreTransaction(if: [], then: [.delete(prefix, to: prefix.endOfPrefix)]))
            _ = try await server.client.commit(
                StoreTransaction(if: [], then: backup.map { .put($0.key, $0.value) }))
        }

        /// Increases the revision of a server to at least a number.
        private func advance(_ server: EtcdServer, to revision: UInt64) async throws {
            let put = StoreTransaction(if: [], then: [.put("other", [])])
            while try await server.client.commit(put).storeRevision < Int64(revision) {}
        }

        @Test(arguments: [true, false])
        func `writes that etcd lost are detected at the next write and replicated again`(
            hasDocument: Bool
        ) async throws {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                if hasDocument {
                    try createDirectories("\(scratch.path)/a/Documents/\(Self.name)")
                    try scratch.write("a/Documents/\(Self.name)/notes", "lost")
                }
                try await withHost("a", in: scratch, on: server) { host in
                    try await host.text.update { $0 = "one" }
                    let backup = try await backUp(server).filter {
                        !$0.key.contains("/documents/")
                    }
                    try await host.text.update { $0 = "two" }
                    try await restore(backup, on: server)
                    let reply = try await host.text.update { $0 += " three" }
                    #expect(reply.saved == .replicated)
                    let last = try await host.text.update { $0 += " four" }
                    #expect(last.saved == .replicated)
                }
                try await withHost("b", in: scratch, on: server) { host in
                    let current = try await host.text.current
                    #expect(current == "two three four")
                }
                let documents = try Directory.open(scratch.file("b/Documents/\(Self.name)"))
                #expect(
                    try documents?.read("notes", limit: 100)
                        == (hasDocument ? Array("lost".utf8) : nil))
            }
        }

        @Test func `a host continues from its own state if etcd lost the latest state`()
            async throws
        {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                try await withHost("a", in: scratch, on: server) { host in
                    try await host.text.update { $0 = "one" }
                }
                let backup = try await backUp(server)
                try await withHost("b", in: scratch, on: server) { host in
                    try await host.text.update { $0 += " two" }
                }
                try await restore(backup, on: server)
                try await withHost("b", in: scratch, on: server) { host in
                    let current = try await host.text.current
                    #expect(current == "one two")
                }
                try await withHost("a", in: scratch, on: server) { host in
                    let current = try await host.text.current
                    #expect(current == "one two")
                    let superseded = try await supersededGenerations(host)
                    #expect(superseded.isEmpty)
                }
            }
        }

        @Test
        func `state that was not continued is retained, even if epochs repeat after a restore`()
            async throws
        {
            try await EtcdServer.with { first in
                let scratch = try ScratchDirectory()
                try await withHost("a", in: scratch, on: first) { host in
                    try await host.text.update { $0 = "one" }
                }
                let backup = try await backUp(first)
                try await advance(first, to: 100)
                try await withHost("b", in: scratch, on: first) { host in
                    for _ in 1...3 { try await host.text.update { $0 += " lost" } }
                }
                // The restored servers begin with lower revisions, and epochs are revisions.
                try await EtcdServer.with { second in
                    try await restore(backup, on: second)
                    try await withHost("a", in: scratch, on: second) { host in
                        let reply = try await host.text.update { $0 += " two" }
                        #expect(reply.saved == .replicated)
                    }
                    try await advance(second, to: 200)
                    try await withHost("b", in: scratch, on: second) { host in
                        let current = try await host.text.current
                        #expect(current == "one two")
                        // The orderly shutdown on the first servers already made a generation of that state.
                        let generation = try #require(try await host.application.history().last)
                        _ = try await host.application.rollBack(to: generation.name)
                        let lost = try await host.text.current
                        #expect(lost == "one lost lost lost")
                    }
                }
            }
        }

        @Test func `a host refuses commands after its lease deadline`() async throws {
            try await EtcdServer.with { server in
                let scratch = try ScratchDirectory()
                let isValid = AwaitableState(true)
                try await withHost(
                    "a", in: scratch, on: server, isValid: { isValid.state }
                ) { host in
                    try await host.text.update { $0 = "one" }
                    isValid.change { $0 = false }
                    await #expect(
                        throws: ApplicationError.ownedElsewhere(application: Self.name)
                    ) {
                        try await host.text.update { $0 = "two" }
                    }
                }
                try await withHost("b", in: scratch, on: server) { host in
                    let current = try await host.text.current
                    #expect(current == "one")
                }
            }
        }
    }
#endif
