import RepriseControl
import Testing
import Varlink

/// Output of `status`, and of other commands that describe scenes.
@Suite(.timeLimit(.minutes(10))) struct StatusCommandTests {
    private func status(
        atTerminal isAtTerminal: Bool = false, _ state: (inout StatusCall.Reply) -> Void
    ) async throws -> [Substring] {
        let reply = StatusCall.Reply.with {
            ($0.version, $0.processIdentifier, $0.stateDirectory) = ("2", 7, "/state")
            state(&$0)
        }
        let run = try await ProgramRun(
            "status", answers: ["Status": .reply(reply)], isAtTerminal: isAtTerminal)
        #expect(run.status == 0)
        #expect(run.errors == "")
        return run.output.split(separator: "\n")
    }

    /// Returns the lines of an application that has no further lines.
    private func lines(
        atTerminal isAtTerminal: Bool = false, in cluster: ClusterDescription? = nil,
        _ state: (inout ApplicationDescription) -> Void
    ) async throws -> [Substring] {
        let application = ApplicationDescription.with {
            ($0.bundleIdentifier, $0.bundleVersion, $0.saved) = ("a", "1", .durable)
            state(&$0)
        }
        let lines = try await status(atTerminal: isAtTerminal) {
            ($0.applications, $0.cluster) = ([application], cluster)
        }
        return Array(lines.dropFirst(cluster == nil ? 1 : cluster?.problem == nil ? 2 : 3))
    }

    @Test func `the program and its configuration problems are shown first`() async throws {
        let lines = try await status {
            ($0.program, $0.encryptionKey) = ("sample", "00ff")
            $0.configurationError = "first\nsecond"
            $0.waitingForRestart = ["the socket", "the log"]
            $0.notWatched = [
                .with { ($0.path, $0.reason) = ("/one", "no inotify") },
                .with { ($0.path, $0.reason) = ("/two", "NFS") },
            ]
            $0.applications = [
                .with { ($0.bundleIdentifier, $0.bundleVersion) = ("a", "1") },
                .with { ($0.bundleIdentifier, $0.bundleVersion) = ("b", "2") },
            ]
        }
        #expect(
            lines == [
                "sample 2, process 7, state in /state, encrypted with the key 00ff",
                "changes in the configuration or a storyboard were not applied:", "  first",
                "  second", "takes effect at the next restart: the socket",
                "takes effect at the next restart: the log", "watching is off for /one: no inotify",
                "watching is off for /two: NFS", "a 1: stopped, NOT SAVED: reason unknown",
                "b 2: stopped, NOT SAVED: reason unknown",
            ])
        #expect(try await status { $0.program = nil } == ["reprised 2, process 7, state in /state"])
    }

    @Test func `the cluster is shown with its hosts, problems and pause`() async throws {
        let cluster = ClusterDescription.with {
            ($0.name, $0.host, $0.hosts, $0.draining) = ("c", "h1", ["h1", "h2"], ["h2"])
            ($0.problem, $0.warnings) = ("no etcd", ["slow", "old"])
            $0.pause = .with {
                ($0.host, $0.time, $0.reason, $0.user) = ("h3", "noon", "disks", "user 1")
            }
        }
        #expect(
            try await status { $0.cluster = cluster }.dropFirst() == [
                "host h1 of the cluster c, with h1, h2 (draining)", "  no etcd", "  slow", "  old",
                "  automatic takeover has been paused since noon, by user 1 on the host h3: disks",
            ])
        let alone = ClusterDescription.with { ($0.name, $0.host) = ("c", "h1") }
        #expect(
            try await status { $0.cluster = alone }.dropFirst() == [
                "host h1 of the cluster c, with no known hosts"
            ])
    }

    @Test func `a clustered application is shown with its host, problem and replication state`()
        async throws
    {
        let known = ClusterDescription.with { ($0.name, $0.host) = ("c", "h1") }
        var unknown = known
        unknown.problem = "no etcd"
        for (cluster, host, expected) in [
            (known, "h2", "a 1: runs on h2"), (known, nil, "a 1: runs on no host now"),
            (unknown, nil, "a 1: its host is currently unknown"),
            (unknown, "h2", "a 1: runs on h2"),
        ] {
            let lines = try await lines(in: cluster) {
                $0.ownership = .with { ($0.host, $0.problem) = (host, "a problem") }
            }
            #expect(lines == ["\(expected)", "  a problem"])
        }
        // This host owns the application.
        let own = try await lines(in: known) {
            $0.ownership = .with { ($0.host, $0.notReplicated) = ("h1", 0) }
        }
        #expect(own == ["a 1: stopped"])
        let running = try await lines(in: known) {
            ($0.phase, $0.savedScenes, $0.launchedScenes) = (.running, 1, 1)
            $0.ownership = .with { ($0.host, $0.problem) = ("h1", "slow") }
        }
        #expect(running == ["a 1: running, nothing is saved", "  slow"])
        for (count, expected) in [
            (1, "  1 change not yet replicated"), (2, "  2 changes not yet replicated"),
        ] {
            let lines = try await lines(in: known) {
                $0.ownership = .with { ($0.host, $0.notReplicated) = ("h1", count) }
            }
            #expect(lines == ["a 1: stopped", "\(expected)"])
        }
    }

    @Test func `a running application is shown with its save state`() async throws {
        for (saved, lastPass, expected) in [
            (SaveLevel.durable, nil, "nothing is saved"),
            (.durable, "noon", "everything is durable, last saved noon"),
            (.replicated, "noon", "everything is replicated, last saved noon"),
            (.replicated, nil, "everything is replicated"),
            (
                .written, "noon",
                "everything is written, 1 write since one not yet durable, last saved noon"
            ),
            (.no, "noon", "NOT SAVED: the disk is full, last saved noon"),
        ] {
            let lines = try await lines {
                ($0.phase, $0.savedScenes, $0.launchedScenes) = (.running, 1, 1)
                ($0.saved, $0.lastPass, $0.notDurableWrites) = (saved, lastPass, 1)
                ($0.notDurableSince, $0.notSavedReason) = ("one", "the disk is full.")
            }
            #expect(lines == ["a 1: running, \(expected)"])
        }
        let stopped = try await lines { ($0.saved, $0.lastPass) = (.written, "noon") }
        #expect(stopped == ["a 1: stopped"])
        let failed = try await lines {
            ($0.phase, $0.failure, $0.saved, $0.lastError) = (.failed, "no class", .no, "no class")
            ($0.savedScenes, $0.notKept) = (1, "no room")
        }
        #expect(
            failed == [
                "a 1: failed: no class", "  no generation can be added to the history: no room",
            ])
    }

    @Test func `at a terminal, a failed or unsaved application is red`() async throws {
        for (phase, saved, isRed) in [
            (ApplicationPhase.failed, SaveLevel.durable, true), (.running, .no, true),
            (.launching, .no, true), (.stopped, .no, false), (.stopped, .durable, false),
            (.launching, .written, false),
        ] {
            let reply = StatusCall.Reply.with {
                $0.applications = [.with { ($0.phase, $0.saved) = (phase, saved) }]
            }
            let run = try await ProgramRun(
                "status", answers: ["Status": .reply(reply)], environment: ["TERM": "xterm"],
                isAtTerminal: true)
            #expect(run.output.contains("\u{1B}[31m :") == isRed, "\(run.output)")
        }
    }

    @Test func `saved scenes that are not launched are counted`() async throws {
        for (launched, saved, expected) in [
            (0, 2, ["  no scene is open, 2 saved: `reprisectl --app a open NAME` opens one"]),
            (1, 2, ["  1 scene launched, 2 saved; a command for a saved scene launches it"]),
            (2, 2, []), (3, 2, []),
        ] {
            let lines = try await lines {
                ($0.phase, $0.launchedScenes, $0.savedScenes) = (.running, launched, saved)
            }
            #expect(lines == ["a 1: running, nothing is saved"] + expected.map { $0[...] })
        }
    }

    @Test func `the last error is shown with its time and whether saving has succeeded since`()
        async throws
    {
        for (saved, time, lastPass, expected) in [
            (SaveLevel.durable, nil, nil, "  last error: torn"),
            (.durable, "t2", nil, "  last error (t2): torn"),
            (.durable, "t2", "t1", "  last error (t2): torn"),
            (.durable, "t2", "t2", "  last error (t2): torn"),
            (.written, "t2", "t3", "  last error (t2; saved successfully since): torn"),
            (.no, "t2", "t3", "  last error (t2): torn"),
        ] {
            let lines = try await lines {
                ($0.saved, $0.lastError, $0.lastErrorTime) = (saved, "torn", time)
                $0.lastPass = lastPass
            }
            #expect(lines.last.map(String.init) == expected)
        }
        let past = try await lines {
            ($0.lastError, $0.lastErrorTime) = ("torn", "2001-01-01T00:00:00Z")
        }
        #expect(past.last?.contains("(2001-01-01T00:00:00Z, ") == true)
        #expect(past.last?.hasSuffix(" days ago): torn") == true)
    }

    private func scene(_ state: (inout SceneDescription) -> Void) async throws -> [Substring] {
        let scene = SceneDescription.with {
            $0.name = "main"
            state(&$0)
        }
        let reply = LaunchCall.Reply.with { $0.scenes = [scene, scene] }
        let run = try await ProgramRun("launch", answers: ["Launch": .reply(reply)])
        let lines = run.output.split(separator: "\n")
        #expect(lines.prefix(lines.count / 2) == lines.suffix(lines.count / 2))
        return Array(lines.prefix(lines.count / 2))
    }

    @Test func `a scene is shown with its phase, launch reason and problems`() async throws {
        for (phase, reason, recorded, expected) in [
            (ScenePhase.saved, nil, 0, "saved, not launched"),
            (.failed, nil, 0, "could not be launched: reason unknown"),
            (.running, nil, 3, "waiting to be launched"),
            (.restoring, "recover", 0, "in restoration, reason recover"),
            (.running, "restore", 0, "launched with reason restore"),
            (.running, "restore", 3, "launched with reason restore, 2 of 3 objects restored"),
        ] {
            let lines = try await scene {
                ($0.phase, $0.launchReason, $0.recorded, $0.restored) = (phase, reason, recorded, 2)
            }
            #expect(lines == ["  scene main: \(expected)"])
        }
        let lines = try await scene {
            ($0.omission, $0.timedOut, $0.superfluousCompletions) = ("two are named x", true, 1)
            ($0.phase, $0.failure) = (.failed, "no class")
        }
        #expect(
            lines == [
                "  scene main: could not be launched: no class", "    two are named x",
                "    its restoration was extended for too long",
                "    its restoration was completed 1 time without having been extended",
            ])
    }

    @Test func `only the first of the unrestored objects is shown`() async throws {
        let first = UnrestoredDescription.with {
            ($0.path, $0.reason, $0.detail, $0.remedy) = ("nav", "r", "d", "do this")
        }
        let shown: [Substring] = ["    not restored: nav (r): d", "      do this"]
        let list = "not restored: `reprisectl --scene main report` lists them"
        for (count, first, expected) in [
            (0, first, []), (1, first, shown), (2, first, shown + ["    2 objects \(list)"]),
            (1, nil, ["    1 object \(list)"]),
        ] as [(Int, UnrestoredDescription?, [Substring])] {
            let lines = try await scene { ($0.unrestored, $0.firstUnrestored) = (count, first) }
            #expect(lines == ["  scene main: saved, not launched"] + expected)
        }
        let listed = try await lines {
            $0.scenes = [
                .with { ($0.name, $0.unrestored) = ("one", 2) }, .with { $0.name = "two" },
            ]
        }
        #expect(
            listed == [
                "a 1: stopped", "  scene one: saved, not launched",
                "    2 objects not restored: `reprisectl --app a --scene one report` lists them",
                "  scene two: saved, not launched",
            ])
    }

    @Test func `the health check prints one line and exits with its severity`() async throws {
        let reply = StatusCall.Reply.with {
            $0.waitingForRestart = ["the socket", "the log"]
            $0.applications = [
                .with { ($0.bundleIdentifier, $0.phase, $0.failure) = ("a", .failed, "no class") }
            ]
        }
        let line = try await ProgramRun("status --check", answers: ["Status": .reply(reply)])
        #expect(line.status == 2)
        #expect(
            line.output
                == "CRITICAL: a: could not be launched: no class; takes effect at the next restart: the "
                + "socket; takes effect at the next restart: the log\n")
        let json = try await ProgramRun(
            "--json status --check", answers: ["Status": .reply(reply)])
        #expect(json.status == 2)
        #expect(json.output.hasPrefix(#"{"health":"critical","problems":[{"application":"a","#))
        #expect(json.output.contains(#""reason":"takes effect at the next restart: the log""#))
        let refused = try await ProgramRun(
            "status --check",
            answers: ["Status": .error(.noSuchScene(application: "a", scene: "b"))])
        #expect(refused.status == 3)
        #expect(refused.output.hasPrefix("UNKNOWN: a has no scene b"))
        let whole = try await ProgramRun("status", answers: ["Status": .reply(reply)])
        #expect(whole.status == 0)
    }

    @Test func `a health check with invalid arguments reports an unknown state`() async throws {
        for (words, output) in [
            ("status --check --wrong", "UNKNOWN: "),
            ("--json status --check --wrong", #"{"health":"unknown""#),
        ] {
            let run = try await ProgramRun(words)
            #expect(run.status == 3)
            #expect(run.output.hasPrefix(output))
            #expect(run.errors.hasPrefix("reprisectl: "))
            #expect(run.calls == [])
        }
        let other = try await ProgramRun("status --wrong")
        #expect(other.status == 2)
        #expect(other.output == "")
        let refused = try await ProgramRun(
            "status --check", answers: ["Status": .reply(StatusCall.Reply())])
        #expect(refused.status == 0)
        #expect(refused.output == "OK: 0 applications, 0 scenes, everything is durable\n")
    }
}
