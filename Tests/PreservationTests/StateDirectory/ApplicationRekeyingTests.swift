import Dispatch
import Encryption
import FoundationEssentials
import SavedState
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Re-encryption of files that were stored with another key or without a key.
@Suite struct ApplicationRekeyingTests {
    private static let applications = ["First", "Second", "Third"].map { "org.example.\($0)" }

    /// Returns the paths of the archives, generations and documents that contain a string.
    private func files(with text: String, in scratch: ScratchDirectory) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: scratch.stateDirectory).filter { path in
            FileManager.default.contents(atPath: "\(scratch.stateDirectory)/\(path)").map {
                Array($0).contains(text.utf8)
            } ?? false
        }
    }

    @Test
    func
        `every outdated file is counted and re-encrypted once, whether or not its application runs`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            for application in Self.applications {
                try await withNotes(in: scratch, HostedSettings(bundleIdentifier: application)) {
                    _ = try await $0.write("a secret")
                }
                let documents = try scratch.watched(by: scratch.watch).documents(of: application)
                for name in ["a", "b"] {
                    try documents.replace(name, with: Array("a secret".utf8))
                }
            }
            // Each application has an archive, a generation and two documents.
            #expect(try files(with: "a secret", in: scratch).count == 12)
            let key = try EncryptionKey((0..<32).map { UInt8($0) })
            let sealed = try ApplicationStateDirectory(
                path: scratch.stateDirectory, keys: EncryptionKeys(sealing: key))
            #expect(sealed.encryptionKey == key.id)
            let first = Self.applications[0]
            var settings = HostedSettings(bundleIdentifier: first)
            settings.stateDirectory = sealed
            try await withNotes(in: scratch, settings) { hosted async throws in
                let outdated = try #require(await sealed.outdatedFiles())
                #expect(outdated.failures == [])
                let others = await sealed.rekey(excluding: [first])
                #expect(others.failures == [])
                let left = try files(with: "a secret", in: scratch)
                #expect(!left.isEmpty && left.allSatisfy { $0.contains(first) })
                let own = await hosted.application.rekey()
                #expect(own.failures == [])
                #expect(try files(with: "a secret", in: scratch) == [])
                #expect(others.count + own.count == outdated.count)
                #expect(await sealed.outdatedFiles() == FileTally())
                #expect(await hosted.application.rekey() == FileTally())
                #expect(await sealed.rekey(excluding: [first]) == FileTally())
                #expect(try await hosted.text() == "a secret")
            }
        }
    }

    @Test func `a cancelled search for outdated files checks no further application`() async throws
    {
        try await withScratchDirectory { scratch async throws in
            let stateDirectory = try scratch.watched(by: scratch.watch)
            for application in Self.applications {
                try stateDirectory.documents(of: application).replace("a", with: [1])
            }
            let checkedNames = AwaitableState<[String]>([])
            let permits = DispatchSemaphore(value: 0)
            scratch.watch.beforeOperation.withLock {
                $0 = { name in
                    guard name.hasPrefix("org.example.") else { return }
                    checkedNames.change { $0.append(name) }
                    permits.wait()
                }
            }
            let search = Task { await stateDirectory.outdatedFiles() }
            await checkedNames.wait { !$0.isEmpty }
            search.cancel()
            #expect(await search.value == nil)
            for _ in 0..<100 { permits.signal() }
            await stateDirectory.rekeyQueue.run {}
            scratch.watch.beforeOperation.withLock { $0 = nil }
            #expect(checkedNames.state.allSatisfy { $0.hasPrefix(Self.applications[0]) })
        }
    }
}
