import Glibc
import StateRestoration
import Testing

@testable import Preservation

@Suite struct DebugExitTests {
    /// Returns the text that is saved if the program exits at a stage of the turn that saves it.
    private func textAfterExit(at stage: Stage) async throws -> String {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("before") }
            await #expect(processExitsWith: .exitCode(3)) {
                [path = scratch.path as String, stage = stage.rawValue as String] in
                let stage = try #require(Stage(rawValue: stage))
                try await withNotes(in: ScratchDirectory(path: path)) { hosted async throws in
                    await hosted.application.armDebugExit(stage: stage, action: .exit(code: 3))
                    try await hosted.write("after")
                }
            }
            return try await withNotes(in: scratch) { try await $0.text() }
        }
    }

    @Test func `an exit at turn-begin happens before the commands run`() async throws {
        #expect(try await textAfterExit(at: .turnBegin) == "before")
    }

    @Test func `an exit at turn-commands happens before anything is written`()
        async throws
    {
        #expect(try await textAfterExit(at: .turnCommands) == "before")
    }

    @Test func `P14: an exit at turn-written happens after the write`()
        async throws
    {
        #expect(try await textAfterExit(at: .turnWritten) == "after")
    }

    @Test(arguments: [Stage.passBegin, .passEncoded])
    func `an exit during a pass happens before anything is written`(stage: Stage) async throws {
        #expect(try await textAfterExit(at: stage) == "before")
    }

    @Test func `an exit armed for a stage of the next launch happens at that stage`()
        async throws
    {
        for stage in ["launch-begin", "launch-decoded", "launch-finished"] {
            try await withScratchDirectory { scratch in
                try await withNotes(in: scratch) { try await $0.write("kept") }
                await #expect(processExitsWith: .exitCode(4)) {
                    [path = scratch.path as String, stage = stage as String] in
                    let stage = try #require(Stage(rawValue: stage))
                    try await withNotes(in: ScratchDirectory(path: path)) { hosted async throws in
                        await hosted.application.armDebugExit(stage: stage, action: .exit(code: 4))
                        try await hosted.write("changed")
                        try await hosted.application.quitUntilLaunch()
                        try await hosted.application.launch()
                    }
                }
                // The saved state is assumed to have caused the crash. It is quarantined and not lost (L2).
                let text = try await withNotes(in: scratch) { try await $0.text() }
                #expect(text == "")
                #expect(
                    try ScratchDirectory.names(in: "\(scratch.applicationDirectory)/quarantine")
                        == ["000001-main.archive", "000001-main.archive.reason"])
            }
        }
    }

    @Test func `a trap terminates the program with a signal`() async throws {
        await #expect(processExitsWith: .failure) {
            try await withScratchDirectory { scratch in
                try await withNotes(in: scratch) { hosted async throws in
                    await hosted.application.armDebugExit(stage: .turnBegin, action: .trap)
                    try await hosted.write("x")
                    exit(0)
                }
            }
        }
    }

    @Test func `an armed exit that is not reached changes nothing`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                await hosted.application.armDebugExit(stage: .launchBegin, action: .trap)
                #expect(try await hosted.write("goes on") == .written)
            }
        }
    }
}
