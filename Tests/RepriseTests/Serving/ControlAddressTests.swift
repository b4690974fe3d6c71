import Glibc
import Logging
import TestSupport
import Testing
import Varlink

@testable import Reprise

@Suite struct ControlAddressTests {
    private static func control(hasObservers: Bool) -> Configuration.Control {
        var control = Configuration.Control()
        control.observerGroup = hasObservers ? "observers" : nil
        return control
    }

    /// Passes control sockets at these paths, as a service manager does.
    static func pass(_ paths: [String]) throws {
        for (index, path) in paths.enumerated() {
            let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            try #require(UnixAddress.bindSocket(descriptor, to: path) == 0)
            try #require(listen(descriptor, 1) == 0)
            try #require(dup2(descriptor, 3 + CInt(index)) >= 0)
        }
        setenv("LISTEN_PID", "\(getpid())", 1)
        setenv("LISTEN_FDS", "\(paths.count)", 1)
        setenv("LISTEN_FDNAMES", paths.map { _ in "varlink" }.joined(separator: ":"), 1)
    }

    @Test(arguments: [false, true])
    func `without passed sockets, a socket is created with permissions for its users`(
        hasObservers: Bool
    ) throws {
        let scratch = try ScratchDirectory()
        let path = scratch.file("control")
        let controlSockets = try ControlSockets(
            PassedSockets(), socket: path, settings: Self.control(hasObservers: hasObservers),
            environment: [:], directoryName: "jobs", .quiet)
        #expect(controlSockets.paths == [path])
        #expect(controlSockets.description == path)
        #expect(controlSockets.passedSocketsDescription == nil)
        #expect(controlSockets.mode == (hasObservers ? 0o666 : 0o600))
    }

    @Test func `every passed control socket is used instead of a specified path`() async throws {
        let scratch = try ScratchDirectory()
        // Descriptors are passed at fixed numbers, which requires a separate process.
        _ = await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            let paths = ["\(path)/first", "\(path)/second"]
            try Self.pass(paths)
            let passed = try PassedSockets()
            for hasObservers in [false, true] {
                let controlSockets = try ControlSockets(
                    passed, socket: "\(path)/other",
                    settings: Self.control(hasObservers: hasObservers), environment: [:],
                    directoryName: "jobs", .quiet)
                #expect(controlSockets.paths == paths)
                #expect(
                    controlSockets.description
                        == "\(path)/first, \(path)/second, which the service manager passed")
                #expect(controlSockets.mode == (hasObservers ? 0o666 : 0o660))
            }
        }
    }
}
