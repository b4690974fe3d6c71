import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// Health check for a daemon's status.
@Suite struct HealthCheckTests {
    private func application(
        _ state: (inout ApplicationDescription) -> Void = { _ in }
    ) -> ApplicationDescription {
        .with {
            $0.bundleIdentifier = "org.example.App"
            $0.phase = .running
            $0.saved = .written
            $0.launchedScenes = 1
            $0.preservationInterval = 5
            state(&$0)
        }
    }

    private func health(
        _ state: (inout ApplicationDescription) -> Void = { _ in }
    ) -> HealthCheck {
        HealthCheck(.with { $0.applications = [application(state)] })
    }

    @Test func `a saved application has no problems`() {
        #expect(health().severity == .ok)
        #expect(health().problems == [])
        #expect(health().summary == "1 application, 1 scene, everything is saved")
        #expect(health { $0.saved = .durable }.summary.hasSuffix("everything is durable"))
    }

    @Test(
        arguments: [
            ([.replicated, .durable], "everything is durable"),
            ([.durable, .written], "everything is saved"),
            (
                [.durable, .no],
                "everything is saved except state that an application does not save"
            ),
        ] as [([SaveLevel], String)])
    func `the summary describes all applications`(levels: [SaveLevel], summary: String) {
        let applications = levels.map { level in application { $0.saved = level } }
        let health = HealthCheck(.with { $0.applications = applications })
        #expect(health.summary == "2 applications, 2 scenes, \(summary)")
    }

    @Test func `the numbers in a status may have any values`() {
        let applications = [Int.max, 1].map { number in
            application { ($0.launchedScenes, $0.failedScenes) = (number, .min + number) }
        }
        var failedApplication = application { $0.failedScenes = .min }
        failedApplication.scenes = [.with { $0.phase = .failed }]
        let health = HealthCheck(.with { $0.applications = applications + [failedApplication] })
        #expect(health.problems.map(\.severity) == [.warning])
    }

    @Test func `unsaved state and a failed launch are critical`() {
        let unsaved = health {
            $0.saved = .no
            $0.notSavedReason = "the disk is full"
        }
        #expect(unsaved.severity == .critical)
        #expect(unsaved.problems.map(\.reason) == ["not saved: the disk is full"])
        let failed = health {
            $0.phase = .failed
            $0.failure = "no delegate"
        }
        #expect(failed.severity == .critical)
        #expect(failed.problems.map(\.reason) == ["could not be launched: no delegate"])
    }

    @Test func `P1: state that a delegate does not want saved is not a problem`() {
        let unwanted = health {
            $0.saved = .no
            $0.unwanted = true
            $0.notSavedReason = "the application does not save the scene main"
        }
        #expect(unwanted.severity == .ok)
        #expect(unwanted.summary.hasSuffix("saved except state that an application does not save"))
    }

    @Test(arguments: [
        (60, 5.0, false), (61, 5.0, true), (61, 31.0, false), (7200, 3600.0, false),
        (7201, 3600.0, true),
    ])
    func `a change is overdue after twice the interval, but not before one minute`(
        seconds: Int, interval: Double, isLate: Bool
    ) {
        let health = health {
            $0.notDurableSeconds = seconds
            $0.notDurableWrites = 2
            $0.preservationInterval = interval
        }
        #expect(health.severity == (isLate ? .warning : .ok))
        #expect(
            health.problems.map(\.reason)
                == (isLate ? ["2 writes not durable for \(seconds) seconds"] : []))
    }

    @Test func `failed scenes are reported even if they are not listed`() {
        let health = health { $0.failedScenes = 2 }
        #expect(health.severity == .warning)
        #expect(health.problems.map(\.reason) == ["2 further scenes could not be launched"])
    }

    @Test func `I3: a scene with an omission is a warning`() {
        let health = health {
            $0.scenes = [
                .with {
                    $0.name = "main"
                    $0.phase = .running
                    $0.omission = "two objects are nav/page"
                }
            ]
        }
        #expect(health.severity == .warning)
        #expect(health.problems.map(\.reason) == ["in the scene main two objects are nav/page"])
    }

    @Test func `each failed scene and each scene with an omission is a warning`() {
        let health = health {
            $0.failedScenes = 3
            $0.scenes = [
                .with { ($0.name, $0.phase, $0.omission) = ("a", .running, "x") },
                .with { ($0.name, $0.phase) = ("b", .running) },
                .with { ($0.name, $0.phase, $0.omission) = ("c", .running, "y") },
                .with { ($0.name, $0.phase) = ("d", .failed) },
                .with { ($0.name, $0.phase, $0.failure) = ("e", .failed, "no class") },
            ]
        }
        #expect(
            health.problems.map(\.reason) == [
                "the scene d could not be launched: reason unknown",
                "the scene e could not be launched: no class", "in the scene a x",
                "in the scene c y", "1 further scene could not be launched",
            ])
    }

    @Test func `unsaved state is critical even without a reason`() {
        #expect(health { $0.saved = .no }.severity == .critical)
    }

    @Test func `all other problems are warnings`() {
        let scene = SceneDescription.with {
            $0.name = "main"
            $0.phase = .failed
            $0.failure = "it threw"
        }
        let application = application {
            $0.scenes = [scene]
            $0.notKept = "the disk is full"
            $0.quarantinedSinceStart = 2
            $0.lastQuarantined = "000002-data.archive"
            $0.quarantineProblem = "no permission"
        }
        let health = HealthCheck(
            .with {
                $0.configurationError = "a.yaml:1:1: wrong\nb.yaml:1:1: wrong, too"
                $0.waitingForRestart = ["the socket"]
                $0.cluster = .with {
                    $0.problem = "etcd does not answer"
                    $0.pause = .with { ($0.host, $0.time) = ("one", "noon") }
                    $0.warnings = ["1 of 3 etcd servers is away"]
                }
                $0.notWatched = [
                    .with {
                        $0.path = "/etc"
                        $0.reason = "too many watches"
                    }
                ]
                $0.applications = [application]
            })
        #expect(health.severity == .warning)
        #expect(health.problems.allSatisfy { $0.severity == .warning })
        #expect(
            health.problems.map(\.reason) == [
                "a changed configuration was not applied: a.yaml:1:1: wrong",
                "takes effect at the next restart: the socket", "etcd does not answer",
                "automatic takeover has been paused since noon, on the host one",
                "1 of 3 etcd servers is away",
                "watching is off for /etc: too many watches",
                "the scene main could not be launched: it threw",
                "no generation can be added to the history: the disk is full",
                "2 files in quarantine since the start, the last one 000002-data.archive (`reprisectl "
                    + "--app org.example.App quarantine` lists them, and `reprisectl --app org.example.App "
                    + "quarantine acknowledge` ends this warning)",
                "its quarantine cannot be read: no permission",
            ])
    }

    @Test
    func `an unreachable cluster is a warning, and an application without a host is critical`() {
        let health = HealthCheck(
            .with {
                $0.cluster = .with { $0.problem = "etcd at one does not answer" }
                $0.applications = [
                    application { $0.ownership = .with { $0.host = "two" } },
                    application {
                        $0.ownership = .with {
                            $0.host = "one"
                            $0.problem = "the database is full"
                        }
                    },
                    application { $0.ownership = .with { _ in } },
                ]
            })
        #expect(
            health.problems.map(\.reason) == [
                "etcd at one does not answer", "the database is full", "its host is unknown",
            ])
        #expect(health.severity == .warning)
        let withoutOwner = self.health {
            $0.phase = .stopped
            $0.ownership = .with { $0.problem = "takeover is paused" }
        }
        #expect(withoutOwner.severity == .critical)
        #expect(
            withoutOwner.problems.map(\.reason)
                == ["runs on no host of the cluster: takeover is paused"])
    }

    @Test func `an application that an outage stopped or that is not replicated is critical`() {
        func problems(
            _ ownership: OwnershipDescription, _ phase: ApplicationPhase
        ) -> [HealthCheck.Problem] {
            HealthCheck(
                .with {
                    $0.cluster = .with { ($0.host, $0.problem) = ("one", "no quorum") }
                    $0.applications = [
                        application { ($0.phase, $0.ownership) = (phase, ownership) }
                    ]
                }
            ).problems.filter { $0.bundleIdentifier != nil }
        }
        let unknown = problems(.with { $0.problem = "its lease ended" }, .stopped)
        #expect(unknown.map(\.severity) == [.critical])
        #expect(unknown.map(\.reason) == ["its host is unknown: its lease ended"])
        let own = problems(.with { ($0.host, $0.problem) = ("one", "its lease ended") }, .stopped)
        #expect(own.map(\.severity) == [.critical])
        // These applications run or ran on this host, and all their changes are replicated.
        let running = problems(
            .with { ($0.host, $0.problem) = ("one", "its lease ended") }, .running)
        #expect(running.map(\.severity) == [.warning])
        let replicated = problems(
            .with { ($0.host, $0.notReplicated, $0.problem) = ("one", 0, "it is full") }, .stopped)
        #expect(replicated.map(\.severity) == [.warning])
        #expect(replicated.map(\.reason) == ["it is full"])
        let other = problems(.with { ($0.host, $0.problem) = ("two", "draining") }, .stopped)
        #expect(other.map(\.severity) == [.warning])
        let unreplicated = problems(
            .with { ($0.host, $0.notReplicated, $0.problem) = ("one", 2, "it is full") }, .running)
        #expect(unreplicated.map(\.severity) == [.critical])
        #expect(unreplicated.map(\.reason) == ["2 changes not replicated: it is full"])
    }

    @Test func `a cluster warning has the level warning`() {
        let health = HealthCheck(
            .with { $0.cluster = .with { $0.warnings = ["1 of 3 etcd servers is away"] } })
        #expect(health.severity == .warning)
        #expect(health.problems.map(\.reason) == ["1 of 3 etcd servers is away"])
    }

    @Test func `the most severe problem is listed first, and critical is more severe than unknown`()
    {
        let health = HealthCheck(
            .with {
                $0.waitingForRestart = ["the socket"]
                $0.applications = [
                    application {
                        $0.saved = .no
                        $0.notSavedReason = "the disk is full"
                    }
                ]
            })
        #expect(health.problems.map(\.severity) == [.critical, .warning])
        #expect(HealthCheck.Severity.unknown < .critical)
        #expect(HealthCheck.Severity.warning < .unknown)
        #expect(HealthCheck.Severity.critical.rawValue == 2)
        #expect(HealthCheck.Severity.unknown.rawValue == 3)
    }

    @Test(arguments: [
        (Failure.Status.noDaemon, false, HealthCheck.Severity.critical),
        (.timedOut, false, .critical),
        (.noDaemon, true, .unknown), (.usage, false, .unknown), (.notPermitted, false, .unknown),
        (.refused, false, .unknown),
    ])
    func `a daemon that does not answer is critical, and one that cannot be called is unknown`(
        status: Failure.Status, isRemote: Bool, severity: HealthCheck.Severity
    ) {
        let health = HealthCheck(
            Failure("nobody answers\nat all", status: status), isRemote: isRemote)
        #expect(health.severity == severity)
        #expect(health.problems.map(\.reason) == ["nobody answers"])
    }

    @Test func `a daemon that cannot start is critical`() throws {
        for error in [
            ControlError.startFailed(problems: ["it is broken"]),
            .configurationRefused(problems: ["it is wrong"]),
        ] {
            let failure = Failure(error.varlinkError, from: "/socket", isReadOnly: true)
            #expect(HealthCheck(failure, isRemote: true).severity == .critical)
        }
    }
}
