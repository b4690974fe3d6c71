import FoundationEssentials
import Preservation
import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct BackupMethodsTests {
    private func backup(
        _ methods: ControlCaller, of application: String? = nil
    ) async throws -> (last: BackupCall.Reply, parts: [BackupCall.Reply]) {
        let collected = CollectedReplies()
        let last = try await methods.call(
            BackupCall.with { $0.application = application }, stream: collected.stream)
        return (last, try collected.decoded(as: BackupCall.Reply.self))
    }

    @Test func `a backup contains all files of all applications and lists the files that it omits`()
        async throws
    {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(PreserveCall())
            for name in ["a", "b"] {
                try host.scratch.write("state/Saved Application State/\(name)", "")
            }
            let documents = "state/Documents/\(ReloadingHost.notes)"
            let long = String(repeating: "x", count: BackupCall.maximumChunkBytes)
            let texts = ["empty": "", "exact": long, "longer": long + "y", "short": "z"]
            for (name, text) in texts { try host.scratch.write("\(documents)/\(name)", text) }
            let (last, parts) = try await backup(methods)
            #expect(last.path == nil && last.elsewhere == nil)
            #expect(
                parts.filter { $0.isLeftOut == true }.map(\.path).sorted { $0! < $1! }
                    == ["Saved Application State/a", "Saved Application State/b"])
            var files: [String: [UInt8]] = [:]
            for part in parts where part.isLeftOut != true {
                let path = try #require(part.path)
                #expect(part.offset == files[path, default: []].count)
                files[path, default: []] += Array(try #require(Data(base64Encoded: part.data)))
                #expect(part.bytes >= files[path]!.count)
            }
            for (name, text) in texts {
                let path = "Documents/\(ReloadingHost.notes)/\(name)"
                #expect(files[path].map { String(decoding: $0, as: UTF8.self) } == text)
                #expect(
                    parts.filter { $0.path == path }.map(\.offset)
                        == (name == "longer" ? [0, long.utf8.count] : [0]))
            }
            for application in [ReloadingHost.notes, ReloadingHost.pictures] {
                #expect(
                    files.keys.contains { $0.hasPrefix("Saved Application State/\(application)") })
            }
            let (_, own) = try await backup(methods, of: ReloadingHost.pictures)
            #expect(!own.isEmpty)
            #expect(own.allSatisfy { $0.path?.contains(ReloadingHost.pictures) == true })
        }
    }

    @Test func `the last reply lists the applications of other hosts`() async throws {
        try await ReloadingHost.with { host in
            let names = host.applications.applications.map(\.bundleIdentifier)
            let methods = try ControlCaller(
                host.applications.applications, cluster: RecordingCluster(moved: names))
            let (last, parts) = try await backup(methods)
            #expect(last.elsewhere?.map(\.application) == names)
            #expect(last.elsewhere?.map(\.host) == ["two", "two"])
            #expect(parts.isEmpty)
        }
    }

    @Test
    func `only one backup runs at a time, and it requires a client that accepts several replies`()
        async throws
    {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(PreserveCall())
            await #expect(throws: VarlinkError.expectedMore) {
                try await methods.call(BackupCall())
            }
            let hasBegun = AwaitableState(false), mayContinue = AwaitableState(false)
            async let first = methods.call(
                BackupCall(),
                stream: ReplyStream { _ in
                    hasBegun.change { $0 = true }
                    await mayContinue.wait { $0 }
                })
            await hasBegun.wait { $0 }
            for application in [nil, ReloadingHost.pictures] {
                let expected = ControlError.notBackedUp(
                    application: application ?? ReloadingHost.notes,
                    reason: "another backup is running: try again later"
                ).varlinkError
                await #expect(throws: expected) {
                    try await backup(methods, of: application)
                }
            }
            mayContinue.change { $0 = true }
            #expect(try await first.path == nil)
            #expect(try await !backup(methods).parts.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a backup ends with an error when the client disconnects`(isLast: Bool) async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(PreserveCall())
            // The paths that are not in the backup are sent last.
            try host.scratch.write("state/Saved Application State/foreign", "")
            let stream = ReplyStream { replies throws(CancellationError) in
                let isOmission = replies.contains {
                    (try? JSONText.read(BackupCall.Reply.self, from: $0))?.isLeftOut == true
                }
                if isOmission == isLast { throw CancellationError() }
            }
            let expected = ControlError.daemonEnding.varlinkError
            await #expect(throws: expected) {
                try await methods.call(BackupCall(), stream: stream)
            }
            if isLast { return }
            await #expect(throws: expected) {
                try await methods.call(
                    BackupCall.with { $0.application = ReloadingHost.pictures }, stream: stream)
            }
        }
    }

    @Test func `a backup stops if the client disconnects when an omitted path is reported`()
        async throws
    {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(PreserveCall())
            // A directory among the documents is not in the backup.
            try host.scratch.write("state/Documents/\(ReloadingHost.notes)/directory/file", "")
            let omission = AwaitableState<String?>(nil)
            let stream = ReplyStream { replies throws(CancellationError) in
                for bytes in replies {
                    let reply = try? JSONText.read(BackupCall.Reply.self, from: bytes)
                    if reply?.isLeftOut == true {
                        omission.change { $0 = reply?.path }
                        throw CancellationError()
                    }
                }
            }
            await #expect(throws: ControlError.daemonEnding.varlinkError) {
                try await methods.call(BackupCall(), stream: stream)
            }
            #expect(omission.state == "Documents/\(ReloadingHost.notes)/directory")
        }
    }
}
