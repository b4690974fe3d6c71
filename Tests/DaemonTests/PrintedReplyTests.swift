import DaemonHost
import RepriseControl
import Subprocess
import SystemPackage
import Testing
import Varlink

/// Complete output of the command-line client for a reply.
struct PrintedReplyTests {
    /// Requires the output of a command to which a service replies in place of the daemon.
    private func require(
        _ command: String, _ reply: some JSONWritable & Sendable, prints lines: [String],
        errors errorLines: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await Host.with { host in
            let words = command.split(separator: " ").filter { !$0.hasPrefix("-") }
            func capitalized(_ word: Substring) -> String {
                "\(word.prefix(1).uppercased())\(word.dropFirst())"
            }
            let method =
                command.contains("put-back")
                ? "QuarantinePutBack"
                : words.first == "cluster"
                    ? "Cluster\(words.count > 1 ? capitalized(words[1]) : "")"
                    : capitalized(words.first ?? "")
            let result = try await host.runWithStub(
                [method: [try StubReply(reply)]], "$CTL \(command)")
            #expect(result.status.isSuccess, "\(result)", sourceLocation: sourceLocation)
            #expect(
                result.output == lines.map { "\($0)\n" }.joined(), sourceLocation: sourceLocation)
            #expect(
                result.errors == errorLines.map { "reprisectl: \($0)\n" }.joined(),
                sourceLocation: sourceLocation)
        }
    }

    // MARK: Status

    private static let scenes: [SceneDescription] = [
        .with { ($0.name, $0.phase, $0.launchReason) = ("main", .running, "restore") },
        .with {
            ($0.name, $0.phase, $0.launchReason) = ("other", .running, "recover")
            ($0.recorded, $0.restored, $0.unrestored) = (3, 1, 2)
            $0.firstUnrestored = unrestored("nav", remedy: "mend it")
            ($0.superfluousCompletions, $0.timedOut, $0.omission) = (1, true, "two are nav")
        },
        .with {
            ($0.name, $0.phase, $0.launchReason) = ("third", .restoring, "pristine")
            ($0.recorded, $0.restored, $0.unrestored) = (1, 0, 1)
            $0.firstUnrestored = unrestored("nav/view")
        },
        .with { ($0.name, $0.phase) = ("waiting", .running) },
        .with { ($0.name, $0.phase) = ("closed", .saved) },
        .with { ($0.name, $0.phase) = ("broken", .failed) },
    ]

    private static func unrestored(
        _ path: String, remedy: String? = nil
    ) -> UnrestoredDescription {
        .with {
            ($0.path, $0.reason, $0.detail, $0.remedy) = (path, "gone", "it is not there", remedy)
        }
    }

    /// Returns the expected lines for ``scenes``.
    ///
    /// - Parameter program: `reprisectl` with the option that names the application.
    private static func sceneLines(_ program: String) -> [String] {
        [
            "  scene main: launched with reason restore",
            "  scene other: launched with reason recover, 1 of 3 objects restored",
            "    not restored: nav (gone): it is not there", "      mend it",
            "    2 objects not restored: `\(program) --scene other report` lists them",
            "    two are nav", "    its restoration was extended for too long",
            "    its restoration was completed 1 time without having been extended",
            "  scene third: in restoration, reason pristine, 0 of 1 objects restored",
            "    not restored: nav/view (gone): it is not there",
            "  scene waiting: waiting to be launched", "  scene closed: saved, not launched",
            "  scene broken: could not be launched: reason unknown",
        ]
    }

    private static func application(
        _ name: String, _ phase: ApplicationPhase, _ saved: SaveLevel,
        _ state: (inout ApplicationDescription) -> Void = { _ in }
    ) -> ApplicationDescription {
        .with {
            ($0.bundleIdentifier, $0.bundleVersion) = (name, "1")
            ($0.phase, $0.saved) = (phase, saved)
            state(&$0)
        }
    }

    private static func ownership(
        _ host: String?, notReplicated: Int? = nil, problem: String? = nil
    ) -> OwnershipDescription {
        .with { ($0.host, $0.notReplicated, $0.problem) = (host, notReplicated, problem) }
    }

    @Test func `status describes each state of an application`() async throws {
        let applications = [
            Self.application("A", .running, .durable) {
                ($0.launchedScenes, $0.savedScenes) = (0, 2)
                $0.ownership = Self.ownership("one", notReplicated: 0)
            },
            Self.application("B", .running, .written) {
                ($0.launchedScenes, $0.savedScenes, $0.scenes) = (2, 2, Self.scenes)
                ($0.notDurableWrites, $0.notDurableSince, $0.lastPass) = (2, "t1", "t2")
                $0.ownership = Self.ownership("one", notReplicated: 1, problem: "etcd is slow")
            },
            Self.application("C", .running, .no) {
                ($0.launchedScenes, $0.savedScenes, $0.lastPass) = (2, 3, "t2")
                ($0.notSavedReason, $0.notKept, $0.lastError) = ("it is full.", "no space", "lost")
            },
            Self.application("D", .failed, .durable) {
                ($0.failure, $0.lastError) = ("it threw", "it threw")
            },
            Self.application("E", .stopped, .durable) {
                $0.ownership = Self.ownership("two", problem: "no lease")
            },
            Self.application("F", .stopped, .durable) { $0.ownership = Self.ownership(nil) },
            Self.application("G", .stopped, .durable) {
                $0.ownership = Self.ownership("one", notReplicated: 3)
            },
            Self.application("H", .stopped, .no),
            Self.application("I", .running, .replicated) {
                ($0.launchedScenes, $0.savedScenes, $0.lastPass) = (1, 1, "t3")
                ($0.lastError, $0.lastErrorTime) = ("lost", "t2")
            },
            Self.application("J", .running, .durable) {
                ($0.launchedScenes, $0.savedScenes, $0.lastPass) = (1, 1, "t2")
                ($0.lastError, $0.lastErrorTime) = ("lost", "t2")
            },
        ]
        let reply = StatusCall.Reply.with {
            ($0.version, $0.processIdentifier, $0.stateDirectory) = ("9.9", 7, "/state")
            $0.applications = applications
        }
        var lines = [
            "reprised 9.9, process 7, state in /state", "A 1: running, nothing is saved",
            "  no scene is open, 2 saved: `reprisectl --app A open NAME` opens one",
            "B 1: running, everything is written, 2 writes since t1 not yet durable, last saved t2",
            "  1 change not yet replicated", "  etcd is slow",
        ]
        lines += Self.sceneLines("reprisectl --app B")
        lines += [
            "C 1: running, NOT SAVED: it is full, last saved t2",
            "  2 scenes launched, 3 saved; a command for a saved scene launches it",
            "  no generation can be added to the history: no space", "  last error: lost",
            "D 1: failed: it threw", "E 1: runs on two", "  no lease", "F 1: runs on no host now",
            "G 1: stopped", "  3 changes not yet replicated",
            "H 1: stopped, NOT SAVED: reason unknown",
            "I 1: running, everything is replicated, last saved t3",
            "  last error (t2; saved successfully since): lost",
            "J 1: running, everything is durable, last saved t2", "  last error (t2): lost",
        ]
        try await require("status", reply, prints: lines)
    }

    @Test func `status describes the state of the daemon`() async throws {
        let reply = StatusCall.Reply.with {
            ($0.program, $0.version, $0.processIdentifier) = ("own", "9.9", 7)
            ($0.stateDirectory, $0.encryptionKey) = ("/state", "0123")
            $0.configurationError = "a.yaml:1:1: wrong\nb.yaml:2:2: wrong"
            $0.waitingForRestart = ["the socket", "the log"]
            $0.notWatched = ["/a", "/b"].map { path in
                .with { ($0.path, $0.reason) = (path, "too many") }
            }
            $0.cluster = .with {
                ($0.name, $0.host, $0.problem) = ("c", "one", "etcd is gone")
                ($0.hosts, $0.draining) = (["one", "two", "three"], ["two", "three"])
                $0.warnings = ["1 of 3 etcd servers is away"]
            }
        }
        try await require(
            "status", reply,
            prints: [
                "own 9.9, process 7, state in /state, encrypted with the key 0123",
                "changes in the configuration or a storyboard were not applied:",
                "  a.yaml:1:1: wrong", "  b.yaml:2:2: wrong",
                "takes effect at the next restart: the socket",
                "takes effect at the next restart: the log",
                "watching is off for /a: too many", "watching is off for /b: too many",
                "host one of the cluster c, with one, two (draining), three (draining)",
                "  etcd is gone", "  1 of 3 etcd servers is away",
            ])
    }

    @Test func `list shows which host of a cluster runs an application`() async throws {
        let reply = ListCall.Reply.with {
            $0.applications = [
                .with {
                    ($0.bundleIdentifier, $0.phase) = ("A", .running)
                    $0.ownership = Self.ownership("one", notReplicated: 0)
                },
                .with { ($0.bundleIdentifier, $0.ownership) = ("B", Self.ownership("two")) },
                .with { ($0.bundleIdentifier, $0.ownership) = ("C", Self.ownership(nil)) },
                .with { $0.bundleIdentifier = "D" },
            ]
        }
        try await require(
            "list", reply,
            prints: [
                "A  running  ", "B  runs on two  ", "C  no host is known to run it  ",
                "D  stopped  ",
            ])
    }

    // MARK: Scenes

    @Test func `launch lists each scene, and with -q only the scenes that failed`() async throws {
        let reply = LaunchCall.Reply.with { $0.scenes = Self.scenes }
        try await require("launch", reply, prints: Self.sceneLines("reprisectl"))
        try await require(
            "-q launch", reply, prints: [],
            errors: ["the scene broken could not be launched: reason unknown"])
    }

    @Test func `report lists everything that was not restored`() async throws {
        let objects: [FoundDescription] = [
            .init(path: "nav", class: "Controller", foundBy: .existing, unreadKeys: ["k", "l"]),
            .with { ($0.path, $0.class, $0.foundBy) = ("nav/view", "View", .delegate) },
        ]
        let reply = ReportCall.Reply.with {
            ($0.scene, $0.launchReason) = ("main", "restore")
            ($0.recorded, $0.restored) = (9, 5)
            ($0.precedingDeath, $0.refused, $0.displaced) = ("It died.", true, "it was too old")
            $0.unrestored = [Self.unrestored("a", remedy: "mend it"), Self.unrestored("b")]
            $0.duplicates = [Self.unrestored("c"), Self.unrestored("d")]
            ($0.gone, $0.expiring) = (["e", "f"], ["g", "h"])
            ($0.expired, $0.vanished) = (["i", "j"], ["k", "l"])
            ($0.found, $0.unlisted, $0.unclaimed) = (objects, 2, 3)
            ($0.timedOut, $0.superfluousCompletions) = (true, 4)
        }
        let expiring =
            "if the next launch does not restore it either, its state is moved to the history"
        func expired(_ path: String) -> String {
            "no longer saved: \(path): too many launches did not restore it; `reprisectl --scene main "
                + "explain \(path)` identifies the generation that contains it"
        }
        let detail = "(gone): it is not there"
        try await require(
            "report", reply,
            prints: [
                "scene main: launched with reason restore, 5 of 9 objects restored", "It died.",
                "the application refused its saved state",
                "the saved state was not restored: it was too old", "not restored: a \(detail)",
                "  mend it", "not restored: b \(detail)", "duplicate ignored: c \(detail)",
                "duplicate ignored: d \(detail)", "deleted on purpose: e", "deleted on purpose: f",
                "expires soon: g: \(expiring)", "expires soon: h: \(expiring)", expired("i"),
                expired("j"), "removed by a command for another scene: k",
                "removed by a command for another scene: l",
                "nav       Controller  existed already; not read: k, l",
                "nav/view  View        by the delegate", "and 2 more",
                "unclaimed: 3 of these remain saved, and the next launch tries again to restore them",
                "its restoration was extended for too long, and the launch continued without the rest",
                "its restoration was completed 4 times without having been extended",
            ])
        let empty = ReportCall.Reply.with { ($0.scene, $0.launchReason) = ("main", "pristine") }
        try await require(
            "report", empty,
            prints: ["scene main: launched with reason pristine, 0 of 0 objects restored"])
    }

    @Test func `tree and list show every object and every scene`() async throws {
        let objects: [TreeObject] = [
            .with {
                ($0.path, $0.class, $0.preserved) = ("nav", "Controller", true)
                $0.commands = ["go", "stop"]
            },
            .with { ($0.path, $0.class, $0.reason) = ("nav/view", "View", "it has no identifier") },
        ]
        try await require(
            "tree", TreeCall.Reply.with { $0.objects = objects },
            prints: [
                "nav       Controller  preserved; has go, stop",
                "nav/view  View        not preserved: it has no identifier",
            ])
        let applications: [ListedApplication] = [
            .with {
                ($0.bundleIdentifier, $0.phase) = ("A", .running)
                $0.scenes = [
                    .with { ($0.name, $0.phase) = ("main", .running) },
                    .with { ($0.name, $0.phase) = ("other", .saved) },
                ]
            },
            .with { $0.bundleIdentifier = "B" },
        ]
        try await require(
            "list", ListCall.Reply.with { $0.applications = applications },
            prints: ["A  running  main other (saved)", "B  stopped  "])
    }

    // MARK: History

    @Test func `history lists each generation and the number of generations that are not listed`()
        async throws
    {
        let generations: [GenerationDescription] = [
            .with {
                ($0.name, $0.time, $0.path) = ("000001", "t1", "/1")
                ($0.objects, $0.bytes) = (1, 1)
            },
            .with {
                ($0.name, $0.time, $0.path) = ("000002", "t2", "/2")
                ($0.objects, $0.bytes, $0.bundleVersions) = (2, 2, ["1", "2"])
                ($0.reason, $0.problem) = ("it was stopped", "it is damaged")
            },
        ]
        let lines = [
            "000001  t1, 1 object, 1 byte", "  /1",
            "000002  t2, 2 objects, 2 bytes, saved by version 1, 2", "  because it was stopped",
            "  it is damaged", "  /2",
        ]
        var reply = HistoryCall.Reply.with { $0.generations = generations }
        try await require("history", reply, prints: lines)
        reply.omitted = 1
        let omitted =
            "1 older generation not listed: reprisectl history --before 000001 lists more"
        try await require("history", reply, prints: [omitted] + lines)
    }

    @Test func `diff shows whether there are differences and how many are not listed`()
        async throws
    {
        var reply = DiffCall.Reply.with { ($0.from, $0.problems) = ("1", ["first", "second"]) }
        try await require(
            "diff 1", reply, prints: ["1 and the saved state are equal"],
            errors: reply.problems)
        (reply.to, reply.problems) = ("2", [])
        try await require("diff 1 2", reply, prints: ["1 and 2 are equal"])
        reply.unlisted = 2
        try await require("diff 1 2", reply, prints: ["and 2 more"])
        reply.unlisted = 0
        reply.differences = [.with { ($0.scene, $0.kind) = ("main", .appeared) }]
        try await require("diff 1 2", reply, prints: ["+ scene main"])
    }

    @Test func `replies include the command that restores the previous state`() async throws {
        let path = "/state/Saved Application State/A.savedState/history/000003.archive"
        let hint =
            "the previous state is in the history as \(path): `reprisectl --app A rollback 3`"
        let reply = QuarantinePutBackCall.Reply.with {
            ($0.scenes, $0.shortfall) = (["one", "two"], "it is torn")
            ($0.generation, $0.saved) = (path, .durable)
        }
        for (option, part) in [
            ("", "the part before the damage was put back"),
            (" --salvage", "the intact objects were put back"),
        ] {
            try await require(
                "quarantine put-back a\(option)", reply,
                prints: [
                    "put back: one two", "incomplete: it is torn; \(part)",
                    "\(hint) restores it", "saved: durable",
                ])
        }
        let quit = QuitCall.Reply.with { ($0.generation, $0.saved) = (path, .no) }
        try await require(
            "quit --force", quit,
            prints: [
                "stopped, and its saved state was removed",
                "\(hint) and then `reprisectl --app A launch` restore it",
            ])
        try await require("-q quit --force", quit, prints: [])
    }

    @Test func `quarantine shows which entries cannot be put back`() async throws {
        let quarantined: [QuarantinedDescription] = [
            .with {
                ($0.name, $0.path, $0.bytes) = ("a", "/a", 1)
                ($0.reason, $0.time) = ("it is damaged", "t1")
            },
            .with { ($0.name, $0.path, $0.kind) = ("b", "/b", .folder) },
            .with { ($0.name, $0.path, $0.kind) = ("c", "/c", .link) },
            .with { ($0.name, $0.path, $0.kind) = ("d", "/d", .other) },
        ]
        let reason = "  (no reason recorded)"
        try await require(
            "quarantine", QuarantineCall.Reply.with { $0.quarantined = quarantined },
            prints: [
                "a  1 byte, since t1", "  it is damaged", "  /a",
                "b  a directory, which cannot be put back", reason, "  /b",
                "c  a symbolic link, which cannot be put back", reason, "  /c",
                "d  not a file, which cannot be put back", reason, "  /d",
            ])
    }

    // MARK: Daemon

    @Test func `clients shows what each client did`() async throws {
        let clients: [ClientDescription] = [
            .with {
                ($0.user, $0.seconds, $0.calls) = (5, 1, 1)
                ($0.receivedBytes, $0.sentBytes) = (1, 2)
            },
            .with {
                ($0.processIdentifier, $0.program, $0.seconds, $0.calls) = (7, "own", 2, 3)
                ($0.receivedBytes, $0.sentBytes, $0.unreadBytes) = (4, 5, 6)
                ($0.following, $0.followed) = ("Monitor", "A")
            },
        ]
        try await require(
            "clients", ClientsCall.Reply.with { $0.clients = clients },
            prints: [
                "a process in another PID namespace, user 5: connected for 1 second, 1 call, 1 byte "
                    + "received, 2 sent",
                "process 7 (own), user 0: connected for 2 seconds, 3 calls, 4 bytes received, 5 sent, "
                    + "6 unread, follows Monitor of A",
            ])
    }

    @Test func `cluster shows hosts, servers and applications`() async throws {
        var reply = ClusterCall.Reply()
        (reply.cluster.name, reply.cluster.host, reply.leaseSeconds) = ("c", "one", 5)
        reply.cluster.problem = "etcd is away"
        reply.cluster.pause = .with {
            ($0.host, $0.time, $0.reason) = ("two", "2026-11-29T08:00:00Z", "switches")
            $0.user = "user 7"
        }
        reply.cluster.warnings = ["1 of 3 etcd servers is away"]
        reply.clusterHosts = [
            .with { ($0.name, $0.applications) = ("one", 12) },
            .with { ($0.name, $0.draining) = ("two", true) },
            .with { ($0.name, $0.problem) = ("x", "not seen for 3 s") },
        ]
        reply.servers = [
            .with {
                ($0.endpoint, $0.version, $0.leader) = ("http://a:2379", "3.5.16", true)
                ($0.databaseBytes, $0.milliseconds) = (5_400_000, 1.26)
            },
            .with { ($0.endpoint, $0.problem) = ("http://b:2379", "etcd at b is away") },
        ]
        reply.applications = [
            .with {
                ($0.application, $0.running) = ("org.a", true)
                ($0.ownership.host, $0.ownership.epoch) = ("one", 7)
                $0.ownership.notReplicated = 3
            },
            .with {
                ($0.application, $0.ownership.host, $0.ownership.epoch) = ("org.b", "two", 8)
            },
            .with { ($0.application, $0.ownership.problem) = ("org.c", "it is paused") },
        ]
        try await require(
            "cluster", reply,
            prints: [
                "cluster c, seen from the host one; a lease lasts 5.0 s", "  etcd is away",
                "  1 of 3 etcd servers is away",
                "automatic takeover has been paused since 2026-11-29T08:00:00Z, by user 7 on the host two: "
                    + "switches",
                "HOST  APPLICATIONS  STATE", "one   12            present",
                "two   0             draining: takes over no applications",
                "x     0             not seen for 3 s",
                "", "SERVER         ETCD    DATABASE  LATENCY  STATE",
                "http://a:2379  3.5.16  5.1 MiB   1.3 ms   leader",
                "http://b:2379                             etcd at b is away",
                "", "APPLICATION  OWNER  EPOCH  NOT REPLICATED  STATE",
                "org.a        one    7      3               running",
                "org.b        two    8                      not launched yet",
                "org.c                                      its host is unknown: it is paused",
            ])
    }

    @Test func `cluster commands print what they did`() async throws {
        var history = ClusterHistoryCall.Reply()
        try await require("cluster history", history, prints: ["no owner is recorded yet"])
        let time = "2026-11-29T08:00:00Z"
        history.changes = [
            .with { ($0.time, $0.application, $0.host, $0.epoch) = (time, "org.a", "one", 7) },
            .with {
                ($0.time, $0.application, $0.host, $0.epoch) = (time, "org.a", "two", 12)
                ($0.from, $0.reason) = ("one", .expired)
            },
        ]
        try await require(
            "cluster history org.a", history,
            prints: [
                "TIME                  APPLICATION  FROM  TO   EPOCH  REASON",
                "2026-11-29T08:00:00Z  org.a              one  7      started",
                "2026-11-29T08:00:00Z  org.a        one   two  12     expired",
            ])
        try await require(
            "cluster pause --reason=switches", ClusterPauseCall.Reply(),
            prints: [
                "automatic takeover is paused until you run `reprisectl cluster resume`"
            ])
        try await require(
            "cluster pause",
            ClusterPauseCall.Reply.with {
                $0.replaced = .with {
                    ($0.host, $0.time, $0.reason) = ("two", time, "switches")
                }
            },
            prints: [
                "automatic takeover is paused until you run `reprisectl cluster resume`",
                "this replaces the pause that began at \(time), on the host two: switches",
            ])
        try await require(
            "cluster resume", Empty(), prints: ["hosts take over applications automatically again"])
        try await require(
            "cluster take --force org.a", Empty(), prints: ["org.a runs on this host"])
    }

    @Test func `reload, rekey, drain and relocate print what they did`() async throws {
        var reload = ReloadCall.Reply()
        try await require("reload", reload, prints: ["nothing changed"])
        reload.waiting = ["the socket", "the log"]
        let waiting = reload.waiting.map { "takes effect at the next restart: \($0)" }
        try await require(
            "reload", reload, prints: waiting + ["no change takes effect now"])
        reload.changed = ["the history", "the interval"]
        try await require(
            "reload", reload,
            prints: ["applied: the history", "applied: the interval"] + waiting)
        var rekey = RekeyCall.Reply()
        try await require("rekey", rekey, prints: ["no stored file is encrypted"])
        (rekey.files, rekey.key) = (2, "0123")
        try await require(
            "rekey", rekey,
            prints: ["2 files rewritten; all stored files are encrypted with the key 0123"])
        var drain = DrainCall.Reply()
        try await require("drain", drain, prints: ["no clustered application ran on this host"])
        try await require(
            "drain --end", drain, prints: ["this host can take over applications again"])
        drain.moved = ["A", "B"].map { name in
            .with { ($0.application, $0.host) = (name, "two") }
        }
        try await require("drain", drain, prints: ["A runs on two", "B runs on two"])
        try await require(
            "relocate A two", RelocateCall.Reply.with { $0.host = "two" },
            prints: ["A runs on two"])
    }

    @Test func `tables have a row for each entry`() async throws {
        let objects: [TreeObject] = [
            .with { ($0.path, $0.class, $0.preserved) = ("nav", "Controller", true) },
            .with {
                ($0.path, $0.class, $0.reason) = ("nav/view", "View", "no identifier")
                $0.commands = ["go"]
            },
        ]
        let generations = ["000001", "000002"].map { name in
            GenerationDescription.with {
                ($0.name, $0.time, $0.path) = (name, "t", "/it's/\(name)")
                ($0.reason, $0.problem) = ("it was stopped", "it is damaged")
            }
        }
        let quarantined: [QuarantinedDescription] = [
            .with { ($0.name, $0.path, $0.time, $0.bytes) = ("a", "/q/a", "t", 5) },
            .with { ($0.name, $0.path, $0.kind, $0.reason) = ("b", "/q/b", .link, "foreign") },
        ]
        let clients: [ClientDescription] = [
            .with { $0.user = 5 },
            .with { ($0.processIdentifier, $0.program, $0.unreadBytes) = (7, "own", 6) },
        ]
        let replies = [
            "Tree": [try StubReply(TreeCall.Reply.with { $0.objects = objects })],
            "History": [
                try StubReply(HistoryCall.Reply.with { $0.generations = generations })
            ],
            "Quarantine": [
                try StubReply(QuarantineCall.Reply.with { $0.quarantined = quarantined })
            ],
            "Clients": [try StubReply(ClientsCall.Reply.with { $0.clients = clients })],
        ]
        try await Host.with { host in
            let commands = ["tree", "history", "quarantine", "clients"].map {
                "script -qec \"$CTL --no-pager \($0)\" /dev/null </dev/null"
            }
            let result = try await host.runWithStub(
                replies, commands.joined(separator: "; "), environment: ["TERM": "xterm"])
            // Other tests check the alignment of columns.
            let lines = result.output.replacing("\r\n", with: "\n").split(separator: "\n").map {
                $0.split(separator: " ").joined(separator: " ")
            }
            func colored(_ number: Int, _ line: String) -> String {
                "\u{1B}[\(number)m\(line)\u{1B}[0m"
            }
            #expect(
                lines == [
                    colored(1, "PATH CLASS PRESERVED"), "nav Controller yes",
                    colored(33, "nav/view View no: no identifier; has go"),
                    colored(1, "GENERATION TIME OBJECTS BYTES VERSION REASON"),
                    colored(31, "000001 t 0 0 it was stopped; it is damaged"),
                    colored(31, "000002 t 0 0 it was stopped; it is damaged"),
                    #"reprisectl inspect '/it'\''s/000002'"#,
                    colored(1, "NAME SINCE BYTES REASON"), "a t 5 (no reason recorded)",
                    "b (a symbolic link, which cannot be put back) foreign", "in /q",
                    colored(
                        1, "PROCESS PROGRAM USER SECONDS CALLS RECEIVED SENT UNREAD FOLLOWS OF"),
                    "? 5 0 0 0 0 0", colored(31, "7 own 0 0 0 0 0 6 "),
                ])
        }
    }
}
