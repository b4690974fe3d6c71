import Encryption
import ExactText
import FoundationEssentials
import Preservation
import RepriseControl
import StateRestoration
import TestSupport
import Testing
import Varlink

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct DaemonMethodsTests {
    @Test func `the status contains the values of the daemon and of every application`()
        async throws
    {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(
                host.applications.applications, cluster: RecordingCluster())
            methods.daemonState.update {
                $0.configurationError = "line 1"
                $0.changesAtRestart = ["a", "b"]
                $0.watchProblems = [ExactString("/b"): "two", ExactString("/a"): "one"]
            }
            let status = try await methods.call(StatusCall())
            #expect(status.program == "jobs" && status.version == "7")
            #expect(status.started == "1970-01-01T00:00:01Z")
            #expect(status.stateDirectory == host.applications.applications[0].stateDirectory.path)
            #expect(status.configurationError == "line 1")
            #expect(status.waitingForRestart == ["a", "b"])
            #expect(status.notWatched.map(\.path) == ["/a", "/b"])
            #expect(status.notWatched.map(\.reason) == ["one", "two"])
            #expect(status.cluster?.name == "test")
            #expect(
                status.applications.map(\.ownership?.host) == [
                    "owner of \(ReloadingHost.notes)", "owner of \(ReloadingHost.pictures)",
                ])
            let list = try await methods.call(ListCall()).applications
            #expect(
                list.map(\.bundleIdentifier) == [ReloadingHost.notes, ReloadingHost.pictures])
            #expect(
                list.map(\.ownership?.host) == [
                    "owner of \(ReloadingHost.notes)", "owner of \(ReloadingHost.pictures)",
                ])
            #expect(list.map(\.phase) == [.running, .running])
            _ = try await methods.call(OpenCall.with { $0.name = "two" })
            let opened = try await methods.call(ListCall()).applications
            #expect(opened.map { $0.scenes.map(\.name) } == [["main", "two"], ["main"]])
            #expect(opened[0].scenes.map(\.phase) == [.running, .running])
            let metrics = try await methods.call(MetricsCall()).text
            #expect(metrics.contains("\nreprise_cluster_hosts 5\n"))
            #expect(metrics.hasSuffix("# EOF\n"))
            let older = try await methods.call(MetricsCall.with { $0.format = .prometheus })
            #expect(!older.text.contains("# EOF"))
        }
    }

    @Test func `without keys, rekey has no files to change`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(PreserveCall())
            let reply = try await methods.call(RekeyCall())
            #expect(reply.files == 0 && reply.key == nil)
        }
    }

    @Test func `a program without a reloadable configuration does not serve Reload`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            await #expect(
                throws: VarlinkError.methodNotImplemented(ReloadCall.qualifiedMethod)
            ) { try await methods.call(ReloadCall()) }
        }
    }

    @Test func `debug exits must be allowed and require a known stage and a valid status`()
        async throws
    {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let exit = DebugExitCall.with { $0.stage = "none" }
            let trap = DebugTrapCall.with { $0.stage = "none" }
            let notAllowed = ControlError.debugExitsNotAllowed.varlinkError
            await #expect(throws: notAllowed) { try await methods.call(exit) }
            await #expect(throws: notAllowed) { try await methods.call(trap) }
            methods.daemonState.update { $0.configuration.debug.allowsDebugExit = true }
            let noStage = ControlError.noSuchStage(
                stage: "none", stages: Stage.allCases.map(\.rawValue)
            ).varlinkError
            await #expect(throws: noStage) { try await methods.call(exit) }
            await #expect(throws: noStage) { try await methods.call(trap) }
            for status in [-1, 256] {
                await #expect(throws: VarlinkError.invalidParameter("status")) {
                    try await methods.call(
                        DebugExitCall.with {
                            $0.stage = Stage.allCases[0].rawValue
                            $0.status = status
                        })
                }
            }
        }
    }

    @Test func `a debug exit requires an application that the daemon hosts`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            methods.daemonState.update { $0.configuration.debug.allowsDebugExit = true }
            let expected = ControlError.noSuchApplication(application: "none").varlinkError
            await #expect(throws: expected) {
                try await methods.call(
                    DebugExitCall.with {
                        $0.application = "none"
                        $0.stage = Stage.allCases[0].rawValue
                    })
            }
            await #expect(throws: expected) {
                try await methods.call(
                    DebugTrapCall.with {
                        $0.application = "none"
                        $0.stage = Stage.allCases[0].rawValue
                    })
            }
        }
    }

    @Test func `rekey encrypts the files of every application`() async throws {
        let scratch = try ScratchDirectory()
        let names = ["org.example.A", "org.example.B"]
        let documents = names.map { "state/Documents/\($0)/note" }
        for document in documents { try scratch.write(document, "a secret") }
        let key = try EncryptionKey((0..<32).map { UInt8($0) })
        let directory = try ApplicationStateDirectory(
            path: scratch.file("state"), keys: EncryptionKeys(sealing: key))
        let applications = try names.map { name in
            try Application(
                bundleIdentifier: name, bundleVersion: "1", stateDirectory: directory,
                logger: .quiet)
        }
        let running = applications.map { application in Task { try await application.run() } }
        for application in applications { try await application.waitUntilLaunched() }
        let reply = try await ControlCaller(applications).call(RekeyCall())
        #expect(reply.key == directory.encryptionKey)
        #expect(reply.files >= 2)
        for document in documents {
            let bytes = try Data(contentsOf: URL(filePath: scratch.file(document)))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("a secret"))
        }
        for task in running {
            task.cancel()
            try await task.value
        }
    }

    @Test func `rekey reports that the daemon is stopping if the call is cancelled`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let rekeying = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await methods.call(RekeyCall())
            }
            await #expect(throws: ControlError.daemonEnding.varlinkError) {
                try await rekeying.value
            }
        }
    }
}
