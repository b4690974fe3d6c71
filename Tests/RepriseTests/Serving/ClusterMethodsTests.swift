import Preservation
import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct ClusterMethodsTests {
    /// Calls each method of a cluster, and returns the errors.
    private func errors(_ methods: ControlCaller) async throws -> [VarlinkError?] {
        func error(of call: some MethodCall) async throws -> VarlinkError? {
            do {
                _ = try await methods.call(call)
                return nil
            } catch let error as VarlinkError {
                return error
            }
        }
        return [
            try await error(of: RelocateCall.with { $0.host = "two" }),
            try await error(of: DrainCall()), try await error(of: ClusterCall()),
            try await error(of: ClusterHistoryCall()),
            try await error(
                of: ClusterHistoryCall.with { $0.application = ReloadingHost.pictures }),
            try await error(of: ClusterPauseCall()), try await error(of: ClusterResumeCall()),
            try await error(of: ClusterTakeCall.with { $0.application = ReloadingHost.notes }),
        ]
    }

    @Test func `outside a cluster, every cluster method reports that there is no cluster`()
        async throws
    {
        try await ReloadingHost.with { host in
            let errors = try await errors(ControlCaller(host.applications.applications))
            let names = [
                ReloadingHost.notes, nil, nil, nil, ReloadingHost.pictures, nil, nil,
                ReloadingHost.notes,
            ]
            #expect(
                errors
                    == (names.map {
                        ControlError.notInCluster(application: $0).varlinkError
                    })
            )
        }
    }

    @Test func `the cluster receives the parameters of each call`() async throws {
        try await ReloadingHost.with { host in
            let cluster = RecordingCluster()
            let methods = try ControlCaller(host.applications.applications, cluster: cluster)
            #expect(try await methods.call(RelocateCall.with { $0.host = "two" }).host == "two")
            let moved = try await methods.call(DrainCall()).moved
            #expect(moved.map(\.application) == ["a", "b"])
            _ = try await methods.call(DrainCall.with { $0.end = true })
            #expect(try await methods.call(ClusterCall()).leaseSeconds == 9)
            let history = try await methods.call(ClusterHistoryCall())
            #expect(history.changes.map(\.host) == ["one", "two"])
            let pause = try await methods.call(ClusterPauseCall.with { $0.reason = "network" })
            #expect(pause.replaced?.host == "three")
            _ = try await methods.call(ClusterResumeCall())
            for force in [nil, false, true] {
                _ = try await methods.call(
                    ClusterTakeCall.with {
                        $0.application = ReloadingHost.pictures
                        $0.force = force
                    })
            }
            #expect(
                cluster.requests.state == [
                    "move \(ReloadingHost.notes) two", "drain true", "drain false", "history -",
                    "pause network user 7", "resume", "take \(ReloadingHost.pictures) false user 7",
                    "take \(ReloadingHost.pictures) false user 7",
                    "take \(ReloadingHost.pictures) true user 7",
                ])
        }
    }

    @Test func `the reply contains an error of the cluster`() async throws {
        try await ReloadingHost.with { host in
            let failure = ControlError.notMoved(application: "a", host: "b", reason: "c")
            let methods = try ControlCaller(
                host.applications.applications, cluster: RecordingCluster(failure: failure))
            var expected = [VarlinkError?](repeating: failure.varlinkError, count: 8)
            // Reading the state of a cluster never fails.
            expected[2] = nil
            #expect(try await errors(methods) == expected)
        }
    }

    @Test func `an application that is not hosted cannot be taken over`() async throws {
        try await ReloadingHost.with { host in
            let cluster = RecordingCluster()
            let methods = try ControlCaller(host.applications.applications, cluster: cluster)
            let expected = ControlError.noSuchApplication(application: "x").varlinkError
            await #expect(throws: expected) {
                try await methods.call(ClusterTakeCall.with { $0.application = "x" })
            }
            #expect(cluster.requests.state.isEmpty)
        }
    }
}
