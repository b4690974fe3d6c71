import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Behavior of a daemon when the file system of its state is full, broken or read-only.
@Suite(.serialized) struct FileSystemTests {
    /// A field whose strings need separate blocks.
    private static let field = Field(path: Field.child1.path, byteCount: 9_000)

    /// Requires that all places report that nothing is saved, and why, and that the live state is not affected.
    private func requireUnsaved(
        _ number: Int, _ client: ControlClient, _ host: Host, because errors: [Errno],
        remedy: String
    ) async throws {
        let reply = try client.type(number, into: Self.field)
        try #require(reply.saved == "no")
        let reason = try #require(reply.notSavedReason)
        try #require(errors.contains { reason.contains($0.description) }, "\(reply)")
        try #require(reason.contains(host.state.string), "the file is not named: \(reason)")
        try #require(reason.contains(remedy), "what to do is not told: \(reason)")
        let content = try client.content(of: Self.field)
        try #require(content.text == Self.field.text(number))
        let status = try client.status()
        try #require(status.saved == "no")
        // A later attempt may have failed at another call.
        let attempt = try #require(status.notSavedReason)
        try #require(errors.contains { attempt.contains($0.description) }, "\(status)")
        let statusResult = try await host.control("status")
        try #require(
            statusResult.output.contains("NOT SAVED") || statusResult.output.contains("not saved"))
        try #require(statusResult.output.contains(remedy), "\(statusResult)")
        let typed = try await host.control(
            "type", Self.field.path, Self.field.text(number), "--select",
            "\(Self.field.caret(number))..\(Self.field.caret(number))")
        try #require(typed.errors.contains("NOT SAVED"), "\(typed)")
    }

    /// Requires that the failure was reported to the log and the service manager, and its end as well if `hasEnded` is
    /// set.
    private func requireLogged(_ end: DaemonResult<Void>, hasEnded: Bool) throws {
        let lines = end.log.split(separator: "\n")
        let failure = try #require(
            lines.firstIndex { $0.hasPrefix("<3>") && $0.contains("could not save") })
        let resumed = lines[failure...].contains { $0.contains("saving works again") }
        try #require(resumed == hasEnded, "\(end.log)")
        let status = end.messages.joined().filter { $0.hasPrefix("STATUS=") }
        try #require(status.contains { $0.contains("not saved") }, "\(status)")
    }

    /// Calls a closure with a host of ChildViews whose state is on a small separate file system.
    private func withDisk(_ body: (Host, Disk) async throws -> Void) async throws {
        try requireRoot()
        try await Host.with { host in
            try host.configure(applications: Host.childViews)
            try await Disk.with(host) { disk in try await body(host, disk) }
        }
    }

    private func awaitSaved(_ client: ControlClient) throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while try client.status().saved == "no" { try #require(.now < deadline) }
    }

    @Test
    func
        `a full file system is reported, damages no saved state, and saving resumes automatically`()
        async throws
    {
        try await withDisk { host, disk in
            let ended = try await host.run(endingBy: .kill) { _ in
                let client = try ControlClient(host)
                for number in 1...3 {
                    try #require(try client.type(number, into: Self.field).isSaved)
                }
                try #require(try client.preserve().saved == "durable")
                try disk.fill()
                for number in 4...6 {
                    try await requireUnsaved(
                        number, client, host, because: [.noSpace], remedy: "free some space")
                }
                try disk.free()
                try awaitSaved(client)
                try #require(try client.type(7, into: Self.field).isSaved)
            }
            try requireLogged(ended, hasEnded: true)
            try await host.requireRestored((Self.field, 7...7))
            try #require(try host.quarantined() == [])
        }
    }

    @Test func `saved state survives a kill on a full file system`()
        async throws
    {
        try await withDisk { host, disk in
            let ended = try await host.run(endingBy: .kill) { _ in
                let client = try ControlClient(host)
                for number in 1...3 {
                    try #require(try client.type(number, into: Self.field).isSaved)
                }
                try disk.fill()
                try await requireUnsaved(
                    4, client, host, because: [.noSpace], remedy: "free some space")
            }
            try requireLogged(ended, hasEnded: false)
            // The file system is still full, but the saved state is restored.
            try await host.requireRestored((Self.field, 3...3))
            try disk.free()
            try await host.requireRestored(
                (Self.field, 3...3), reasons: ["recover", "restore"])
            try #require(try host.quarantined() == [])
        }
    }

    @Test
    func
        `a file system that becomes read-only is reported, and the last durable state is restored`()
        async throws
    {
        try await withDisk { host, disk in
            let ended = try await host.run(endingBy: .kill) { _ in
                let client = try ControlClient(host)
                for number in 1...3 {
                    try #require(try client.type(number, into: Self.field).isSaved)
                }
                try #require(try client.preserve().saved == "durable")
                try #require(try client.type(4, into: Self.field).isSaved)
                try await host.run(
                    command: ["mount", "-o", "remount,abort", disk.directory.string])
                for number in 5...7 {
                    try await requireUnsaved(
                        number, client, host, because: [.readOnlyFileSystem, .ioError],
                        remedy: "make its file system writable again")
                }
            }
            try requireLogged(ended, hasEnded: false)
            try #require(umount2(disk.directory.string, 0) == 0)
            try await disk.mount(host)
            // For changes that were not durable, an abort is like a power cut.
            try await host.requireRestored((Self.field, 3...4))
        }
    }

    @Test(arguments: [true, false])
    func `state is restored from a read-only state directory, and changes are reported as unsaved`(
        isReadOnlyMount: Bool
    ) async throws {
        try requireRoot()
        try await Host.with { host in
            try host.configure(applications: Host.childViews)
            try await host.run { _ in
                try #require(try ControlClient(host).type(1, into: Self.field).isSaved)
            }
            let before = try host.archive.read()
            if isReadOnlyMount {
                let path = host.state.string
                try await host.run(command: ["mount", "--bind", path, path])
                try await Mount.unmounting(host.state) {
                    try await host.run(command: ["mount", "-o", "remount,bind,ro", path])
                    try await requireUnwritable(
                        host, by: [], .readOnlyFileSystem, "make its file system writable again")
                }
            } else {
                try await host.run(command: ["chmod", "-R", "a+rX", host.state.string])
                try await requireUnwritable(
                    host, by: OtherUser.prefix(host), .permissionDenied, "give this user access")
            }
            try #require(try host.archive.read() == before)
            try await host.requireRestored((Self.field, 1...1), reasons: ["restore"])
        }
    }

    private func requireUnwritable(
        _ host: Host, by prefix: [String], _ errno: Errno, _ remedy: String
    ) async throws {
        let ended = try await host.run(by: prefix) { daemon in
            let client = try ControlClient(host)
            let content = try client.content(of: Self.field)
            try #require(content.text == Self.field.text(1))
            let statusText = try #require(daemon.ready.first { $0.hasPrefix("STATUS=") })
            try #require(statusText.contains("not saved"), "\(statusText)")
            let status = try client.status()
            try #require(status.saved == "no", "\(status)")
            try #require(status.notSavedReason?.contains(errno.description) == true, "\(status)")
            try #require(status.scenes.allSatisfy { $0.launchReason == "restore" }, "\(status)")
            try await requireUnsaved(2, client, host, because: [errno], remedy: remedy)
        }
        try #require(
            ended.log.split(separator: "\n").contains {
                ["<3>", "<4>"].contains($0.prefix(3)) && $0.contains(errno.description)
            }, "\(ended.log)")
    }
}
