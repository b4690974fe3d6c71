import Logging
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Generations that would be equal to the newest generation, and surplus generations.
@Suite struct DuplicateGenerationTests {
    private func names(_ scratch: ScratchDirectory) throws -> [String] {
        try ScratchDirectory.names(in: scratch.history).filter { $0.hasSuffix(".archive") }
            .map { String($0.dropLast(8)) }
    }

    private func save(_ texts: String..., in scratch: ScratchDirectory) async throws {
        for text in texts { try await withNotes(in: scratch) { try await $0.write(text) } }
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `P22: states that differ only in the Unicode form of a text are separate generations`(
        one: String, other: String
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(one, other, in: scratch)
            #expect(try names(scratch) == ["000001", "000002"])
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let differences = try await application.diff(from: "1", to: "2").differences
                #expect(differences.listedDifferences.count == 1)
                #expect(try await application.diff(from: "2").differences.isEmpty)
                try await application.rollBack(to: "1")
                #expect(try await hosted.text().utf8.elementsEqual(one.utf8))
            }
        }
    }

    @Test func `repeated storyboard changes add unchanged state to the history only once`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("one")
                for resources: UInt64 in [7, 8, 9] {
                    try await hosted.application.reload(notes.definition(resources: resources))
                    #expect(try names(scratch) == ["000001"])
                }
                try await hosted.write("two")
                try await hosted.application.reload(notes.definition(resources: 10))
                #expect(try names(scratch) == ["000001", "000002"])
                #expect(try scratch.generations()[1].contains("two".utf8))
            }
        }
    }

    @Test func `a repeated rollback adds the same state only once and names its generation`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save("first", in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                func rollBack() async throws -> String? {
                    let generation = try await hosted.application.rollBack(to: "1").generation
                    return generation.map { String($0.suffix(14).dropLast(8)) }
                }
                #expect(try await rollBack() == "000001")
                #expect(try names(scratch) == ["000001"])
                try await hosted.write("second")
                #expect(try await rollBack() == "000002")
                // The newest generation now contains a different state.
                #expect(try await rollBack() == "000003")
                for _ in 0..<2 { #expect(try await rollBack() == "000003") }
                // A failed rollback does not delete existing generations.
                notes.behavior.failsDidFinishLaunching = true
                await #expect(throws: ApplicationError.self) { try await rollBack() }
                scratch.watch.failWriting("data.archive", with: 28)
                await #expect(throws: ApplicationError.self) { try await rollBack() }
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(try names(scratch) == ["000001", "000002", "000003"])
            }
        }
    }

    @Test func `a failed rollback neither adds nor removes a generation`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save("first", "second", in: scratch)
            let notes = Notes()
            var settings = HostedSettings()
            settings.history.count = 2
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                try await hosted.write("third")
                notes.behavior.failsDidFinishLaunching = true
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: "1")
                }
                #expect(try names(scratch) == ["000001", "000002"])
                notes.behavior.failsDidFinishLaunching = false
                try await hosted.application.rollBack(to: "1")
                #expect(try names(scratch) == ["000002", "000003"])
            }
        }
    }

    @Test func `R16: an unrestored object causes one warning and one generation`()
        async throws
    {
        var behavior = Notes.Behavior()
        behavior.registersExtra = true
        try await withScratchDirectory { scratch async throws in
            try await withNotes(Notes(behavior), in: scratch) { try await $0.write("one") }
            for launch in 0..<5 {
                try await withNotes(in: scratch) { hosted async throws in
                    let logged = hosted.log.entries.filter {
                        $0.message.contains("was not restored")
                    }
                    #expect(logged.map(\.level) == [launch == 0 ? .warning : .info])
                }
            }
            #expect(try names(scratch) == ["000001"])
        }
    }

    @Test func `a lower generation limit applies at once and at the next start`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save("one", "two", "three", in: scratch)
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try names(scratch).count == 3)
                var settings = await hosted.application.settings
                settings.history.count = 2
                await hosted.application.apply(settings)
                #expect(try names(scratch) == ["000002", "000003"])
            }
            var settings = HostedSettings()
            settings.history.count = 1
            try await withNotes(in: scratch, settings) { _ async throws in
                #expect(try names(scratch) == ["000003"])
            }
        }
    }
}
