import DaemonHost
import Subprocess
import Testing

/// Checks that the programs behave as `docs/troubleshooting.md` describes, and that its commands restore the state.
struct TroubleTests {
    private static let numbers = Array(1...30)

    @Test func `every case in the troubleshooting document is tested, and no other`() throws {
        #expect(try TroubleRow.all().keys.sorted() == Self.numbers)
        #expect(Troubles.all.keys.sorted() == Self.numbers)
    }

    @Test(arguments: Troubles.all.keys.sorted())
    func `the programs print what the document says, and its commands restore the state`(
        number: Int
    ) async throws {
        try requireRoot()
        let row = try #require(try TroubleRow.all()[number], "the document has no case \(number)")
        let scenario = try #require(Troubles.all[number])
        try await Host.with { host in
            let trouble = TroubledHost(host)
            defer { trouble.unmount() }
            try trouble.configure()
            do {
                try await scenario(trouble)
                if trouble.isRunning { try await trouble.diagnose() }
                for command in row.commands { try await trouble.type(command) }
                if !trouble.isRunning { try await trouble.start() }
                try await trouble.diagnose()
                if let restoreCheck = trouble.restoreCheck {
                    let output = try await trouble.type(restoreCheck.command)
                    #expect(output == restoreCheck.output, "case \(number):\n\(trouble.messages)")
                }
                try await trouble.stop()
                for sentence in row.messages where !TroubleRow.matches(trouble.messages, sentence) {
                    Issue.record("case \(number): \"\(sentence)\" is not in\n\(trouble.messages)")
                }
            } catch {
                try await trouble.stop(.kill)
                throw error
            }
        }
    }
}
