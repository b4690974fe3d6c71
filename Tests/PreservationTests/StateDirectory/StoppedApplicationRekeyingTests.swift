import Encryption
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Re-encryption of the files of an application that has not been launched.
@Suite struct StoppedApplicationRekeyingTests {
    @Test func `the archive and the launch records are re-encrypted before the first launch`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("a secret") }
            let key = try EncryptionKey((0..<32).map { UInt8($0) })
            let sealed = try ApplicationStateDirectory(
                path: scratch.stateDirectory, keys: EncryptionKeys(sealing: key))
            var settings = HostedSettings()
            settings.stateDirectory = sealed
            try await withStoppedNotes(in: scratch, settings) { hosted async throws in
                let outdated = try #require(await sealed.outdatedFiles())
                let own = await hosted.application.rekey()
                #expect(own.failures == [])
                // The only other file contains the launch records.
                let others = await sealed.rekey(excluding: [Notes.bundleIdentifier])
                #expect(others.failures == [])
                #expect(others.count == 1)
                #expect(own.count + others.count == outdated.count)
                #expect(await sealed.outdatedFiles() == FileTally())
            }
            #expect(try !#require(scratch.archiveBytes()).contains("a secret".utf8))
            let text = try await withNotes(in: scratch, settings) { try await $0.text() }
            #expect(text == "a secret")
        }
    }
}
