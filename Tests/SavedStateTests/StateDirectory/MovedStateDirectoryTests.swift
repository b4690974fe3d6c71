import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import SavedState

/// Tests in which the path of a state directory no longer leads to it while it is in use (L4).
@Suite struct MovedStateDirectoryTests {
    /// Runs a body with the loaded archive of `state` in the test's own directory.
    private func withArchive(
        _ body: (ApplicationArchive, _ state: String, _ away: String) throws -> Void
    ) throws {
        try withScratchDirectory { path in
            let state = try StateDirectory.open("\(path)/above/state")
            let archive = try state.archive(of: Sample.application)
            _ = try archive.load()
            try body(archive, "\(path)/above/state", "\(path)/away")
        }
    }

    private func expectElsewhere(
        _ archive: ApplicationArchive, _ words: String = "leads elsewhere",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard case .unreachable(let reason) = try archive.check(readingContents: true) else {
            Issue.record("it is not noticed", sourceLocation: sourceLocation)
            return
        }
        #expect(reason.contains(words), sourceLocation: sourceLocation)
        #expect(archive.isChangedExternally, sourceLocation: sourceLocation)
        #expect(!archive.isDurable, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["above/state", "above"], [false, true])
    func `L4: nothing is saved while the path of the state directory does not resolve to it`(
        renamed: String, hasOther: Bool
    ) throws {
        try withArchive { archive, state, away in
            _ = try archive.append(Sample.first)
            let directory = String(state.dropLast("above/state".count)) + renamed
            #expect(rename(directory, away) == 0)
            if hasOther { _ = try Directory.openOrCreate("\(state)/\(Sample.directory)") }
            try expectElsewhere(archive)
            #expect(throws: SaveError.self) { try archive.append(Sample.second) }
            #expect(throws: SaveError.self) { try archive.remove(because: "it was asked for") }
            try expectElsewhere(archive)
            if hasOther {
                let other = try #require(try Directory.open("\(state)/\(Sample.directory)"))
                #expect(try other.names() == [])
                #expect(rename(directory, away + ".other") == 0)
            }
            #expect(rename(away, directory) == 0)
            #expect(try archive.check(readingContents: true) == .unchanged)
            #expect(try archive.append(TurnRecords()) == .written)
            try Sample.synchronize(archive)
            #expect(archive.isDurable)
            #expect(archive.contents?.numbers == [1, 2, 3, 5, 6])
        }
    }

    @Test(arguments: [false, true])
    func `L4: nothing in a moved state directory counts as durable, even without a check`(
        hasFile: Bool
    ) throws {
        try withArchive { archive, state, away in
            if hasFile { _ = try archive.append(Sample.first) }
            #expect(rename(state, away) == 0)
            if hasFile {
                #expect(try archive.append(Sample.second) == .written)
                #expect(archive.beginSync() == nil)
            } else {
                #expect(throws: SaveError.self) { try archive.append(Sample.first) }
            }
            #expect(archive.isChangedExternally)
            #expect(!archive.isDurable)
            #expect(throws: SaveError.self) { try archive.close() }
        }
    }

    @Test func `L4: a removed state directory counts as a removal, and nothing is saved after it`()
        throws
    {
        try withArchive { archive, state, _ in
            _ = try archive.append(Sample.first)
            let directory = try #require(try Directory.open("\(state)/\(Sample.directory)"))
            try directory.remove("data.archive")
            for name in [Sample.directory, "Saved Application State"] {
                #expect(rmdir("\(state)/\(name)") == 0)
            }
            #expect(unlink("\(state)/holder") == 0)
            #expect(rmdir(state) == 0)
            #expect(try archive.check(readingContents: true) == .removed)
            archive.discardState()
            try expectElsewhere(archive, "was removed")
            _ = try Directory.openOrCreate(state)
            try expectElsewhere(archive, "was removed")
            #expect(throws: SaveError.self) { try archive.append(Sample.first) }
            #expect(try Directory.open(state)?.names() == [])
        }
    }
}
