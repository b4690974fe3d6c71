import FoundationEssentials
import Preservation
import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct ApplicationMethodsTests {
    private static let notes = ReloadingHost.notes

    private func error(
        of call: some MethodCall, _ methods: ControlCaller
    ) async throws -> VarlinkError? {
        do {
            _ = try await methods.call(call)
            return nil
        } catch let error as VarlinkError {
            return error
        }
    }

    @Test func `an application can be launched and quit only once`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let running = ControlError.applicationRunning(application: Self.notes)
                .varlinkError
            let stopped = ControlError.applicationNotRunning(application: Self.notes)
                .varlinkError
            #expect(try await error(of: LaunchCall(), methods) == running)
            #expect(try await methods.call(OpenCall.with { $0.name = "two" }).saved == .written)
            let quit = try await methods.call(QuitCall())
            #expect(quit.saved != .no && quit.generation == nil)
            #expect(try await error(of: QuitCall(), methods) == stopped)
            #expect(try await error(of: PreserveCall(), methods) == stopped)
            let launched = try await methods.call(LaunchCall())
            #expect(launched.scenes.map(\.name) == ["main", "two"])
            let forced = try await methods.call(QuitCall.with { $0.force = true })
            #expect(forced.generation != nil)
            let generations = try await methods.call(HistoryCall()).generations
            #expect(generations.count == 2)
            #expect(generations.last?.path == forced.generation)
        }
    }

    @Test func `generations are listed, compared and deleted`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            for number in 0..<3 {
                _ = try await methods.call(OpenCall.with { $0.name = "scene \(number)" })
                _ = try await methods.call(ResetCall())
            }
            let generations = try await methods.call(HistoryCall()).generations
            let names = generations.map(\.name)
            try #require(names.count == 3)
            #expect(Set(generations.map(\.path)).count == 3)
            #expect(generations.allSatisfy { $0.bytes > 0 && $0.objects > 0 })
            let earlier = try await methods.call(HistoryCall.with { $0.before = names[2] })
            #expect(earlier.generations.map(\.name) == Array(names.prefix(2)))
            let comparison = try await methods.call(DiffCall.with { $0.from = names[0] })
            #expect(comparison.from == names[0] && comparison.to == nil)
            let unknown = HistoryDeleteCall.with { $0.generations = ["99"] }
            #expect(
                try await error(of: unknown, methods)?.name
                    == "org.reprise.Control.NoSuchGeneration")
            _ = try await methods.call(
                HistoryDeleteCall.with { $0.generations = [names[0], names[2]] })
            let remaining = try await methods.call(HistoryCall()).generations
            #expect(remaining.map(\.name) == [names[1]])
            let back = try await methods.call(RollbackCall.with { $0.generation = names[1] })
            #expect(back.scenes.contains("main") && back.scenes.contains("scene 1"))
        }
    }

    @Test func `entries in quarantine are listed, acknowledged and deleted`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let archive = host.applications.applications[0].archivePath
            _ = try await methods.call(QuitCall())
            for text in ["one", "two"] {
                try Data(text.utf8).write(to: URL(filePath: archive))
                _ = try await methods.call(LaunchCall())
                _ = try await methods.call(QuitCall())
            }
            let entries = try await methods.call(QuarantineCall()).quarantined
            #expect(entries.map(\.bytes) == [3, 3])
            #expect(entries.allSatisfy { $0.kind == .file && $0.reason != nil })
            let status = try await methods.call(StatusCall()).applications[0]
            #expect(status.quarantinedSinceStart == 2)
            #expect(status.lastQuarantined == entries[1].name)
            _ = try await methods.call(QuarantineAcknowledgeCall())
            let acknowledged = try await methods.call(StatusCall()).applications[0]
            #expect(acknowledged.quarantinedSinceStart == 0)
            let unknown = QuarantineDeleteCall.with { $0.names = ["none"] }
            #expect(
                try await error(of: unknown, methods)?.name
                    == "org.reprise.Control.NotInQuarantine")
            _ = try await methods.call(
                QuarantineDeleteCall.with { $0.names = [entries[0].name] })
            #expect(
                try await methods.call(QuarantineCall()).quarantined.map(\.name)
                    == [entries[1].name])
        }
    }
}
