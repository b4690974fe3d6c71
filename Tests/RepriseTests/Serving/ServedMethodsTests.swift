import Preservation
import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import Reprise

/// Which application a call applies to, for all methods that name one.
@Suite(.timeLimit(.minutes(10))) struct ServedMethodsTests {
    /// Methods that check other parameters before the application.
    private static let others = ["Attach", "DebugExit", "DebugTrap"]

    /// Calls each method that names an application, and returns the errors by name.
    private func errors(
        of methods: CalledMethods, application: String, isStreaming: Bool
    ) async -> [String: String] {
        var errors: [String: String] = [:]
        func call<Call: ApplicationCall>(_ type: Call.Type) async {
            var call = Call()
            call.application = application
            do {
                _ = try await methods.call(
                    call, stream: isStreaming ? CollectedReplies().stream : nil)
                errors[Call.method] = "none"
            } catch let error as VarlinkError {
                errors[Call.method] = error.name
            } catch {
                errors[Call.method] = "\(error)"
            }
        }
        for type in methods.served.calls {
            if let type = type as? any ApplicationCall.Type { await call(type) }
        }
        for other in Self.others { errors[other] = nil }
        return errors
    }

    @Test(arguments: [false, true])
    func `every method refuses an application that the daemon does not host`(
        isStreaming: Bool
    ) async throws {
        try await ReloadingHost.with { host in
            let cluster = RecordingCluster()
            let methods = try CalledMethods(host.applications.applications, cluster: cluster)
            let errors = await errors(
                of: methods, application: "org.example.None", isStreaming: isStreaming)
            #expect(errors.count > 30)
            for (method, error) in errors {
                #expect(error == "org.reprise.Control.NoSuchApplication", "\(method)")
            }
            #expect(cluster.requests.state.isEmpty)
        }
    }

    @Test func `every method but the history of owners refuses an application of another host`()
        async throws
    {
        try await ReloadingHost.with { host in
            let cluster = RecordingCluster(moved: [ReloadingHost.pictures])
            let methods = try CalledMethods(host.applications.applications, cluster: cluster)
            let errors = await errors(
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
}
