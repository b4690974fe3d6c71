import Preservation
import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import Reprise

/// Checks of the application that a call names, for all methods with this parameter.
@Suite(.timeLimit(.minutes(10))) struct ControlImplementationTests {
    /// Methods that check other parameters before the application, and the takeover, which accepts any application.
    private static let others = ["Attach", "ClusterTake", "DebugExit", "DebugTrap"]

    /// Calls each method that names an application, and returns the errors by name.
    private func errors(
        of methods: ControlCaller, application: String, isStreaming: Bool
    ) async throws -> [String: String] {
        var errors: [String: String] = [:]
        for method in try ControlInterface.definition().methods {
            guard method.parameters.contains(where: { $0.name == "application" }),
                !Self.others.contains(method.name)
            else { continue }
            let members = method.parameters.compactMap { field in
                let value: String? =
                    switch field.type {
                    case .nullable: field.name == "application" ? "\"\(application)\"" : nil
                    case .string: field.name == "application" ? "\"\(application)\"" : "\"\""
                    case .int, .float: "0"
                    case .bool: "false"
                    default: "[]"
                    }
                return value.map { "\"\(field.name)\":\($0)" }
            }
            let answer = try await methods.answer(
                "org.reprise.Control.\(method.name)", "{\(members.joined(separator: ","))}",
                stream: isStreaming ? CollectedReplies().stream : nil)
            // A method that requires several replies is not called without them.
            if case .error(let error) = answer, error == .expectedMore { continue }
            errors[method.name] = if case .error(let error) = answer { error.name } else { "none" }
        }
        return errors
    }

    @Test(arguments: [false, true])
    func `every method refuses an application that the daemon does not host`(
        isStreaming: Bool
    ) async throws {
        try await ReloadingHost.with { host in
            let cluster = RecordingCluster()
            let methods = try ControlCaller(host.applications.applications, cluster: cluster)
            let errors = try await errors(
                of: methods, application: "org.example.None", isStreaming: isStreaming)
            #expect(errors.count > 30)
            for (method, error) in errors {
                #expect(error == "org.reprise.Control.NoSuchApplication", "\(method)")
            }
            #expect(cluster.requests.state.isEmpty)
        }
    }

    @Test func `every method except ClusterHistory refuses an application of another host`()
        async throws
    {
        try await ReloadingHost.with { host in
            let cluster = RecordingCluster(moved: [ReloadingHost.pictures])
            let methods = try ControlCaller(host.applications.applications, cluster: cluster)
            let errors = try await errors(
                of: methods, application: ReloadingHost.pictures, isStreaming: false)
            for (method, error) in errors {
                #expect(
                    error
                        == (method == "ClusterHistory"
                            ? "none" : "org.reprise.Control.OwnedElsewhere"),
                    "\(method)")
            }
            #expect(cluster.requests.state == ["history \(ReloadingHost.pictures)"])
        }
    }

    @Test func `a method without parameters accepts none`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(
                host.applications.applications, cluster: RecordingCluster())
            let names = try ControlInterface.definition().methods.filter(\.parameters.isEmpty)
                .map(\.name)
            #expect(names.count > 5)
            for name in names {
                let outcome = try await methods.answer(
                    "org.reprise.Control.\(name)", #"{"extra":1}"#)
                #expect(outcome == .error(.invalidParameter("extra")), "\(name)")
            }
        }
    }

    @Test(arguments: [
        (#"{"kinds":[]}"#, "kinds"), (#"{"after":1}"#, "instance"),
        (#"{"kinds":["closed"],"instance":"x"}"#, "after"),
    ])
    func `a client must follow at least one kind of event and specify a complete position`(
        parameters: String, wrong: String
    ) async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let outcome = try await methods.answer(
                "org.reprise.Control.Monitor", parameters,
                stream: ReplyStream { _ throws(CancellationError) in })
            #expect(outcome == .error(.invalidParameter(wrong)))
        }
    }

    @Test func `a client that continues after another process receives the current position`()
        async throws
    {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let outcome = try await methods.answer(
                "org.reprise.Control.Monitor", #"{"instance":"another","after":1}"#,
                stream: CollectedReplies().stream)
            guard case .error(let error) = outcome,
                case .eventsGone(let instance, _)? = ControlError(error)
            else {
                Issue.record("\(outcome)")
                return
            }
            #expect(instance == methods.implementation.feed.instance)
        }
    }

    @Test func `a change is not made for a client that has disconnected`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let service = try VarlinkService(
                info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
                interfaces: [try ControlRequestDispatcher(methods.implementation)], logger: .quiet)
            let call = try Call(parsing: Array(#"{"method":"org.reprise.Control.Reset"}"#.utf8))
            let outcome = await service.answer(
                call, from: Peer(pid: 1, uid: 7, gid: 0), access: .all,
                hasCallerDisconnected: { true })
            guard case .error(let error) = outcome,
                case .notReset(_, _, let reason)? = ControlError(error)
            else {
                Issue.record("\(outcome)")
                return
            }
            #expect(reason.contains("the client has disconnected"))
            #expect(try await host.application(ReloadingHost.notes).history().isEmpty)
        }
    }
}
