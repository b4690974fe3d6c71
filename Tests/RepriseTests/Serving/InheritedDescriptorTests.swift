import Glibc
import LinuxIO
import Preservation
import RepriseControl
import ServiceLifecycle
import TestSupport
import Testing
import Varlink

@testable import Reprise

/// Descriptors that child processes of a program with a control socket inherit.
@Suite struct InheritedDescriptorTests {
    /// Spawns ls(1) with posix_spawn(3), without file actions, through a shell that redirects its output.
    private static func list(in file: String) throws {
        let script = #"exec ls -l /proc/self/fd >"$0""#
        let words = ["/bin/sh", "-c", script, file]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        try #require(posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ) == 0)
        var status = CInt()
        try #require(waitpid(process, &status, 0) == process && status == 0)
    }

    /// Returns the listed descriptors.
    private func inherited(_ name: String, in scratch: ScratchDirectory) throws -> Set<String> {
        let directory = try #require(try Directory.open(scratch.path))
        let bytes = try #require(try directory.read(name, limit: 1 << 20))
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter {
            // ls(1) itself has opened the list.
            $0.contains(" -> ") && !$0.contains(" -> /proc/")
        }
        let found = lines.compactMap { line -> String? in
            let words = line.split(separator: " ")
            return words.firstIndex(of: "->").map { words[($0 - 1)...].joined(separator: " ") }
        }
        // The shell has redirected its standard output.
        return Set(found.filter { !$0.hasPrefix("1 ") })
    }

    /// Hosts an application with a connected client in this process. Lists the descriptors that a child inherits before
    /// and during that time.
    private static func host(in path: String) async throws {
        try list(in: "\(path)/before")
        let application = try Application(
            bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
            stateDirectory: ApplicationStateDirectory(path: "\(path)/state"), logger: .quiet)
        let count = try await application.value("count", default: 0)
        let control = try ControlService(
            [application], of: ProgramDescription(name: "jobs", version: "7"),
            socket: "\(path)/control", logger: .quiet)
        let services = ServiceGroup(services: [application, control], logger: .quiet)
        async let running: Void = services.run()
        for _ in 0..<5 { try await count.update { $0 += 1 } }
        _ = try await application.preserve()
        var client: VarlinkClient?
        try await waitUntil("it listens") {
            client = try? VarlinkClient(path: "\(path)/control", timeout: .seconds(300))
            return client != nil
        }
        let connected = try #require(client)
        let status = try await withTaskExecutorPreference(ThreadExecutor()) {
            try connected.call(StatusCall())
        }
        #expect(status.program == "jobs")
        let directory = try #require(try Directory.open("/proc/self/fd"))
        // This process has the archive, the sockets and the descriptors of its event loops open.
        #expect(try directory.names().count > 12)
        try list(in: "\(path)/during")
        await services.triggerGracefulShutdown()
        try await running
    }

    @Test func `a child started with posix_spawn inherits no descriptor of the library`()
        async throws
    {
        let scratch = try ScratchDirectory()
        // A separate process is necessary, because other tests open descriptors at the same time.
        _ = await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            try await Self.host(in: path)
        }
        let before = try inherited("before", in: scratch)
        let during = try inherited("during", in: scratch)
        #expect(before.contains { $0.hasPrefix("0 ") })
        #expect(during.subtracting(before) == [], "\(during) instead of \(before)")
    }
}
