import Glibc
import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import RepriseWeb

@Suite struct DaemonSocketsTests {
    /// Sockets that accept connections and never reply.
    private final class Listeners {
        let directory: ScratchDirectory
        private var descriptors: [CInt] = []

        init(_ names: [String]) throws {
            directory = try ScratchDirectory()
            for name in names {
                let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
                descriptors.append(descriptor)
                try #require(UnixAddress.bindSocket(descriptor, to: directory.file(name)) == 0)
                try #require(listen(descriptor, 8) == 0)
            }
        }

        deinit { for descriptor in descriptors { close(descriptor) } }

        func sockets(_ names: [String]) -> DaemonSockets {
            DaemonSockets(names.map(directory.file))
        }
    }

    /// Asks each daemon that is tried, and returns the names of their sockets.
    private func tried(
        _ sockets: DaemonSockets, _ replies: [String: CallFailure<ControlError>]
    ) async -> ([String], (any Error)?) {
        var names: [String] = []
        do {
            try await sockets.withOwner(of: "app") { _, path in
                let name = path.split(separator: "/").last.map(String.init) ?? ""
                names.append(name)
                if let failure = replies[name] { throw failure }
            }
            return (names, nil)
        } catch {
            return (names, error)
        }
    }

    @Test func `the daemon that runs the application is found, and is tried first from then on`()
        async throws
    {
        let listeners = try Listeners(["one", "two"])
        let sockets = listeners.sockets(["missing", "one", "two"])
        let elsewhere = CallFailure<ControlError>.refused(
            .ownedElsewhere(application: "app", host: "b"))
        var result = await tried(sockets, ["one": elsewhere])
        #expect(result.0 == ["one", "two"])
        #expect(result.1 == nil)
        #expect(sockets.paths(for: "app").first == listeners.directory.file("two"))
        #expect(sockets.paths(for: "app").count == 3)
        #expect(sockets.paths(for: "other").first == listeners.directory.file("missing"))
        result = await tried(sockets, ["two": elsewhere])
        #expect(result.0 == ["two", "one"])
    }

    @Test func `the error of a daemon that replied is reported`() async throws {
        let listeners = try Listeners(["one"])
        let sockets = listeners.sockets(["one", "missing"])
        let failure = CallFailure<ControlError>.refused(
            .ownedElsewhere(application: "app", host: "b"))
        let result = await tried(sockets, ["one": failure])
        #expect(result.0 == ["one"])
        #expect(result.1 as? CallFailure<ControlError> == failure)
    }

    @Test func `a refusal that does not depend on the host ends the search`() async throws {
        let listeners = try Listeners(["one", "two"])
        let failure = CallFailure<ControlError>.refused(.textChanged(path: "a", text: "b"))
        let result = await tried(listeners.sockets(["one", "two"]), ["one": failure])
        #expect(result.0 == ["one"])
        #expect(result.1 as? CallFailure<ControlError> == failure)
    }

    @Test func `a connection that fails is an error if no daemon replies`() async throws {
        let result = await tried(DaemonSockets(["/nonexistent/a", "/nonexistent/b"]), [:])
        #expect(result.0 == [])
        #expect(result.1 is ClientError)
    }
}
